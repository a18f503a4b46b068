// Completion for bash, zsh and fish.
#include "harness/cli/completion.h"

#include <fmt/format.h>

#include "harness/base/text.h"

namespace scalestudy {
namespace {

// Prints the names of the studies in the store, nothing when there is none.
constexpr const char* kStudyNamesCommand =
    "scalestudy query 'SELECT name FROM study' --format csv 2>/dev/null | tail -n +2";

std::string bash_script(const CommandTree& tree) {
  std::vector<std::string> names;
  std::string cases;
  for (const CommandTree::Verb& verb : tree.verbs) {
    names.push_back(verb.name);
    cases += fmt::format("    {}) flags='{}' ;;\n", verb.name, join(verb.flags, " "));
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
  elif [[ $verb == report || $verb == status ]]; then
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
      fmt::arg("global", join(tree.global_flags, " ")),
      fmt::arg("cases", cases),
      fmt::arg("names", kStudyNamesCommand));
}

std::string zsh_script(const CommandTree& tree) {
  return "#compdef scalestudy\n# zsh completion of scalestudy, through bash's\n"
         "autoload -U +X bashcompinit && bashcompinit\n" +
         bash_script(tree);
}

// Text inside single quotes of fish.
std::string fish_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    quoted += c == '\'' ? std::string("\\'") : std::string(1, c);
  }
  return quoted + "'";
}

std::string fish_script(const CommandTree& tree) {
  std::string text = "# fish completion of scalestudy\n";
  for (const std::string& flag : tree.global_flags) {
    text += fmt::format("complete -c scalestudy -l {}\n", flag.substr(2));
  }
  for (const CommandTree::Verb& verb : tree.verbs) {
    text += fmt::format("complete -c scalestudy -n __fish_use_subcommand -f -a {} -d {}\n",
                        verb.name,
                        fish_quoted(verb.description));
    for (const std::string& flag : verb.flags) {
      text += fmt::format("complete -c scalestudy -n '__fish_seen_subcommand_from {}' -l {}\n",
                          verb.name,
                          flag.substr(2));
    }
  }
  text += fmt::format(
      "complete -c scalestudy -n '__fish_seen_subcommand_from report status' -a \"({})\"\n",
      kStudyNamesCommand);
  text +=
      "complete -c scalestudy -n '__fish_seen_subcommand_from completion' -f -a 'bash zsh fish'\n";
  return text;
}

}  // namespace

std::string completion_script(const std::string& shell, const CommandTree& tree) {
  if (shell == "zsh") {
    return zsh_script(tree);
  }
  return shell == "fish" ? fish_script(tree) : bash_script(tree);
}

}  // namespace scalestudy
