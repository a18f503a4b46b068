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

// Prints the names of the studies in the store, nothing when there is none.
constexpr const char* kStudyNamesCommand =
    "scalestudy query 'SELECT name FROM study' --format csv 2>/dev/null | tail -n +2";

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

std::vector<std::string> global_flags() {
  Globals globals;
  return flags_of(global_options(globals), {"--version"});
}

// Those that begin with a study, with a space between.
std::string study_verbs() {
  std::vector<std::string> names;
  for (const Verb& verb : all_verbs()) {
    const std::string first = verb.options.empty() ? "" : verb.options.front().name;
    if (first == "study" || first == "[study]") {
      names.push_back(verb.name);
    }
  }
  return join(names, " ");
}

std::string bash_script() {
  std::vector<std::string> names;
  std::string cases;
  for (const Verb& verb : all_verbs()) {
    names.push_back(verb.name);
    cases += fmt::format("    {}) flags='{}' ;;\n", verb.name, join(flags_of(verb.options), " "));
  }
  return fmt::format(
      R"bash(# bash completion of scalestudy; load with: source <(scalestudy completion bash)
_scalestudy() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} verbs='{verbs}' global='{global}' verb='' flags='' item
  for item in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    [[ " $verbs " == *" $item "* ]] && verb=$item && break
  done
  case $verb in
{cases}  esac
  COMPREPLY=()
  if [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$flags $global" -- "$word")
  elif [[ -z $verb ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$verbs" -- "$word")
  elif [[ " {study_verbs} " == *" $verb "* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$({names})" -- "$word"; compgen -f -- "$word")
  elif [[ $verb == completion ]]; then
    mapfile -t COMPREPLY < <(compgen -W 'bash zsh fish' -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}}
complete -o filenames -F _scalestudy scalestudy
)bash",
      fmt::arg("verbs", join(names, " ")),
      fmt::arg("global", join(global_flags(), " ")),
      fmt::arg("cases", cases),
      fmt::arg("study_verbs", study_verbs()),
      fmt::arg("names", kStudyNamesCommand));
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

std::string fish_script() {
  std::string text = "# fish completion of scalestudy\n";
  for (const std::string& flag : global_flags()) {
    text += fmt::format("complete -c scalestudy -l {}\n", flag.substr(2));
  }
  for (const Verb& verb : all_verbs()) {
    text += fmt::format("complete -c scalestudy -n __fish_use_subcommand -f -a {} -d {}\n",
                        verb.name,
                        fish_quoted(verb.description));
    for (const std::string& flag : flags_of(verb.options)) {
      text += fmt::format("complete -c scalestudy -n '__fish_seen_subcommand_from {}' -l {}\n",
                          verb.name,
                          flag.substr(2));
    }
  }
  text += fmt::format("complete -c scalestudy -n '__fish_seen_subcommand_from {}' -a \"({})\"\n",
                      study_verbs(),
                      kStudyNamesCommand);
  text +=
      "complete -c scalestudy -n '__fish_seen_subcommand_from completion' -f -a 'bash zsh fish'\n";
  return text;
}

// Files are completed where no flag or verb fits; verbs that take a study complete the names of
// studies in the store, too.
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
