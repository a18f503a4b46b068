#include "harness/cli/verb_call.h"

#include <algorithm>
#include <cstdlib>

namespace scalestudy {

std::string blame_variables(std::string problem,
                            const Verb* verb,
                            const std::vector<std::string>& words) {
  Globals globals;
  std::vector<Option> options = global_options(globals);
  if (verb != nullptr) {
    options.insert(options.end(), verb->options.begin(), verb->options.end());
  }
  for (const Option& option : options) {
    const std::string& name = option.name;
    const std::string variable = "SCALESTUDY_" + option.variable;
    const char* set = std::getenv(variable.c_str());  // NOLINT(concurrency-mt-unsafe): one thread
    const std::string value = set == nullptr || option.variable.empty() ? "" : set;
    const bool is_given =
        std::any_of(words.begin(), std::ranges::find(words, "--"), [&](const std::string& word) {
          return word.substr(0, word.find('=')) == name;
        });
    if (value.empty() || is_given) {
      continue;
    }
    const std::string told = name + " " + value + ":";
    for (std::size_t at = problem.find(told); at < problem.size(); at = problem.find(told, at)) {
      problem.replace(at, name.size() + 1, variable + "=");
    }
    if (problem.substr(0, problem.find_first_of(": =")) == name) {
      problem.replace(0, name.size(), variable);
    }
  }
  return problem;
}

}  // namespace scalestudy
