// The kernels, copies and memsets of GPUs in traces of training, over the stand-ins for GPUs and
// for CUPTI (tests/cuda).
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/cuda/cupti.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"
#include "tests/workloads/mpirun.h"

using namespace scalestudy;
using Catch::Contains;
using Json = nlohmann::json;
using test::ProgramResult;

namespace {

constexpr int kSteps = 12;  // more than the timer has in flight

// Ranks of training on GPUs; each writes its trace into `folder`, unless it is "".
ProgramResult train(const std::string& folder,
                    const std::string& backend,
                    std::vector<std::string> environment,
                    int ranks = 2,
                    const std::vector<std::string>& more = {}) {
  if (!folder.empty()) {
    environment.push_back("SCALESTUDY_TRACE=" + folder);
  }
  std::vector<std::string> program = {SCALESTUDY_CUDA_HOST "/bin/scalestudy-train",
                                      "--backend=" + backend,
                                      "--model=gpt-tiny",
                                      "--model-layers=1",
                                      "--model-width=8",
                                      "--model-heads=1",
                                      "--model-sequence=4",
                                      "--model-vocabulary=8",
                                      "--batch-per-device=2",
                                      "--warmup-steps=2",
                                      "--measured-steps=" + std::to_string(kSteps - 2)};
  program.insert(program.end(), more.begin(), more.end());
  return test::mpirun(ranks, program, environment);
}

// Of the stand-in for CUPTI, which makes the file when it is loaded.
std::vector<std::string> with_cupti(const std::string& loaded) {
  return {"CUDA_HOME=" SCALESTUDY_FAKE_TOOLKIT,
          "SCALESTUDY_CUPTI=" SCALESTUDY_FAKE_CUPTI,
          "SCALESTUDY_CUPTI_LOADED=" + loaded};
}

Json events_of(const std::string& folder, int rank) {
  const std::string name = "trace.rank" + std::to_string(rank) + ".json";
  return Json::parse(test::read_file(std::filesystem::path(folder) / name)).at("traceEvents");
}

std::vector<std::string> notes_in(const Json& events) {
  std::vector<std::string> notes;
  for (const Json& event : events) {
    if (event.at("ph") == "i") {
      notes.push_back(event.at("name"));
    }
  }
  return notes;
}

bool is_of_gpu(const Json& event) {
  return event.at("ph") == "X" && event.at("tid") != 0;
}

}  // namespace

TEST_CASE("each step of a trace has what the GPU did in it, and nothing else", "[train]") {
  const test::TemporaryFolder folder;
  const ProgramResult result =
      train(folder.path().string(), "cuda", with_cupti(folder.file("loaded")));
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  CHECK_THAT(result.err, !Contains("trace:"));
  for (int rank = 0; rank < 2; ++rank) {
    const Json events = events_of(folder.path().string(), rank);
    std::vector<std::pair<double, double>> steps;  // in us
    for (const Json& event : events) {
      if (event.at("name").get<std::string>().starts_with("step ")) {
        const double from = event.at("ts");
        steps.emplace_back(from, from + event.at("dur").get<double>());
      }
    }
    REQUIRE(steps.size() == kSteps);
    // The two clocks are matched this well, and marks are told apart to a few hundredths of a
    // microsecond; the stand-in's begins and ends lie within the steps'.
    const std::vector<std::string> notes = notes_in(events);
    REQUIRE(!notes.empty());
    CAPTURE(notes);
    REQUIRE(notes[0].starts_with("times of the GPU's records are within "));
    const double error_us = 0.2 + 2 * std::stod(notes[0].substr(notes[0].find("within ") + 7));
    const double drift_ppm = std::stod(notes[0].substr(notes[0].find("drift of ") + 9));
    CHECK(std::abs(drift_ppm + test::kCuptiDrift * 1e6) < 50.0);

    std::vector<std::map<std::string, int>> done(kSteps);
    std::map<int, std::string> tracks;
    for (const Json& event : events) {
      if (event.at("name") == "thread_name") {
        tracks[event.at("tid")] = event.at("args").at("name");
      }
      if (!is_of_gpu(event)) {
        continue;
      }
      CHECK(tracks.at(event.at("tid")).starts_with("GPU 0, context 1, stream "));
      const double from = event.at("ts");
      const double until = from + event.at("dur").get<double>();
      const auto step = std::find_if(steps.begin(), steps.end(), [&](const auto& borders) {
        return borders.first - error_us <= from && until <= borders.second + error_us;
      });
      CAPTURE(event.dump(), error_us);
      REQUIRE(step != steps.end());
      ++done[static_cast<std::size_t>(step - steps.begin())][event.at("name")];
      CHECK(event.contains("args") == (event.at("cat") == "memory"));
    }
    // The loss is read every few steps, on a queue of its own.
    for (std::map<std::string, int>& of_step : done) {
      of_step.erase("memcpy device to host");
      CHECK(of_step.at("scalestudy::test::kernel()") >= 5);
      CHECK(of_step == done[0]);
    }
  }
}

TEST_CASE("CUPTI is loaded where a GPU's trace is asked for alone", "[train]") {
  const test::TemporaryFolder folder;
  const std::string loaded = folder.file("loaded");

  const ProgramResult measured = train("", "cuda", with_cupti(loaded), 1);
  CHECK(measured.exit_code == 0);
  CHECK_FALSE(std::filesystem::exists(loaded));

  const ProgramResult on_cpu = train(folder.path().string(), "cpu", with_cupti(loaded), 1);
  CHECK(on_cpu.exit_code == 0);
  CHECK(notes_in(events_of(folder.path().string(), 0)).empty());
  CHECK_FALSE(std::filesystem::exists(loaded));

  const ProgramResult on_gpu = train(folder.path().string(), "cuda", with_cupti(loaded), 1);
  CHECK(on_gpu.exit_code == 0);
  CHECK(std::filesystem::exists(loaded));
}

TEST_CASE("a trace without CUPTI has the steps, and one line says what lacks", "[train]") {
  const test::TemporaryFolder folder;
  std::vector<std::string> environment = with_cupti(folder.file("loaded"));
  environment.emplace_back("SCALESTUDY_CUPTI_FAILS=Enable");
  const ProgramResult result = train(folder.path().string(), "cuda", environment);
  INFO(result.err);
  REQUIRE(result.exit_code == 0);

  const std::string line = "trace: no kernels of the GPU are in it: " SCALESTUDY_FAKE_CUPTI
                           " records nothing: cuptiActivityEnable: CUPTI_ERROR_UNKNOWN (999)";
  const std::size_t first = result.err.find(line);
  REQUIRE(first != std::string::npos);
  CHECK(result.err.find("trace:", first + 1) == std::string::npos);
  for (int rank = 0; rank < 2; ++rank) {
    const Json events = events_of(folder.path().string(), rank);
    REQUIRE(notes_in(events).size() == 1);
    CHECK_THAT(notes_in(events)[0], Contains("no kernels of the GPU are in it: "));
    CHECK(std::none_of(events.begin(), events.end(), is_of_gpu));
    CHECK_THAT(events.dump(), Contains("\"step 11\""));
  }
}

TEST_CASE("the toolkit's own CUPTI says why it records nothing where there is no driver",
          "[train]") {
  const char* const home = std::getenv("CUDA_HOME");
  const std::filesystem::path toolkit = home == nullptr ? "/usr/local/cuda" : home;
  if (!std::filesystem::exists(toolkit / "lib64" / "libcupti.so.13") ||
      std::filesystem::exists("/dev/nvidiactl")) {
    test::skip("no CUPTI 13 beside the CUDA Toolkit, or a GPU that it records");
  }
  const test::TemporaryFolder folder;

  const ProgramResult result = train(folder.path().string(), "cuda", {}, 1);

  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  CHECK_THAT(result.err,
             Contains("trace: no kernels of the GPU are in it: ") &&
                 Contains("libcupti.so.13 records nothing: cuptiActivityEnable: CUPTI_ERROR_") &&
                 Contains("no driver of a GPU (libcuda.so.1)"));
}

// The state was saved behind the last step, and a second run has none left.
TEST_CASE("a run that goes on behind its last step says that its trace has none", "[train]") {
  const test::TemporaryFolder folder;
  const std::vector<std::string> saving = {"--save-every=" + std::to_string(kSteps),
                                           "--save-dir=" + folder.path().string()};
  const auto go_on = [&] {
    return train(folder.path().string(), "cuda", with_cupti(folder.file("loaded")), 1, saving);
  };
  REQUIRE(go_on().exit_code == 0);

  const ProgramResult result = go_on();

  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  CHECK(notes_in(events_of(folder.path().string(), 0)) ==
        std::vector<std::string>{"no step was left to this process"});
}
