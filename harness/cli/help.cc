#include "harness/cli/help.h"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>

#include "harness/base/exit_meanings.h"
#include "harness/text/text.h"
#include "harness/text/wrap.h"

namespace scalestudy {
namespace {

constexpr std::size_t kMostColumns = 80;
constexpr std::size_t kNameColumns = 24;   // of names of options; a longer one has its line
constexpr std::size_t kLeastColumns = 20;  // of a text beside its name

struct Entry {
  std::string name;
  std::string text;
};

// Names, and beside them their texts; below them on a terminal that is too narrow for that.
std::string entries_text(const std::vector<Entry>& entries, std::size_t width) {
  std::size_t most = 0;
  for (const Entry& entry : entries) {
    most = std::max(most, std::min(display_width(entry.name), kNameColumns));
  }
  const std::size_t beside = 2 + most + 2;
  const std::size_t indent = beside + kLeastColumns <= width ? beside : 6;
  std::string text;
  for (const Entry& entry : entries) {
    const std::string name = "  " + entry.name;
    const bool fits = display_width(name) + 2 <= indent;
    const std::string gap =
        fits ? std::string(indent - display_width(name), ' ') : "\n" + std::string(indent, ' ');
    text += wrapped(name + gap + entry.text, width, indent) + "\n";
  }
  return text;
}

// The end of a verb's help: paragraphs, whose lines are joined, and indented commands, which a
// shell takes broken as they are.
std::string footer_text(const std::string& footer, std::size_t width) {
  std::string text;
  std::string paragraph;
  const auto end_paragraph = [&] {
    text += paragraph.empty() ? "" : wrapped(paragraph, width) + "\n";
    paragraph.clear();
  };
  std::istringstream lines(footer);
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && !line.starts_with(' ')) {
      paragraph += (paragraph.empty() ? "" : " ") + line;
      continue;
    }
    end_paragraph();
    std::string command = wrapped(line, width - 2, 6);
    for (std::size_t at = command.find('\n'); at != std::string::npos;
         at = command.find('\n', at + 3)) {
      command.replace(at, 1, " \\\n");
    }
    text += command + "\n";
  }
  end_paragraph();
  return text;
}

bool is_named(const Option& option) {
  return option.name.starts_with('-');
}

// "--format table|json", "--list", "-n, --command-name NAME", "study"
std::string name_of(const Option& option) {
  const bool has_value = is_named(option) && !std::holds_alternative<bool*>(option.target);
  const std::string value = !option.value.empty()     ? option.value
                            : !option.allowed.empty() ? join(option.allowed, "|")
                                                      : "TEXT";
  return (option.letter.empty() ? "" : option.letter + ", ") + option.name +
         (!has_value               ? ""
          : value.starts_with('[') ? value
                                   : " " + value);
}

// Where an option is set by more than its own name in capitals, that name follows in brackets.
std::string variable_of(const Option& option) {
  std::string usual = option.name.substr(2);
  std::ranges::transform(usual, usual.begin(), [](char c) {
    return c == '-' ? '_' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return "SCALESTUDY_" + option.variable +
         (usual == option.variable ? "" : " (" + option.name + ")");
}

std::string environment_text(const std::vector<Option>& options, std::size_t width) {
  std::vector<std::string> names;
  for (const Option& option : options) {
    if (!option.variable.empty()) {
      names.push_back(variable_of(option));
    }
  }
  return names.empty()
             ? ""
             : "\n" +
                   wrapped(
                       "Environment variables that set these options: " + join(names, ", ") + ".",
                       width) +
                   "\n";
}

std::vector<Entry> entries_of(const std::vector<Option>& options, bool are_named) {
  std::vector<Entry> entries;
  for (const Option& option : options) {
    if (is_named(option) == are_named) {
      entries.push_back({name_of(option), option.help});
    }
  }
  return entries;
}

std::string heading_of(VerbGroup group) {
  std::string word = to_word(group);
  word[0] = static_cast<char>(word[0] - 'a' + 'A');
  return word;
}

}  // namespace

std::string program_help(const std::vector<Verb>& verbs, std::size_t width) {
  width = std::min(width, kMostColumns);
  std::string text =
      wrapped(
          "scalestudy answers questions about data-parallel training by measuring. You declare "
          "what varies, it runs the trials and writes a report in which every figure follows from "
          "stored samples.\n\nUsage: scalestudy [options] verb ...",
          width) +
      "\n";
  std::size_t longest = 0;
  for (const Verb& verb : verbs) {
    longest = std::max(longest, verb.name.size());
  }
  for (const std::string& word : words_of<VerbGroup>()) {
    const VerbGroup group = *from_word<VerbGroup>(word);
    std::vector<Entry> entries;
    for (const Verb& verb : verbs) {
      if (verb.group == group) {
        entries.push_back(
            {verb.name + std::string(longest - verb.name.size(), ' '), verb.description});
      }
    }
    text += "\n" + heading_of(group) + ":\n" + entries_text(entries, width);
  }
  Globals globals;
  const std::vector<Option> options = global_options(globals);
  std::vector<Entry> entries = entries_of(options, true);
  entries.push_back({"-h, --help", "Print this help; of a verb: scalestudy run --help"});
  entries.push_back({"--version", "Print the version"});
  std::vector<std::string> codes;
  for (const ExitMeaning& each : exit_meanings()) {
    codes.push_back(fmt::format("{} {}", static_cast<int>(each.code), each.brief));
  }
  return text + "\nOptions:\n" + entries_text(entries, width) + environment_text(options, width) +
         "\n" + wrapped("Exit codes: " + join(codes, "; ") + ".", width) + "\n";
}

std::string verb_help(const Verb& verb, std::size_t width) {
  width = std::min(width, kMostColumns);
  std::string usage = "Usage: scalestudy " + verb.name + " [options]";
  for (const Option& option : verb.options) {
    const bool has_many = std::holds_alternative<std::vector<std::string>*>(option.target);
    usage += is_named(option) ? "" : " " + option.name + (has_many ? " ..." : "");
  }
  std::string text = wrapped(verb.description + ".\n\n" + usage, width, 6) + "\n";
  if (const std::vector<Entry> arguments = entries_of(verb.options, false); !arguments.empty()) {
    text += "\nArguments:\n" + entries_text(arguments, width);
  }
  if (const std::vector<Entry> options = entries_of(verb.options, true); !options.empty()) {
    text += "\nOptions:\n" + entries_text(options, width);
  }
  return text + environment_text(verb.options, width) + "\n" + footer_text(verb.footer, width) +
         "\n" + wrapped("Options of every verb, such as --results: scalestudy --help", width) +
         "\n";
}

}  // namespace scalestudy
