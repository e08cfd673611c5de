// Flags whose default the help text shows as the variable has it.
#ifndef VICINAL_SERVER_COMMANDS_FLAGS_FLAGS_H_
#define VICINAL_SERVER_COMMANDS_FLAGS_FLAGS_H_

#include <CLI/CLI.hpp>
#include <chrono>
#include <map>
#include <string>

#include "server/listeners/tls/listener_security.h"

namespace vicinal {

// A whole number of Units, such as std::chrono::seconds; the help text has to
// name them. `value` must outlive the app.
template <typename Unit, typename Duration>
CLI::Option* AddDuration(CLI::App* app, const std::string& flag,
                         Duration& value, const std::string& description) {
  return app
      ->add_option_function<int>(
          flag, [&value](int count) { value = Unit(count); }, description)
      ->default_str(
          std::to_string(std::chrono::duration_cast<Unit>(value).count()));
}

// One of the names in `choices`. `value` must outlive the app, and be among
// them.
template <typename Value>
CLI::Option* AddChoice(CLI::App* app, const std::string& flag, Value& value,
                       const std::map<std::string, Value>& choices,
                       const std::string& description) {
  CLI::Option* option = app->add_option_function<std::string>(
                               flag,
                               [&value, choices](const std::string& name) {
                                 value = choices.at(name);
                               },
                               description)
                            ->check(CLI::IsMember(choices));
  for (const auto& [name, choice] : choices) {
    if (choice == value) option->default_str(name);
  }
  return option;
}

// "true" or "false". `value` must outlive the app.
inline CLI::Option* AddBool(CLI::App* app, const std::string& flag, bool& value,
                            const std::string& description) {
  return app->add_option(flag, value, description)
      ->default_str(value ? "true" : "false");
}

// --tls-cert-file, --tls-private-key-file, --client-ca-file, --client-crl-file,
// --tls-min-version and --allow-insecure-listen. `security` must outlive the
// app.
void AddListenerSecurity(CLI::App* app, ListenerSecurity& security);

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_FLAGS_FLAGS_H_
