#include "harness/cli/verb_call.h"

#include <fmt/format.h>

#include "harness/cli/verb.h"
#include "harness/text/shell_word.h"

namespace scalestudy {

std::string call_of(const std::string& results, const std::string& verb, const std::string& study) {
  const std::string folder =
      results == Globals().results ? "" : " --results " + shell_word(results);
  return fmt::format("scalestudy{} {} {}", folder, verb, shell_word(study));
}

}  // namespace scalestudy
