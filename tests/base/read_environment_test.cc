// With what environment a process was started.
#include "harness/base/read_environment.h"

#include <csignal>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/catch.h"
#include "tests/support/program.h"

using scalestudy::read_environment;

TEST_CASE("a process that begins one program after another has its environment all the time",
          "[base]") {
  const scalestudy::test::TemporaryFolder folder;
  const std::string script = folder.file("script");
  scalestudy::test::write_file(script, "exec sh " + script + "\n");
  const pid_t process = scalestudy::test::start_program(
      {"sh", script}, {"MARK=here"}, "/dev/null", "/dev/null", "/dev/null");

  const auto is_marked = [process] {
    return read_environment(process).find("MARK=here") != std::string::npos;
  };
  for (int look = 0; look < 10'000 && !is_marked(); ++look) {  // until it is no copy of this one
    usleep(1000);
  }

  int seen = 0;
  for (int look = 0; look < 5000; ++look) {
    seen += is_marked() ? 1 : 0;
    usleep(20);
  }
  kill(process, SIGKILL);
  CHECK(seen == 5000);

  siginfo_t ended{};
  waitid(P_PID, static_cast<id_t>(process), &ended, WEXITED | WNOWAIT);
  CHECK(read_environment(process).empty());  // a zombie has none
  waitpid(process, nullptr, 0);
}
