// Kinds of errors and their exit codes.
#include "harness/base/error.h"

#include "tests/support/catch.h"

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
