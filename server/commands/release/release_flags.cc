#include "server/commands/release/release_flags.h"

namespace vicinal {
namespace {

constexpr char kAuto[] = "auto";

}  // namespace

void AddReleaseFlags(CLI::App* app, const std::string& group,
                     ReleaseOptions& options) {
  app->add_option_function<std::string>(
         "--kubernetes-release",
         [&options](const std::string& version) {
           options.wanted.reset();
           if (version != kAuto) {
             options.wanted = *KubernetesReleaseOf(version);
           }
         },
         "the release of the scheduler whose answers are given, such as 1.36; "
         "auto: that of the API server, or else the newest")
      ->check([](const std::string& version) {
        return version == kAuto
                   ? std::string()
                   : std::string(
                         KubernetesReleaseOf(version).status().message());
      })
      ->default_str(kAuto)
      ->group(group);
  app->add_option("--feature-gates", options.feature_gates,
                  "that scheduler's feature gates, as its own flag has them: "
                  "A=true,B=false")
      ->join(',')
      ->group(group);
}

}  // namespace vicinal
