// Kinds of errors and their exit codes.
#include "harness/base/error.h"

#include <string>

#include "tests/support/catch.h"

using scalestudy::Error;
using scalestudy::ErrorKind;
using scalestudy::exit_code;
using scalestudy::ExitCode;

TEST_CASE("what the user can mend exits 2, a lock 75, a defect 1", "[base]") {
  CHECK(exit_code(ErrorKind::kUsage) == ExitCode::kUsage);
  CHECK(exit_code(ErrorKind::kStore) == ExitCode::kUsage);
  CHECK(exit_code(ErrorKind::kMachine) == ExitCode::kUsage);
  CHECK(exit_code(ErrorKind::kLocked) == ExitCode::kLocked);
  CHECK(exit_code(ErrorKind::kInternal) == ExitCode::kInternalError);
}

TEST_CASE("a message does not end at a NUL of what it quotes", "[base]") {
  const std::string message("\"5\0\" is not a number", 20);
  CHECK(std::string(Error(ErrorKind::kUsage, message).what()) == "\"5?\" is not a number");
}
