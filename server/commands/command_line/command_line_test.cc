#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "server/commands/command_line/completion.h"
#include "server/commands/command_line/mistake.h"

namespace vicinal {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class CommandLineTest : public testing::Test {
 protected:
  CommandLineTest() {
    app_.add_option("-v,--verbosity", text_);
    CLI::App* explain = app_.add_subcommand("explain");
    explain->add_option("-n,--namespace", text_);
    explain->add_flag("--batch", flag_);
    explain->add_option("object", text_);
    app_.add_subcommand("serve");
    app_.add_subcommand("simulate");
  }

  CLI::App app_;
  std::string text_;
  bool flag_ = false;
};

TEST_F(CommandLineTest, WrongWordsAreNamedWithWhatWasMeant) {
  EXPECT_EQ(DescribeMistake(app_, {"exlain"}),
            "unknown command \"exlain\"; did you mean explain?");
  EXPECT_EQ(DescribeMistake(app_, {"-v", "2", "frobnicate"}),
            "unknown command \"frobnicate\"");
  EXPECT_EQ(DescribeMistake(app_, {"--verbose=3", "serve"}),
            "unknown flag \"--verbose\"; did you mean --verbosity?");
  EXPECT_EQ(DescribeMistake(app_, {"explain", "--namspace", "shop"}),
            "unknown flag \"--namspace\"; did you mean --namespace?");
  EXPECT_EQ(DescribeMistake(app_, {"explain", "-x"}), "unknown flag \"-x\"");
}

TEST_F(CommandLineTest, FlagsOfActionsBelongIntoTheirQuotes) {
  EXPECT_EQ(DescribeMistake(app_, {"simulate", "drain", "-l", "zone=a"}),
            "\"-l\" is a flag of an action: put the action in quotes, such as "
            "vicinal simulate \"drain -l zone=a\"");
  EXPECT_EQ(DescribeMistake(app_, {"simulate", "drain -l zone=a"}), "");
  EXPECT_EQ(DescribeMistake(app_, {"explain", "-l"}), "unknown flag \"-l\"");
}

TEST_F(CommandLineTest, RightWordsAreNoMistake) {
  EXPECT_EQ(DescribeMistake(app_, {}), "");
  EXPECT_EQ(DescribeMistake(app_, {"-v2", "explain", "-n", "--shop", "--batch",
                                   "deployment/web", "-", "--", "--foo"}),
            "");
}

TEST_F(CommandLineTest, CompletesCommandsAndFlags) {
  EXPECT_THAT(Completions(app_, {""}),
              ElementsAre("explain", "serve", "simulate"));
  EXPECT_THAT(Completions(app_, {"-v", "1", "e"}), ElementsAre("explain"));
  EXPECT_THAT(Completions(app_, {"explain", "--n"}),
              ElementsAre("--namespace"));
  EXPECT_THAT(Completions(app_, {"explain", "-n", "--n"}), IsEmpty());
  EXPECT_THAT(Completions(app_, {"explain", "deploy"}), IsEmpty());
  EXPECT_THAT(Completions(app_, {"nothing", "-"}), IsEmpty());
}

TEST_F(CommandLineTest, CompletesForBashAndForKubectl) {
  const auto printed = [this](const std::vector<std::string>& arguments) {
    std::ostringstream out;
    return CompleteIfAsked(app_, arguments, out) ? out.str() : "not asked";
  };
  EXPECT_EQ(printed({"vicinal", "__complete", "se"}), "serve\n:0\n");
  EXPECT_EQ(printed({"/usr/bin/kubectl_complete-vicinal", "se"}),
            "serve\n:0\n");
  EXPECT_EQ(printed({"vicinal", "se"}), "not asked");
  EXPECT_EQ(printed({"vicinal"}), "not asked");
}

}  // namespace
}  // namespace vicinal
