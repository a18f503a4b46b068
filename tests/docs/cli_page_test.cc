// docs/reference/cli.md: every verb, argument and flag, from the tables that parsing uses.
#include <algorithm>

#include <fmt/format.h>

#include "harness/base/exit_meanings.h"
#include "harness/cli/verb.h"
#include "harness/text/text.h"
#include "tests/docs/page.h"
#include "tests/support/catch.h"

using namespace scalestudy;

namespace {

// What an option may be set to, what it is by default, and the variable that sets it too.
std::string details(const Option& option) {
  std::vector<std::string> parts;
  if (!option.allowed.empty()) {
    parts.push_back("one of `" + join(option.allowed, "`, `") + "`");
  }
  const auto* const* text = std::get_if<std::string*>(&option.target);
  if (text != nullptr && !(**text).empty() && option.help.find("default") == std::string::npos) {
    parts.push_back("default `" + **text + "`");
  }
  if (const auto* const* number = std::get_if<std::optional<std::int64_t>*>(&option.target);
      number != nullptr && (*number)->has_value()) {
    parts.push_back(fmt::format("default {}", ***number));
  }
  if (!option.variable.empty()) {
    parts.push_back("or `SCALESTUDY_" + option.variable + "`");
  }
  return parts.empty() ? "" : " (" + join(parts, "; ") + ")";
}

std::string option_rows(const std::vector<Option>& options) {
  std::string rows = "| argument | meaning |\n| --- | --- |\n";
  for (const Option& option : options) {
    const bool is_flag = std::holds_alternative<bool*>(option.target);
    const std::string value = !option.name.starts_with('-') || is_flag ? ""
                              : option.value.empty()                   ? " VALUE"
                                                                       : " " + option.value;
    rows += fmt::format("| `{}{}{}` | {}{} |\n",
                        option.letter.empty() ? "" : option.letter + ", ",
                        option.name,
                        test::table_cell(value),
                        test::table_cell(option.help),
                        test::table_cell(details(option)));
  }
  return rows;
}

std::string usage_line(const Verb& verb) {
  std::string line = "scalestudy " + verb.name;
  bool has_flags = false;
  for (const Option& option : verb.options) {
    has_flags = has_flags || option.name.starts_with('-');
  }
  line += has_flags ? " [FLAGS]" : "";
  for (const Option& option : verb.options) {
    if (!option.name.starts_with('-')) {
      const bool is_list = std::holds_alternative<std::vector<std::string>*>(option.target);
      line += " " + option.name + (is_list ? "..." : "");
    }
  }
  return line;
}

// The verbs by group, each with a link to its heading.
std::string verb_list(const std::vector<Verb>& verbs) {
  std::string list;
  for (const std::string& group : words_of<VerbGroup>()) {
    std::vector<std::string> links;
    for (const Verb& verb : verbs) {
      if (to_word(verb.group) == group) {
        links.push_back(fmt::format("[{0}](#{0})", verb.name));
      }
    }
    list += fmt::format("- {}: {}\n", group, join(links, ", "));
  }
  return list;
}

std::string cli_page() {
  std::vector<Verb> verbs = all_verbs();
  std::ranges::stable_sort(verbs, {}, &Verb::group);
  Globals globals;
  std::string text =
      "# Command line\n\n"
      "Everything `scalestudy --help` and `scalestudy VERB --help` say.\n\n" +
      verb_list(verbs) +
      "\n"
      "## Flags of all verbs\n\n" +
      option_rows(global_options(globals)) +
      "\n## Exit codes\n\n| code | meaning |\n| ---: | --- |\n";
  for (const ExitMeaning& each : exit_meanings()) {
    text += fmt::format("| {} | {} |\n", static_cast<int>(each.code), each.meaning);
  }
  for (const Verb& verb : verbs) {
    text += fmt::format(
        "\n## {}\n\n{}.\n\n```text\n{}\n```\n", verb.name, verb.description, usage_line(verb));
    text += verb.options.empty() ? "" : "\n" + option_rows(verb.options);
    text += verb.footer.empty() ? "" : "\n```text\n" + verb.footer + "\n```\n";
  }
  return text;
}

}  // namespace

TEST_CASE("the page of the command line has every verb, flag and exit code", "[docs]") {
  test::check_page("cli.md", cli_page());
}
