#include "harness/cli/start/time_study.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/cli/start/value_lists.h"
#include "harness/text/number.h"
#include "harness/text/quantity.h"
#include "harness/text/shell_word.h"
#include "harness/text/text.h"
#include "harness/text/yaml_text.h"
#include "harness/yaml/fields.h"

namespace scalestudy {
namespace {

// A command with one value of each list, as a cell's parameters.
using Row = std::vector<std::pair<std::string, std::string>>;

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorKind::kUsage, why);
}

void check_lists(const TimedCommands& timed, const std::vector<ValueList>& lists) {
  std::vector<std::string> names;
  for (const ValueList& list : lists) {
    names.push_back(list.name);
    if (list.name == kTimedCommand || list.name == kTimedName) {
      refuse(fmt::format("-L {0}: the study itself has a parameter {0}; choose another name",
                         list.name));
    }
    for (const std::string& command : timed.commands) {
      if (with_value(command, list.name, "") == command &&
          with_value(timed.prepare, list.name, "") == timed.prepare) {
        refuse(fmt::format("-L {0}: `{1}` has no {{{0}}}, so that all values would run the same",
                           list.name,
                           command));
      }
    }
  }
  for (const std::string& command : timed.commands) {
    const std::vector<std::string> unlisted = unlisted_names(command, lists);
    if (!lists.empty() && !unlisted.empty()) {
      refuse(
          fmt::format("`{0}`: {{{1}}} has no values{2}; add -L {1} VALUE,VALUE. If the braces "
                      "belong to the command itself, write a space: {{ {1} }}",
                      command,
                      unlisted.front(),
                      suggestion(unlisted.front(), names)));
    }
  }
}

void check_commands(const TimedCommands& timed) {
  if (timed.names.size() == 1 && parse_integer(timed.names.front())) {
    refuse(
        fmt::format("-n {0} would name a command \"{0}\"; for {0} trials of each command, write -r "
                    "{0}",
                    timed.names.front()));
  }
  if (!timed.names.empty() && timed.names.size() != timed.commands.size()) {
    refuse(fmt::format("-n: each command needs one name; {} for {}",
                       format_count(std::ssize(timed.names), "name"),
                       format_count(std::ssize(timed.commands), "command")));
  }
  for (const auto* texts : {&timed.commands, &timed.names}) {
    std::set<std::string> seen;
    for (const std::string& text : *texts) {
      if (text.find_first_not_of(' ') == std::string::npos) {
        refuse("a command, or a name of one, is empty");
      }
      if (!seen.insert(text).second) {
        refuse(fmt::format("`{}` is given twice: it would be compared with itself", text));
      }
    }
  }
}

// A text between single quotes of `env -S`, where a backslash keeps a backslash or a quote.
std::string env_escaped(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    escaped += c == '\\' || c == '\'' ? std::string("\\") + c : std::string(1, c);
  }
  return escaped;
}

// Every command with every combination of values, the last list's values first.
std::vector<Row> make_rows(const TimedCommands& timed, const std::vector<ValueList>& lists) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < timed.commands.size(); ++i) {
    std::vector<Row> of_command{timed.names.empty() ? Row{} : Row{{kTimedName, timed.names[i]}}};
    of_command.front().emplace_back(kTimedCommand, timed.commands[i]);
    for (const ValueList& list : lists) {
      std::vector<Row> longer;
      for (const Row& row : of_command) {
        for (const std::string& value : list.values) {
          Row next = row;
          for (auto& [name, text] : next) {
            const bool is_quoted = !timed.has_shell && name == kTimedCommand;
            text = with_value(std::move(text), list.name, is_quoted ? env_escaped(value) : value);
          }
          next.emplace_back(list.name, value);
          longer.push_back(std::move(next));
        }
      }
      of_command = std::move(longer);
    }
    std::ranges::move(of_command, std::back_inserter(rows));
  }
  return rows;
}

// The value so that the command gets it as it was typed: 2.0 as a number would be 2.
std::string typed_value(const std::string& text) {
  const bool has_zero = text.find('.') != std::string::npos && text.ends_with('0');
  return has_zero ? yaml_word(text) : yaml_value(text);
}

// "{name: fast, level: 1}"
std::string row_text(const Row& row) {
  std::vector<std::string> entries;
  for (const auto& [name, text] : row) {
    entries.push_back(name + ": " + (name == kTimedCommand ? yaml_word(text) : typed_value(text)));
  }
  return "{" + join(entries, ", ") + "}";
}

std::string list_text(const std::vector<std::string>& words,
                      std::string (*text)(const std::string&)) {
  std::vector<std::string> texts;
  std::ranges::transform(words, std::back_inserter(texts), text);
  return "[" + join(texts, ", ") + "]";
}

// Output is discarded, as by hyperfine: writing it to a file would be part of the time.
std::string quiet(const std::string& command) {
  return "exec >/dev/null; " + command;
}

std::string title(const TimedCommands& timed, const std::vector<ValueList>& lists) {
  constexpr std::size_t few = 3;
  const std::vector<std::string>& names = timed.names.empty() ? timed.commands : timed.names;
  if (names.size() > few) {
    return fmt::format("Which of {} commands is the fastest?", names.size());
  }
  if (names.size() > 1) {
    return fmt::format("Which is faster: {}?", join(names, " or "));
  }
  std::vector<std::string> varied;
  std::ranges::transform(lists, std::back_inserter(varied), &ValueList::name);
  return varied.empty()
             ? fmt::format("How long does {} take?", names.front())
             : fmt::format("How does {} change the time of {}?", join_words(varied), names.front());
}

// command, and axes or zip, with the baseline.
struct Cells {
  std::string command;
  std::string section;
  std::string baseline;  // empty if there is nothing to compare
};

Cells one_command(const TimedCommands& timed, const std::vector<ValueList>& lists) {
  const std::string& command = timed.commands.front();
  Cells cells{.command = timed.has_shell ? yaml_word(quiet(command))
                                         : list_text(split_words(command), yaml_word),
              .section = lists.empty() ? "" : "axes:\n",
              .baseline = {}};
  Row first;
  for (const ValueList& list : lists) {
    cells.section += fmt::format("  {}: {}\n", list.name, list_text(list.values, typed_value));
    first.emplace_back(list.name, list.values.front());
  }
  cells.baseline = lists.empty() ? "" : row_text(first);
  return cells;
}

// A word as `env -S` reads it. One with a {name} is in quotes.
std::string env_word(const std::string& word) {
  return word.find_first_of("\\'") == std::string::npos ? shell_word(word)
                                                        : "'" + env_escaped(word) + "'";
}

Cells several_commands(const TimedCommands& timed, const std::vector<ValueList>& lists) {
  TimedCommands words = timed;
  for (std::string& command : words.commands) {
    std::vector<std::string> quoted;
    for (const std::string& word :
         timed.has_shell ? std::vector<std::string>() : split_words(command)) {
      quoted.push_back(env_word(word));
    }
    command = timed.has_shell ? command : join(quoted, " ");
  }
  const std::vector<Row> rows = make_rows(words, lists);
  const bool is_axis = lists.empty() && timed.names.empty();
  Cells cells{.command = timed.has_shell ? yaml_word(quiet("{command}")) : "[env, -S, '{command}']",
              .section = is_axis ? "axes:\n  command:\n" : "zip:\n",
              .baseline = rows.size() > 1 ? row_text(rows.front()) : ""};
  for (const Row& row : rows) {
    cells.section += is_axis ? fmt::format("    - {}\n", yaml_word(row.front().second))
                             : fmt::format("  - {}\n", row_text(row));
  }
  return cells;
}

}  // namespace

std::vector<std::string> split_words(const std::string& command) {
  constexpr std::string_view kept_in_quotes = "$`\"\\";  // before others a backslash is itself
  std::vector<std::string> words;
  bool is_open = false;  // whether words.back() goes on
  char quote = 0;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    const bool is_space = quote == 0 && (c == ' ' || c == '\t' || c == '\n');
    if (is_space) {
      is_open = false;
      continue;
    }
    if (!is_open) {
      words.emplace_back();
      is_open = true;
    }
    const bool keeps_next =
        c == '\\' && quote != '\'' && i + 1 < command.size() &&
        (quote == 0 || kept_in_quotes.find(command[i + 1]) != std::string_view::npos);
    if (keeps_next) {
      words.back() += command[++i];
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else if (quote != 0 && c == quote) {
      quote = 0;
    } else {
      words.back() += c;
    }
  }
  if (quote != 0) {
    refuse(fmt::format("`{}`: a quote has no end", command));
  }
  return words;
}

std::string time_study_text(const TimedCommands& timed,
                            const std::string& name,
                            const std::string& folder) {
  const std::vector<ValueList> lists = read_value_lists(timed.lists);
  check_commands(timed);
  check_lists(timed, lists);
  const std::string& first = timed.commands.front();
  const bool is_varied = !lists.empty() || !timed.has_shell;  // else its text has to name the cell
  const bool is_one = timed.commands.size() == 1 && timed.names.empty() && is_varied &&
                      first.find("${") == std::string::npos && unlisted_names(first, lists).empty();
  const Cells cells = is_one ? one_command(timed, lists) : several_commands(timed, lists);
  return fmt::format(
      "# Written by scalestudy time. Trials run in random order within each block.\n"
      "version: 1\nstudy: {}\ntitle: {}\nworkload: command\ncommand: {}\n{}cwd: {}\n"
      "extract: [{{metric: step_time_s, from: wall_time}}]   # the time of the whole command\n{}"
      "trials: {}\nlimits: {{timeout: 1h, silence: 1h, retries: 0}}\n{}",
      name,
      yaml_word(title(timed, lists)),
      cells.command,
      timed.prepare.empty() ? "" : fmt::format("setup: {}\n", yaml_word(timed.prepare)),
      yaml_word(folder),
      cells.section,
      timed.runs,
      cells.baseline.empty() ? "" : fmt::format("analysis: {{baseline: {}}}\n", cells.baseline));
}

}  // namespace scalestudy
