#include "server/commands/command_line/mistake.h"

#include <algorithm>
#include <string_view>

#include "core/model/did_you_mean.h"

namespace vicinal {
namespace {

bool IsFlag(std::string_view word) { return word.size() > 1 && word[0] == '-'; }

const CLI::App* SubcommandOf(const CLI::App& app, const std::string& name) {
  const auto found = app.get_subcommands(
      [&name](const CLI::App* one) { return one->get_name() == name; });
  return found.empty() ? nullptr : found.front();
}

std::vector<std::string> SubcommandsOf(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* one :
       app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!one->get_group().empty()) names.push_back(one->get_name());
  }
  return names;
}

std::vector<std::string> FlagsOf(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option :
       app.get_options([](const CLI::Option*) { return true; })) {
    for (const std::string& name : option->get_lnames()) {
      names.push_back("--" + name);
    }
  }
  return names;
}

// Null: it is none of these.
const CLI::Option* OptionOf(const CLI::App& app, const std::string& word) {
  if (word.starts_with("--")) {
    return app.get_option_no_throw(word.substr(0, word.find('=')));
  }
  // -n shop, -nshop, -n=shop.
  return app.get_option_no_throw(word.substr(0, 2));
}

// Whether the next word is the flag's value.
bool TakesNext(const CLI::Option& option, const std::string& word) {
  if (option.get_items_expected_max() == 0) return false;
  return word.starts_with("--") ? word.find('=') == std::string::npos
                                : word.size() == 2;
}

// Simulate's actions are words, and have flags that its own are not.
bool IsFlagOfAnAction(const CLI::App& app, const std::string& flag) {
  return app.get_name() == "simulate" && (flag == "-l" || flag == "--like");
}

std::string Meant(const std::string& word,
                  const std::vector<std::string>& known) {
  const std::string guess = DidYouMean(word, known);
  return guess.empty() ? "" : "; did you mean " + guess + "?";
}

}  // namespace

std::string DescribeMistake(const CLI::App& app,
                            const std::vector<std::string>& arguments) {
  const CLI::App* level = &app;
  for (std::size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
    const std::string& word = arguments[i];
    if (IsFlag(word)) {
      const CLI::Option* option = OptionOf(*level, word);
      if (option == nullptr && level != &app) option = OptionOf(app, word);
      if (option == nullptr) {
        const std::string flag = word.substr(0, word.find('='));
        if (IsFlagOfAnAction(*level, flag)) {
          return "\"" + flag + "\" is a flag of an action: put the action in " +
                 "quotes, such as vicinal simulate \"drain -l zone=a\"";
        }
        return "unknown flag \"" + flag + "\"" + Meant(flag, FlagsOf(*level));
      }
      if (TakesNext(*option, word)) ++i;
    } else if (level == &app) {
      level = SubcommandOf(app, word);
      if (level == nullptr) {
        return "unknown command \"" + word + "\"" +
               Meant(word, SubcommandsOf(app));
      }
    }
  }
  return "";
}

std::vector<std::string> Completions(
    const CLI::App& app, const std::vector<std::string>& arguments) {
  const CLI::App* level = &app;
  bool is_value = false;
  const std::string last = arguments.empty() ? "" : arguments.back();
  for (std::size_t i = 0; i + 1 < arguments.size(); ++i) {
    if (is_value) {
      is_value = false;
    } else if (IsFlag(arguments[i])) {
      const CLI::Option* option = OptionOf(*level, arguments[i]);
      is_value = option != nullptr && TakesNext(*option, arguments[i]);
    } else if (level == &app) {
      level = SubcommandOf(app, arguments[i]);
      if (level == nullptr) return {};
    }
  }
  if (is_value) return {};
  std::vector<std::string> candidates;
  if (last.starts_with("-")) {
    candidates = FlagsOf(*level);
  } else if (level == &app) {
    candidates = SubcommandsOf(app);
  }
  std::erase_if(candidates, [&last](const std::string& candidate) {
    return !candidate.starts_with(last);
  });
  std::sort(candidates.begin(), candidates.end());
  return candidates;
}

}  // namespace vicinal
