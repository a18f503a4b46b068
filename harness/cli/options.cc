// The command line, parsed by CLI11 as the verbs declare it.
#include "harness/cli/options.h"

#include <algorithm>
#include <cstdlib>
#include <functional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "harness/base/build_info.h"
#include "harness/base/error.h"
#include "harness/cli/help.h"
#include "harness/cli/verb_call.h"
#include "harness/text/quantity.h"
#include "harness/text/shell_word.h"
#include "harness/text/text.h"
#include "harness/yaml/fields.h"

namespace scalestudy {
namespace {

// The callbacks below take texts as they are: CLI11's own conversions, templates for each type, are
// most of the time that this file takes to compile.
CLI::Option* add_text(CLI::App& app,
                      const std::string& name,
                      const std::function<void(const CLI::results_t&)>& set) {
  return app.add_option(name, [set](const CLI::results_t& texts) {
    set(texts);
    return true;
  });
}

CLI::Validator one_of(const std::vector<std::string>& texts) {
  const auto find_problem = [texts](const std::string& text) {
    return std::ranges::find(texts, text) != texts.end()
               ? ""
               : fmt::format("'{}' is not one of {}", text, join(texts, ", "));
  };
  return {find_problem, ""};
}

template <Worded E>
CLI::Option* bind(CLI::App& app, const std::string& name, E* target) {
  const auto set = [target](const CLI::results_t& texts) { *target = *from_word<E>(texts[0]); };
  return add_text(app, name, set)->check(one_of(words_of<E>()));
}

CLI::Option* bind(CLI::App& app, const std::string& name, bool* target) {
  return app.add_flag(name, *target);
}

bool may_lack_value(const Option& option) {
  return option.value.starts_with("[=");
}

CLI::Option* bind(CLI::App& app, const std::string& name, std::string* target) {
  return add_text(app, name, [target](const CLI::results_t& texts) { *target = texts[0]; });
}

// Of trials, blocks, ...: no study has more.
std::string is_count(const std::string& text) {
  constexpr std::int64_t most = 1'000'000'000;
  const auto value = parse_whole<std::int64_t>(text);
  return value && *value >= 1 && *value <= most
             ? ""
             : fmt::format("'{}' is not a whole number from 1 to {}", text, most);
}

CLI::Option* bind(CLI::App& app, const std::string& name, std::optional<std::int64_t>* target) {
  const auto set = [target](const CLI::results_t& texts) { *target = std::stoll(texts[0]); };
  return add_text(app, name, set)->check(is_count);
}

CLI::Option* bind(CLI::App& app, const std::string& name, std::vector<std::string>* target) {
  CLI::Option* option = add_text(app, name, [target](const CLI::results_t& texts) {
                          *target = texts;
                        })->expected(CLI::detail::expected_max_vector_size);
  return name.starts_with('-') ? option->allow_extra_args(false) : option;
}

// Arguments such as names must not be empty: a message that quotes one would show nothing.
void require_text(CLI::Option& argument, const std::string& name) {
  argument.check([name](const std::string& text) {
    if (text.empty()) {
      throw CLI::ParseError("argument " + name + " is empty", CLI::ExitCodes::ValidationError);
    }
    return std::string();
  });
}

// - reads_variables: whether an option may be set by its variable
void add_options(CLI::App& app, const std::vector<Option>& options, bool reads_variables) {
  for (const Option& declared : options) {
    const bool is_named = declared.name.starts_with('-');
    const bool is_required = !is_named && !declared.name.starts_with('[');
    const std::string name = !declared.letter.empty() ? declared.letter + "," + declared.name
                             : is_named || is_required
                                 ? declared.name
                                 : declared.name.substr(1, declared.name.size() - 2);
    CLI::Option* option =
        may_lack_value(declared)
            ? app.add_flag(name, *std::get<std::string*>(declared.target))
            : std::visit([&](auto* target) { return bind(app, name, target); }, declared.target);
    option->required(is_required);
    if (!is_named && name != "command") {  // whose own arguments may be empty
      require_text(*option, name);
    }
    if (!declared.allowed.empty()) {
      option->check(one_of(declared.allowed));
    }
    if (reads_variables && !declared.variable.empty()) {
      option->envname("SCALESTUDY_" + declared.variable);
    }
  }
}

bool is_named_by(const Option& option, const std::string& word) {
  return word == option.name || word == option.letter;
}

// The command line with "-L level 1,6,9" as "-L level=1,6,9": CLI11 cannot take a value that may be
// one word or two. What ends the options, or looks like one, is no value.
std::vector<std::string> join_pairs(std::vector<std::string> words,
                                    const std::vector<Verb>& verbs) {
  const auto is_option = [&](const std::string& word) {
    return word.starts_with('-') && std::ranges::any_of(verbs, [&](const Verb& verb) {
             return std::ranges::any_of(
                 verb.options, [&](const Option& option) { return is_named_by(option, word); });
           });
  };
  for (const Verb& verb : verbs) {
    for (const Option& option : verb.options) {
      for (std::size_t i = 0; option.is_pair && i + 2 < words.size() && words[i] != "--"; ++i) {
        const std::string& value = words[i + 2];
        const bool has_value = !value.starts_with("--") && !is_option(value);
        if (is_named_by(option, words[i]) && words[i + 1].find('=') == std::string::npos &&
            has_value) {
          words[i + 1] += "=" + value;
          words.erase(words.begin() + static_cast<std::ptrdiff_t>(i) + 2);
        }
      }
    }
  }
  return words;
}

// "--results=~/runs" with the home folder for the ~, which a shell replaces only where a word
// begins.
void expand_home(std::vector<std::string>& words) {
  const char* home = std::getenv("HOME");  // NOLINT(concurrency-mt-unsafe): one thread
  const auto end = std::ranges::find(words, "--");
  for (auto word = words.begin(); word != end && home != nullptr; ++word) {
    const std::size_t equals = word->find('=');
    if (word->starts_with("--") && equals != std::string::npos &&
        word->compare(equals + 1, 2, "~/") == 0) {
      word->replace(equals + 1, 1, home);
    }
  }
}

// Whether this word is given, before "--" if that is there.
bool has_word(const std::vector<std::string>& words, const std::string& word) {
  const auto end = std::ranges::find(words, "--");
  return std::find(words.begin(), end, word) != end;
}

// The verb that the words call: the first word that names one and is not the value of a global
// option. nullptr if there is none.
const Verb* called_verb(const std::vector<std::string>& words, const std::vector<Verb>& verbs) {
  Globals globals;
  const std::vector<Option> options = global_options(globals);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto verb = std::ranges::find(verbs, words[i], &Verb::name);
    if (verb != verbs.end()) {
      return &*verb;
    }
    const auto option = std::ranges::find(options, words[i], &Option::name);
    const bool has_value =
        option != options.end() && !std::holds_alternative<bool*>(option->target);
    i += has_value ? 1 : 0;
  }
  return nullptr;
}

// CLI11 takes "--settle=" as if it were not there.
void require_values(const std::vector<std::string>& words, const Verb& verb) {
  for (const Option& option : verb.options) {
    if (may_lack_value(option) && has_word(words, option.name + "=")) {
      throw Error(
          ErrorKind::kUsage,
          fmt::format(
              "{}: its value is missing\nread `scalestudy {} --help`", option.name, verb.name));
    }
  }
}

std::string version_text() {
  const BuildInfo info = build_info();
  return fmt::format("scalestudy {} ({}; {}; preset {})\n",
                     info.version,
                     info.revision,
                     info.compiler,
                     info.preset);
}

// The verb that the command line has, or nothing.
const Verb* chosen_verb(const CLI::App& app, const std::vector<Verb>& verbs) {
  const std::vector<CLI::App*> parsed = app.get_subcommands();
  const auto found = parsed.empty()
                         ? verbs.end()
                         : std::ranges::find(verbs, parsed.front()->get_name(), &Verb::name);
  return found == verbs.end() ? nullptr : &*found;
}

// Whether the command line has no word, known or not, but options of every verb.
bool is_empty(const CLI::App& app) {
  return app.get_subcommands().empty() && app.remaining(/*recurse=*/true).empty();
}

constexpr const char* kNoVerb = "a verb is required";

// What the library found wrong, in our words where it counts arguments, lists them last first, or
// leaves out what a flag may be.
std::string problem_text(const CLI::ParseError& error, const CLI::App& app) {
  const std::string text = error.what();
  const std::size_t count = text.find(": ");
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    std::vector<std::string> words = app.remaining(/*recurse=*/true);
    std::ranges::transform(words, words.begin(), &shell_word);
    return (words.size() == 1 ? "this argument is not expected: "
                              : "these arguments are not expected: ") +
           join(words, " ");
  }
  const std::size_t equals = text.find(" = ");
  if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr && equals < text.size()) {
    return fmt::format("{}: '{}' is neither true nor false",
                       text.substr(count + 2, equals - count - 2),
                       text.substr(equals + 3));
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr && count < text.size()) {
    return text.substr(0, count) +
           (text.find("At Most") < text.size() ? ": give it once" : ": its value is missing");
  }
  return text == CLI::RequiredError::Subcommand(1).what() ? kNoVerb : text;
}

// What the verb runs, with errors that blame the variables.
auto blaming_variables(const Verb& verb, const std::vector<std::string>& words) {
  return [verb, words](const std::string& results, Terminal& terminal) {
    try {
      return verb.run(results, terminal);
    } catch (const Error& error) {
      throw Error(error.kind(), blame_variables(error.what(), &verb, words));
    }
  };
}

// What is wrong with the command line, what may be meant by a word nobody knows, and where to read.
std::string usage_message(const CLI::App& app,
                          const std::vector<Verb>& verbs,
                          const std::string& problem) {
  const Verb* verb = chosen_verb(app, verbs);
  std::vector<std::string> names;
  std::vector<std::string> flags{"--help", "--version"};
  Globals globals;
  for (const auto& options :
       {global_options(globals), verb != nullptr ? verb->options : std::vector<Option>()}) {
    std::ranges::transform(options, std::back_inserter(flags), &Option::name);
  }
  std::ranges::transform(verbs, std::back_inserter(names), &Verb::name);
  std::string text = problem;
  for (const std::string& word : app.remaining(/*recurse=*/true)) {
    if (word.starts_with('-')) {
      const std::string flag = word.substr(0, word.find('='));
      text += fmt::format("\nno option is named {}{}", flag, suggestion(flag, flags));
    } else if (verb == nullptr) {
      const std::string unknown =
          fmt::format("no verb is named {}{}", word, suggestion(word, names));
      text = problem == kNoVerb ? unknown + text.substr(problem.size()) : text + "\n" + unknown;
      break;  // what follows it are its arguments
    }
  }
  return text +
         fmt::format("\nread `scalestudy{} --help`", verb != nullptr ? " " + verb->name : "");
}

}  // namespace

std::vector<Option> global_options(Globals& globals) {
  return {
      {"--results", &globals.results, "Folder for the store, logs and reports", "RESULTS", "DIR"},
      {"--color",
       &globals.color,
       "Coloured output; NO_COLOR is respected",
       "COLOR",
       "auto|always|never"},
      {"--quiet",
       &globals.quiet,
       "Print only results and errors: no progress, no notes, no warnings",
       "QUIET"}};
}

Option format_option(Format& format) {
  return {"--format", &format, "Format of the output", "FORMAT", "table|json|csv|markdown"};
}

Option override_option(std::vector<std::string>& overrides) {
  return {"--set",
          &overrides,
          "Replace a value of the study file, e.g. trials.count=3 or axes.devices=[1]; may be "
          "repeated",
          "SET",
          "KEY=VALUE"};
}

Option machine_option(std::string& machine) {
  return {"--machine",
          &machine,
          "Use a machine from ~/.config/scalestudy/machines.yaml, or from a file. It says how "
          "ranks start on several nodes and what jobs request (docs/how-to/clusters.md)",
          "MACHINE",
          "NAME|FILE"};
}

Invocation parse_options(int argc, const char* const* argv) {
  CLI::App app;
  app.require_subcommand(1);
  app.fallthrough();
  app.set_version_flag("--version", version_text());
  Invocation invocation;
  const std::vector<Verb> verbs = all_verbs();
  const std::vector<std::string> given{argv + std::min(argc, 1), argv + argc};
  std::vector<std::string> words = join_pairs(given, verbs);
  const Verb* called = called_verb(words, verbs);
  // CLI11 checks variables even of verbs that are not called, and before it prints help.
  const bool reads_variables = !has_word(words, "--help") && !has_word(words, "-h");
  add_options(app, global_options(invocation.globals), reads_variables);
  for (const Verb& verb : verbs) {
    add_options(*app.add_subcommand(verb.name), verb.options, reads_variables && &verb == called);
  }
  try {
    expand_home(words);
    if (called != nullptr) {
      require_values(words, *called);
    }
    std::ranges::reverse(words);  // as CLI11 takes them
    app.parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    const Verb* verb = chosen_verb(app, verbs);
    const std::size_t width = Terminal::columns();
    invocation.message = verb == nullptr ? program_help(verbs, width) : verb_help(*verb, width);
    return invocation;
  } catch (const CLI::CallForVersion&) {
    invocation.message = version_text();
    return invocation;
  } catch (const CLI::ParseError& error) {
    if (is_empty(app)) {
      return {.globals = {},
              .verb = {},
              .message = program_help(verbs, Terminal::columns()),
              .exit_code = ExitCode::kUsage};
    }
    const std::string problem =
        blame_variables(problem_text(error, app), chosen_verb(app, verbs), given);
    throw Error(ErrorKind::kUsage, usage_message(app, verbs, problem));
  }
  if (invocation.globals.results.empty()) {
    throw Error(ErrorKind::kUsage, "--results: the name of the folder is empty");
  }
  invocation.verb = *chosen_verb(app, verbs);
  invocation.verb->run = blaming_variables(*invocation.verb, given);
  return invocation;
}

}  // namespace scalestudy
