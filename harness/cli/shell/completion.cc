// `completion`: scripts for bash, zsh and fish, made from the declared options, so that they cannot
// differ from them.
#include <utility>

#include <fmt/format.h>

#include "harness/cli/verb.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

struct CompletionOptions {
  std::string shell;  // bash | zsh | fish
};

// What may follow an option, or stand in place of a verb's arguments.
struct Values {
  bool any = false;                // whether the next word is its value, or an argument
  std::vector<std::string> words;  // these, and what the flags say
  bool files = false;
  bool folders = false;
  bool studies = false;
  bool trials = false;
  bool cells = false;
  bool views = false;
};

constexpr const char* kStudies = "SELECT name FROM study";
constexpr const char* kTrials = "SELECT id FROM trial";
constexpr const char* kCells = "SELECT DISTINCT hash FROM cell";
constexpr const char* kViews = "SELECT name FROM sqlite_schema WHERE rootpage = 0";  // no quotes

Values values_of(const Option& option) {
  Values values;
  values.any = !std::holds_alternative<bool*>(option.target) && !option.value.starts_with("[=");
  values.words = std::holds_alternative<Format*>(option.target)      ? words_of<Format>()
                 : std::holds_alternative<ColorMode*>(option.target) ? words_of<ColorMode>()
                 : option.allowed.empty()                            ? option.suggested
                                                                     : option.allowed;
  const bool is_study = option.name == "study" || option.name == "[study]";
  const std::string kinds = is_study ? "STUDY" : option.name == "trial" ? "TRIAL" : option.value;
  const auto has = [&](const std::string& kind) {
    return ("|" + kinds + "|").find("|" + kind + "|") != std::string::npos;
  };
  values.files = has("FILE");
  values.folders = has("DIR");
  values.studies = has("STUDY");
  values.trials = has("TRIAL");
  values.cells = has("CELL");
  values.views = has("VIEW");
  return values;
}

// Of all arguments of a verb together; files for one that says nothing else.
Values arguments_of(const Verb& verb) {
  Values all;
  for (const Option& option : verb.options) {
    if (!option.name.starts_with("-")) {
      const Values values = values_of(option);
      all.any = true;
      all.words.insert(all.words.end(), values.words.begin(), values.words.end());
      all.studies |= values.studies;
      all.trials |= values.trials;
      all.cells |= values.cells;
      all.views |= values.views;
      all.files |= values.files;
    }
  }
  all.files |= all.any && all.words.empty() && !all.trials && !all.views;
  return all;
}

// Its long flags; "--help" and `more` first.
std::vector<std::string> flags_of(const std::vector<Option>& options,
                                  std::vector<std::string> more = {}) {
  std::vector<std::string> flags = std::move(more);
  flags.insert(flags.begin(), "--help");
  for (const Option& option : options) {
    if (option.name.starts_with("--")) {
      flags.push_back(option.name);
    }
  }
  return flags;
}

// The assignment of bash that says which values fit: "words='table json' kinds=' files '".
std::string bash_values(const Values& values) {
  std::string kinds;
  for (const auto& [kind, is_meant] : {std::pair("files", values.files),
                                       {"folders", values.folders},
                                       {"studies", values.studies},
                                       {"trials", values.trials},
                                       {"cells", values.cells},
                                       {"views", values.views}}) {
    kinds += is_meant ? std::string(" ") + kind : "";
  }
  return fmt::format("words='{}' kinds='{} '", join(values.words, " "), kinds);
}

// The cases of bash for options that take a value; `verb` is "*" for those of every verb.
std::string bash_option_cases(const std::string& verb, const std::vector<Option>& options) {
  std::string cases;
  for (const Option& option : options) {
    if (const Values values = values_of(option); option.name.starts_with("--") && values.any) {
      cases += fmt::format("    {}' {}') {} ;;\n", verb, option.name, bash_values(values));
    }
  }
  return cases;
}

std::string bash_script() {
  Globals globals;
  const std::vector<Option> global = global_options(globals);
  std::vector<std::string> names;
  std::string verb_cases;
  std::string option_cases = bash_option_cases("*", global);
  for (const Verb& verb : all_verbs()) {
    names.push_back(verb.name);
    verb_cases += fmt::format("    {}) flags='{}' {} ;;\n",
                              verb.name,
                              join(flags_of(verb.options), " "),
                              bash_values(arguments_of(verb)));
    option_cases += bash_option_cases(verb.name, verb.options);
  }
  // bash would run a $(command) in a word: of a store only names are offered.
  // Words are separated by line ends and COMPREPLY is filled without mapfile, which zsh lacks.
  return fmt::format(
      R"bash(# bash completion of scalestudy; load with: source <(scalestudy completion bash)
_scalestudy_ask() {{
  scalestudy ${{results:+--results="$results"}} query "$1" --format csv 2>/dev/null | tail -n +2 |
    grep -xE '[A-Za-z0-9._-]+'
}}
_scalestudy() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}
  local verbs='{verbs}' global='{global}' verb='' flags='' words='' kinds='' results='' i
  [[ $before == = ]] && before=${{COMP_WORDS[COMP_CWORD-2]}}
  [[ $word == = ]] && word=''
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [[ ${{COMP_WORDS[i]}} == --results ]]; then
      [[ ${{COMP_WORDS[i+1]}} == = ]] && i=$((i + 1))
      i=$((i + 1)) results=${{COMP_WORDS[i]}}
    elif [[ ${{COMP_WORDS[i]}} == --results=* ]]; then
      results=${{COMP_WORDS[i]#--results=}}
    elif [[ -z $verb && " $verbs " == *" ${{COMP_WORDS[i]}} "* ]]; then
      verb=${{COMP_WORDS[i]}}
    fi
  done
  results=${{results//[\\\"\']/}} results=${{results/#\~/$HOME}}  # words are as they were typed
  case $verb in
    '') words=$verbs ;;
{verb_cases}  esac
  [[ $word == -* ]] && words="$flags $global" kinds=''
  case "$verb $before" in
{option_cases}  esac
  local IFS=$'\n'
  words=${{words// /$'\n'}}
  [[ $kinds == *' studies '* ]] && words+=$'\n'$(_scalestudy_ask '{studies}')
  [[ $kinds == *' trials '* ]] && words+=$'\n'$(_scalestudy_ask '{trials}')
  [[ $kinds == *' cells '* ]] && words+=$'\n'$(_scalestudy_ask '{cells}')
  [[ $kinds == *' views '* ]] && words+=$'\n'$(_scalestudy_ask '{views}')
  COMPREPLY=($(compgen -W "$words" -- "$word"))
  [[ $kinds == *' folders '* ]] && COMPREPLY+=($(compgen -d -- "$word"))
  [[ $kinds == *' files '* ]] && COMPREPLY+=($(compgen -f -- "$word"))
  return 0
}}
complete -o filenames -F _scalestudy scalestudy
)bash",
      fmt::arg("verbs", join(names, " ")),
      fmt::arg("global", join(flags_of(global, {"--version"}), " ")),
      fmt::arg("verb_cases", verb_cases),
      fmt::arg("option_cases", option_cases),
      fmt::arg("studies", kStudies),
      fmt::arg("trials", kTrials),
      fmt::arg("cells", kCells),
      fmt::arg("views", kViews));
}

std::string zsh_script() {
  return "#compdef scalestudy\n# zsh completion of scalestudy, through bash's\n"
         "autoload -U +X bashcompinit && bashcompinit\n" +
         bash_script();
}

// Text inside single quotes of fish.
std::string fish_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    quoted += c == '\'' ? std::string("\\'") : std::string(1, c);
  }
  return quoted + "'";
}

// The arguments of fish's complete that offer these values.
std::string fish_values(const Values& values) {
  std::vector<std::string> offers = values.words;
  for (const auto& [sql, is_meant] : {std::pair(kStudies, values.studies),
                                      {kTrials, values.trials},
                                      {kCells, values.cells},
                                      {kViews, values.views}}) {
    if (is_meant) {
      offers.push_back(fmt::format("(__scalestudy_ask \"{}\")", sql));
    }
  }
  if (values.folders && !values.files) {
    offers.emplace_back("(__fish_complete_directories)");
  }
  return (values.files ? " -F" : " -f") +
         (offers.empty() ? "" : " -a " + fish_quoted(join(offers, " ")));
}

std::string fish_options(const std::string& condition, const std::vector<Option>& options) {
  std::string text;
  for (const Option& option : options) {
    if (option.name.starts_with("--")) {
      const Values values = values_of(option);
      text += fmt::format("complete -c scalestudy{} -l {}{}\n",
                          condition,
                          option.name.substr(2),
                          values.any ? " -r" + fish_values(values) : "");
    }
  }
  return text;
}

std::string fish_script() {
  Globals globals;
  std::string text = R"fish(# fish completion of scalestudy
function __scalestudy_ask
  set -l words (commandline -opc)
  set -l results
  for i in (seq (count $words))
    if test "$words[$i]" = --results
      set results --results $words[(math $i + 1)]
    else if string match -q -- '--results=*' $words[$i]
      set results $words[$i]
    end
  end
  scalestudy $results query $argv[1] --format csv 2>/dev/null | tail -n +2
end
complete -c scalestudy -l help
complete -c scalestudy -l version
)fish" + fish_options("", global_options(globals));
  for (const Verb& verb : all_verbs()) {
    const std::string condition = " -n '__fish_seen_subcommand_from " + verb.name + "'";
    text += fmt::format("complete -c scalestudy -n __fish_use_subcommand -f -a {} -d {}\n",
                        verb.name,
                        fish_quoted(verb.description));
    text += "complete -c scalestudy" + condition + fish_values(arguments_of(verb)) + "\n" +
            fish_options(condition, verb.options);
  }
  return text;
}

// What is in the store is read from the folder that the command line names by --results.
ExitCode print_script(const CompletionOptions& options,
                      const std::string& /*results*/,
                      Terminal& terminal) {
  terminal.out(options.shell == "zsh"    ? zsh_script()
               : options.shell == "fish" ? fish_script()
                                         : bash_script());
  return ExitCode::kDone;
}

}  // namespace

Verb completion_verb() {
  const auto options = std::make_shared<CompletionOptions>();
  return {"completion",
          VerbGroup::kShell,
          "Print a completion script for bash, zsh or fish",
          {{"shell", &options->shell, "bash, zsh or fish", "", "", {"bash", "zsh", "fish"}}},
          "Examples:\n  source <(scalestudy completion bash)\n"
          "  scalestudy completion fish > ~/.config/fish/completions/scalestudy.fish",
          with_options(options, print_script)};
}

}  // namespace scalestudy
