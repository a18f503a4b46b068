#include "harness/cli/consent.h"

#include <iostream>

#include <unistd.h>

#include "harness/base/error.h"

namespace scalestudy {

void require_consent(const std::string& question, bool is_given, const Terminal& terminal) {
  if (is_given) {
    return;
  }
  if (isatty(STDIN_FILENO) != 1) {
    throw Error(
        ErrorKind::kUsage,
        question + " There is no terminal to ask on; pass --yes to confirm. Nothing was done");
  }
  tell(terminal.masked(question) + " [y/N] ");
  std::string answer;
  std::getline(std::cin, answer);
  if (answer != "y" && answer != "yes") {
    throw Error(ErrorKind::kUsage, "not confirmed; nothing was done");
  }
}

}  // namespace scalestudy
