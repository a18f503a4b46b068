// The tarball and the Python package bring the libraries and data that scalestudy needs.
#include <algorithm>
#include <array>
#include <sstream>

#include "tests/support/catch.h"
#include "tests/support/program.h"
#include "tests/support/skip.h"

using namespace scalestudy;
using Catch::Contains;
namespace fs = std::filesystem;

namespace {

constexpr const char* kStudy = R"(version: 1
study: own
title: Is a longer loop slower?
workload: command
command: [sh, -c, 'for i in 1 2 3 4 5 6 7 8 9; do echo "step $i: $(({size} * 10 + i % 3)) ms"; done']
axes: {size: [1, 2]}
extract: [{metric: step_time_s, unit: ms, regex: 'step (\d+): (\S+) ms', group: 2}]
steps: {warmup: 1, measured: rest}
trials: {count: 2}
analysis: {baseline: {size: 1}}
)";

test::ProgramResult require_ok(const std::vector<std::string>& command) {
  test::ProgramResult result = test::run_program(command);
  INFO(result.out << result.err);
  REQUIRE(result.exit_code == 0);
  return result;
}

// `scalestudy` of an installed folder, without what would lead it to the source tree.
test::ProgramResult scalestudy_of(const fs::path& prefix,
                                  const fs::path& where,
                                  std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(),
                   {"env",
                    "-u",
                    "SCALESTUDY_SHARE",
                    "-C",
                    where,
                    "SCALESTUDY_LOCKS=" + (where / "locks").string(),
                    (prefix / "bin/scalestudy").string()});
  return test::run_program(arguments);
}

// Every library but those that each machine has comes with the installed folder.
void require_own_libraries(const fs::path& prefix) {
  std::istringstream lines(require_ok({"ldd", (prefix / "bin/scalestudy").string()}).out);
  std::size_t own = 0;
  for (std::string line; std::getline(lines, line);) {
    const bool is_everywhere = std::ranges::any_of(
        std::array{"linux-vdso", "ld-linux", "libc.so", "libm.so", "libstdc++.so", "libgcc_s.so"},
        [&](const char* name) { return line.find(name) != std::string::npos; });
    if (!is_everywhere) {
      CHECK_THAT(line, Contains("=> " + (prefix / "bin/../lib/scalestudy/").string()));
      ++own;
    }
  }
  CHECK(own >= 5);  // SQLite, yaml-cpp, fmt, RE2, cmark-gfm
}

// A study runs and is reported with the installed folder alone.
void require_answer(const fs::path& prefix, const fs::path& where) {
  test::write_file(where / "own.yaml", kStudy);
  const test::ProgramResult run = scalestudy_of(prefix, where, {"run", "own.yaml"});
  INFO(run.err);
  REQUIRE(run.exit_code == 0);
  const test::ProgramResult report = scalestudy_of(prefix, where, {"report", "own"});
  INFO(report.err);
  REQUIRE(report.exit_code == 0);
  CHECK(fs::file_size(where / "results/reports/own/report.md") > 0);
  CHECK_THAT(scalestudy_of(prefix, where, {"doctor"}).out,
             Contains((prefix / "share/scalestudy/templates/scaling.md").string()));
}

// A Python that has pip and scikit-build-core: that of `./dev setup wheel`, else the one in PATH.
std::string wheel_python() {
  for (const std::string& python :
       {std::string(SCALESTUDY_SOURCE_DIR "/build/wheel-tools/bin/python3"),
        std::string("python3")}) {
    if (test::run_program({"env", python, "-c", "import pip, venv, scikit_build_core"}).exit_code ==
        0) {
      return python;
    }
  }
  test::skip("no Python here has pip, venv and scikit-build-core (./dev setup wheel)");
}

}  // namespace

TEST_CASE("an unpacked tarball measures and reports where its libraries are missing", "[install]") {
  const test::TemporaryFolder folder;
  const std::string first = folder.file("scalestudy");
  for (const std::vector<std::string>& component :
       {std::vector<std::string>{}, {"--component", "libraries"}}) {
    std::vector<std::string> install = {
        SCALESTUDY_CMAKE, "--install", SCALESTUDY_BUILD_FOLDER, "--prefix", first};
    install.insert(install.end(), component.begin(), component.end());
    require_ok(install);
  }
  require_ok({"tar", "-C", folder.path(), "-cf", folder.file("scalestudy.tar"), "scalestudy"});
  fs::create_directory(folder.file("elsewhere"));
  require_ok({"tar", "-C", folder.file("elsewhere"), "-xf", folder.file("scalestudy.tar")});
  fs::remove_all(first);

  const fs::path prefix = folder.path() / "elsewhere/scalestudy";
  require_own_libraries(prefix);
  require_answer(prefix, folder.path());
  for (const char* file : {"bash-completion/completions/scalestudy",
                           "zsh/vendor-completions/_scalestudy",
                           "fish/vendor_completions.d/scalestudy.fish"}) {
    CHECK_THAT(test::read_file(prefix / "share" / file), Contains("report"));
  }
}

TEST_CASE("the Python package holds scalestudy, its data and libraries, and no workloads",
          "[install]") {
  const std::string python = wheel_python();
  const test::TemporaryFolder folder;
  // What `pip wheel .` would compile is that of this build already.
  const fs::path build = folder.path() / "build";
  fs::create_directories(build / "bin");
  fs::create_directories(build / "lib");
  fs::copy(SCALESTUDY_TEST_BIN "/scalestudy", build / "bin");
  fs::copy(SCALESTUDY_BUILD_FOLDER "/lib/libscalestudy_nccl_profiler.so", build / "lib");
  require_ok({python,
              "-m",
              "pip",
              "wheel",
              SCALESTUDY_SOURCE_DIR,
              "--no-deps",
              "--no-index",
              "--no-build-isolation",
              "--wheel-dir",
              folder.path(),
              "--config-settings=build-dir=" + build.string(),
              "--config-settings=build.targets=help"});
  fs::path wheel;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder.path())) {
    wheel = entry.path().extension() == ".whl" ? entry.path() : wheel;
  }
  CHECK_THAT(wheel.filename(), Catch::StartsWith("scalestudy-") && Contains("-py3-none-linux_"));

  const fs::path prefix = folder.path() / "env";
  require_ok({python, "-m", "venv", "--without-pip", prefix});
  require_ok({python, "-m", "pip", "--python", prefix, "install", "--no-index", wheel});
  require_own_libraries(prefix);
  require_answer(prefix, folder.path());
  CHECK(fs::exists(prefix / "lib/libscalestudy_nccl_profiler.so"));
  CHECK_FALSE(fs::exists(prefix / "bin/scalestudy-train"));

  const test::ProgramResult train = scalestudy_of(
      prefix, folder.path(), {"run", prefix / "share/scalestudy/studies/quickstart.yaml"});
  CHECK(train.exit_code == 2);
  CHECK_THAT(train.err,
             Contains("scalestudy-train not found. The Python package does not have it") &&
                 Contains("Install the Debian package") && Contains("SCALESTUDY_WORKLOADS"));
}
