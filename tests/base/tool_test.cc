// What a program of the machine may do to whoever asks it.
#include "harness/base/tool.h"

#include <thread>

#include "harness/base/clock.h"
#include "harness/base/error.h"
#include "harness/base/stop.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using Catch::Contains;

namespace {

ToolResult run_shell(const std::string& script, const ToolLimits& limits = {}) {
  return run_tool({"sh", "-c", script}, "", limits);
}

}  // namespace

TEST_CASE("a tool gets its whole input and gives its whole output", "[base]") {
  const std::string input(3'000'000, 'x');  // more than a pipe holds

  const ToolResult result = run_tool({"cat"}, input);

  CHECK(result.is_ok());
  CHECK((result.output == input));
}

TEST_CASE("a tool that reads nothing ends with its own code", "[base]") {
  const ToolResult result =
      run_tool({"sh", "-c", "echo oops >&2; exit 3"}, std::string(1'000'000, 'x'));

  CHECK(result.exit_code == 3);
  CHECK(result.errors == "oops\n");
  CHECK_FALSE(run_tool({"no-such-program-here"}).found);
  CHECK(run_shell("kill -TERM $$").exit_code == 128 + 15);
}

TEST_CASE("a tool that gives no answer is ended with all it started", "[base]") {
  const SystemClock clock;
  const double started_s = clock.monotonic_s();

  const ToolResult result =
      run_shell("(trap '' TERM; sleep 60) & echo $!; sleep 60", {.timeout_s = 1.5});

  CHECK(result.exit_code == 128 + 9);
  CHECK_THAT(result.errors, Contains("sh was ended: it gave no answer within 1.5 s"));
  CHECK(clock.monotonic_s() - started_s < 50.0);
  // It was killed; on a busy machine it dies later.
  const std::string left = "/proc/" + std::to_string(std::stoi(result.output));
  CHECK(run_shell("while grep -qs 'State:.[^Z]' " + left + "/status; do sleep 0.1; done",
                  {.timeout_s = 30.0})
            .is_ok());
}

TEST_CASE("a tool that prints without end is ended", "[base]") {
  for (const char* script : {"yes", "yes >&2"}) {
    const ToolResult result = run_shell(script, {.most_bytes = std::size_t{1} << 20U});

    CHECK_FALSE(result.is_ok());
    CHECK_THAT(result.errors, Catch::EndsWith("sh was ended: it printed more than 1 MiB"));
  }
}

TEST_CASE("what a tool leaves running holds nobody up", "[base]") {
  const SystemClock clock;
  const double started_s = clock.monotonic_s();

  const ToolResult result = run_shell("(setsid sleep 60 &); echo done");

  CHECK(result.output == "done\n");
  CHECK(clock.monotonic_s() - started_s < 50.0);
}

TEST_CASE("a stop ends a tool", "[base]") {
  std::thread other([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    stop_requested = true;
  });

  CHECK_THROWS_WITH(run_shell("trap '' TERM; sleep 60"), "stopped while sh ran");
  other.join();
  stop_requested = false;
}
