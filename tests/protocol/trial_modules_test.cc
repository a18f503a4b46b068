// The modules that write the trial protocol from other programs: what they write reads back.
#include <clocale>
#include <cmath>
#include <cstdlib>

#include "tests/support/catch.h"
#include "tests/support/program.h"
#include "tests/support/skip.h"
#include "workloads/protocol/reader.h"
#include "workloads/protocol/scalestudy_trial.h"

using namespace scalestudy;
using test::TemporaryFolder;

namespace {

const std::string kFolder = SCALESTUDY_SOURCE_DIR "/workloads/protocol";

std::string problems_of(const protocol::Record& record) {
  std::string text;
  for (const std::string& problem : record.problems) {
    text += problem + "\n";
  }
  return text;
}

void check_record(const protocol::Record& record) {
  CHECK(problems_of(record).empty());
  REQUIRE(record.events.size() == 5);
  const auto& start = std::get<protocol::Start>(record.events[0]);
  CHECK(start.workload == "my-training");
  CHECK(start.ranks == 2);
  CHECK(std::get<protocol::Phase>(record.events[1]).name == "measure");
  const auto& samples = std::get<protocol::Samples>(record.events[2]);
  CHECK(samples.metric == "step_time_s");
  CHECK(samples.unit == "s");
  CHECK(samples.warmup == 1);
  CHECK(samples.values == std::vector<double>{0.3, 0.1, 1e-7});
  CHECK(std::get<protocol::Check>(record.events[3]).passed);
  CHECK(std::get<protocol::End>(record.events[4]).ok);
}

}  // namespace

TEST_CASE("what the C header writes reads back", "[protocol]") {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "record").string();
  setenv("SCALESTUDY_OUTPUT", path.c_str(), 1);
  const std::vector<double> times_s{0.3, 0.1, 1e-7};

  FILE* trial = scalestudy_start("my-training", 2);
  scalestudy_phase(trial, "measure");
  scalestudy_samples(trial, "step_time_s", "s", 1, times_s.data(), 3);
  scalestudy_check(trial, "loss_finite", 1);
  scalestudy_end(trial, 1, "");

  check_record(protocol::read_record(path));
}

TEST_CASE("a value that is not finite makes what the C header writes unusable", "[protocol]") {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "record").string();
  setenv("SCALESTUDY_OUTPUT", path.c_str(), 1);
  const double none = std::nan("");

  FILE* trial = scalestudy_start("mine", 1);
  scalestudy_samples(trial, "step_time_s", "s", 0, &none, 1);
  scalestudy_end(trial, 1, "");

  CHECK_FALSE(protocol::read_record(path).problems.empty());
}

// "1,5" would be two values.
TEST_CASE("a locale with decimal commas changes nothing of what the C header writes",
          "[protocol]") {
  const auto has_commas = [](const char* name) { return setlocale(LC_NUMERIC, name) != nullptr; };
  if (!has_commas("de_DE.utf8") && !has_commas("fr_FR.utf8") && !has_commas("ru_RU.utf8")) {
    test::skip("no locale with decimal commas is installed");
  }
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "record").string();
  setenv("SCALESTUDY_OUTPUT", path.c_str(), 1);
  const std::vector<double> times_s{1.5, 2.25};

  FILE* trial = scalestudy_start("mine", 1);
  scalestudy_samples(trial, "step_time_s", "s", 0, times_s.data(), 2);
  scalestudy_end(trial, 1, "");
  setlocale(LC_NUMERIC, "C");

  const protocol::Record record = protocol::read_record(path);
  CHECK(problems_of(record).empty());
  CHECK(std::get<protocol::Samples>(record.events.at(1)).values == times_s);
}

TEST_CASE("the header does nothing outside a study, and is C as well", "[protocol]") {
  unsetenv("SCALESTUDY_OUTPUT");
  CHECK(scalestudy_start("mine", 1) == nullptr);
  scalestudy_end(nullptr, 1, "");

  const TemporaryFolder folder;
  const std::string source = (folder.path() / "main.c").string();
  std::ofstream(source) << "#include \"scalestudy_trial.h\"\nint main(void) { scalestudy_phase(0, "
                           "\"a\"); return 0; }\n";
  const auto compiled = test::run_program({"cc",
                                           "-std=c99",
                                           "-Wall",
                                           "-Wextra",
                                           "-Wno-unused-function",
                                           "-Werror",
                                           "-fsyntax-only",
                                           "-I",
                                           kFolder,
                                           source});
  INFO(compiled.err);
  CHECK(compiled.exit_code == 0);
}

TEST_CASE("what the Python module writes reads back", "[protocol]") {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "record").string();
  const std::string program =
      "import sys; sys.path.insert(0, '" + kFolder + "'); from scalestudy_trial import Trial\n" +
      "trial = Trial('my-training', ranks=2, parameter_count=5)\ntrial.phase('measure')\n"
      "trial.samples('step_time_s', 's', (0.3, 0.1, 1e-7), warmup=1)\n"
      "trial.check('loss_finite', True)\ntrial.end()\n";
  const auto version = test::run_program({"python3", "-B", "--version"});
  if (version.exit_code != 0) {
    WARN("python3 is missing: the module was not run");
    return;
  }

  const auto written = test::run_program({"env",
                                          "SCALESTUDY_OUTPUT=" + path,
                                          "SCALESTUDY_PARAMETERS={\"devices\": 2}",
                                          "python3",
                                          "-B",
                                          "-c",
                                          program});

  INFO(written.err);
  REQUIRE(written.exit_code == 0);
  const auto record = protocol::read_record(path);
  check_record(record);
  CHECK(std::get<protocol::Start>(record.events[0]).facts.at("parameter_count") == 5.0);
  CHECK(std::get<protocol::Start>(record.events[0]).parameters.contains("devices"));
}

TEST_CASE("pip installs the Python module without network, setuptools and wheel", "[protocol]") {
  const std::string python = "/usr/bin/python3";
  if (test::run_program({"sh", "-c", python + " -m pip --version"}).exit_code != 0) {
    WARN("python3-pip is missing: nothing was installed");
    return;
  }
  const TemporaryFolder folder;
  const std::string source = (folder.path() / "source").string();
  std::filesystem::create_directory(source);  // pip writes beside what it builds
  for (const char* file : {"pyproject.toml", "scalestudy_trial.py", "trial_wheel.py"}) {
    std::filesystem::copy_file(kFolder + "/" + file, source + "/" + file);
  }
  const std::string target = (folder.path() / "target").string();

  const auto installed = test::run_program({python,
                                            "-m",
                                            "pip",
                                            "install",
                                            "--quiet",
                                            "--no-index",
                                            "--no-deps",
                                            "--target",
                                            target,
                                            source},
                                           {"PIP_NO_CACHE_DIR=1", "PIP_ROOT_USER_ACTION=ignore"});

  INFO(installed.err);
  REQUIRE(installed.exit_code == 0);
  const std::string path = (folder.path() / "record").string();
  const auto written = test::run_program(
      {python,
       "-c",
       "import importlib.metadata, scalestudy_trial as s; t = s.Trial('mine', ranks=1); "
       "t.samples('step_time_s', 's', [1.0]); t.end(); "
       "print(importlib.metadata.version('scalestudy-trial'))"},
      {"PYTHONPATH=" + target, "SCALESTUDY_OUTPUT=" + path});
  INFO(written.err);
  CHECK(written.exit_code == 0);
  CHECK(written.out == SCALESTUDY_VERSION "\n");
  CHECK(protocol::read_record(path).problems.empty());
}
