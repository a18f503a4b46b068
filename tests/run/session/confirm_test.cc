// The confirm run: which cells get one, how it is launched, and what their trials are given of it.
#include "harness/run/session/confirm.h"

#include <filesystem>
#include <fstream>

#include "harness/run/command/launch_command.h"
#include "tests/run/study_room.h"

using namespace scalestudy;
using test::parse;
using test::Room;

namespace {

const std::string kNcclStudy = R"(version: 1
study: fake
workload: command
command: ["true"]
axes:
  env.NCCL_ALGO: [default, Ring]
steps: {warmup: 1, measured: 2}
trials: {count: 2}
validity: {confirm: always}
)";

bool is_confirm_run(const LaunchRequest& request) {
  return request.environment.contains("NCCL_DEBUG");
}

// As a program whose NCCL goes by Tree whatever it is told.
LaunchResult goes_by_tree(const LaunchRequest& request) {
  if (is_confirm_run(request)) {
    std::string log = request.environment.at("NCCL_DEBUG_FILE");
    log.replace(log.find("%h.%p"), 5, "vm.7");
    std::ofstream(log) << "vm:7:7 [0] NCCL INFO NCCL_ALGO set by environment to Ring\n"
                       << "vm:7:7 [0] NCCL INFO AllReduce: 8 Bytes -> Algo TREE proto LL\n";
  }
  return test::goes_well(request);
}

std::optional<double> setting(Room& room, const TrialRow& trial) {
  const auto telemetry = room.store.telemetry(room.store.find_study("fake")->id);
  for (const TelemetryRow& row : telemetry.at(trial.id)) {
    if (row.name == "setting.NCCL_ALGO") {
      return row.value;
    }
  }
  return std::nullopt;
}

}  // namespace

TEST_CASE("a cell that sets NCCL up is run once with NCCL's log on, and not measured", "[run]") {
  Room room(goes_by_tree);
  const RunSummary summary = room.run(parse(kNcclStudy));

  CHECK(test::count(summary, TrialState::kOk) == 4);
  REQUIRE(room.launcher.requests.size() == 5);
  const LaunchRequest& confirm = room.launcher.requests.front();
  CHECK(confirm.environment.at("NCCL_ALGO") == "Ring");
  CHECK(confirm.environment.at("NCCL_DEBUG_SUBSYS").find("TUNING") != std::string::npos);
  CHECK(std::ranges::count_if(room.launcher.requests, is_confirm_run) == 1);
  std::vector<std::optional<double>> settings;
  for (const TrialRow& trial : room.trials()) {
    settings.push_back(setting(room, trial));
  }
  std::ranges::sort(settings);
  CHECK(settings == std::vector<std::optional<double>>{std::nullopt, std::nullopt, 0.0, 0.0});
  const auto told = room.store.query("SELECT DISTINCT text FROM log WHERE text LIKE 'NCCL%'", {});
  REQUIRE(told.rows.size() == 1);
  CHECK_THAT(std::get<std::string>(told.rows[0][0]),
             Catch::StartsWith("NCCL_ALGO=Ring: overridden: AllReduce TREE LL (logs/fake/"));

  // Nothing left to run: nothing to look at.
  room.run(parse(kNcclStudy));
  CHECK(room.launcher.requests.size() == 5);
}

TEST_CASE("the confirm run alone has our profiler plugin, unless the study has its own", "[run]") {
  const std::string plugin = "libscalestudy_nccl_profiler.so";
  Room room(goes_by_tree);
  room.run(parse(kNcclStudy));
  for (const LaunchRequest& request : room.launcher.requests) {
    CHECK(request.environment.contains("NCCL_PROFILER_PLUGIN") == is_confirm_run(request));
  }
  const auto& confirm = room.launcher.requests.front().environment;
  CHECK_THAT(confirm.at("NCCL_PROFILER_PLUGIN"), Catch::EndsWith("/lib/" + plugin));
  CHECK(std::filesystem::exists(confirm.at("NCCL_PROFILER_PLUGIN")));
  CHECK_THAT(confirm.at("SCALESTUDY_NCCL_PROFILE"), Catch::EndsWith("-b0-a0/nccl-profile."));

  Room other(goes_by_tree);
  other.run(parse(kNcclStudy, {"env={NCCL_PROFILER_PLUGIN: mine.so}"}));
  for (const LaunchRequest& request : other.launcher.requests) {
    CHECK(request.environment.at("NCCL_PROFILER_PLUGIN") == "mine.so");
    CHECK_FALSE(request.environment.contains("SCALESTUDY_NCCL_PROFILE"));
  }
}

TEST_CASE("what NCCL told the plugin counts where its log is silent", "[run]") {
  Room room([](const LaunchRequest& request) {
    if (is_confirm_run(request)) {
      std::ofstream(request.environment.at("SCALESTUDY_NCCL_PROFILE") + "vm.7")
          << "scalestudy-nccl-profile 1\ncommunicator abi=5\n"
          << "collective AllReduce RING LL channels=2 threads=512\n";
    }
    return test::goes_well(request);
  });
  room.run(parse(kNcclStudy));
  const auto told = room.store.query("SELECT DISTINCT text FROM log WHERE text LIKE 'NCCL%'", {});
  REQUIRE(told.rows.size() == 1);
  CHECK_THAT(std::get<std::string>(told.rows[0][0]),
             Catch::StartsWith("NCCL_ALGO=Ring: applied: AllReduce RING LL (logs/fake/"));
}

TEST_CASE("NCCL's log is read as a whole and then kept no longer than another", "[run]") {
  std::string log;
  Room room([&](const LaunchRequest& request) {
    const LaunchResult result = goes_by_tree(request);
    if (is_confirm_run(request)) {
      log = request.environment.at("NCCL_DEBUG_FILE");
      log.replace(log.find("%h.%p"), 5, "vm.8");
      std::ofstream file(log);
      for (std::size_t kib = 0; kib < 40U << 10U; ++kib) {
        file << std::string(1023, '.') << '\n';
      }
    }
    return result;
  });
  room.run(parse(kNcclStudy));

  CHECK(std::filesystem::file_size(log) < std::size_t{33} << 20U);
}

TEST_CASE("a session that goes on looks again at the cells that it runs", "[run]") {
  Room room(goes_by_tree);
  RunOptions first;
  first.max_trials = 1;
  room.run(parse(kNcclStudy), first);
  room.run(parse(kNcclStudy));
  CHECK(std::ranges::count_if(room.launcher.requests, is_confirm_run) == 2);
  CHECK(room.launcher.requests.size() == 6);
}

TEST_CASE("a resumed search confirms the cells that it plans later, each once", "[run]") {
  Room room(goes_by_tree);
  std::string text = kNcclStudy;
  const std::string plain = "trials: {count: 2}\n";
  text.replace(text.find("[default, Ring]"), 15, "[default, Ring, Tree]");
  text.replace(text.find(plain), plain.size(), "search: {over: [env.NCCL_ALGO], budget: 1h}\n");
  const Study study = parse(text);
  const auto run = [&](std::optional<std::int64_t> most) {
    const RunWorld world{.launcher = room.launcher,
                         .machine = room.machine,
                         .clock = room.clock,
                         .precision = room.precision,
                         // All cells once more behind the first block, then nothing.
                         .next_blocks =
                             [](const Store& store, std::int64_t study_id, const std::string&) {
                               const auto trials = store.trials(study_id);
                               SearchBlocks next{.first = 1, .count = 1, .cells = {}};
                               for (const TrialRow& trial : trials) {
                                 next.cells[trial.cell_id] = SearchPart::kRace;
                               }
                               return trials.size() > next.cells.size() ? SearchBlocks() : next;
                             },
                         .sleep = [&room](double seconds) { room.sleep(seconds); }};
    run_study(
        study, room.store, world, {.max_trials = most}, [](const Progress&) {}, room.stop);
  };
  run(2);  // of three
  const auto confirmed = [&] {
    return std::ranges::count_if(room.launcher.requests, is_confirm_run);
  };
  const auto before = confirmed();
  run(std::nullopt);

  CHECK(confirmed() - before == 2);  // Ring and Tree, whichever was left of the first block
  std::size_t told = 0;
  for (const TrialRow& trial : room.trials()) {
    told += trial.block == 1 && setting(room, trial) ? 1 : 0;
  }
  CHECK(told == 2);
}

TEST_CASE("confirm runs are a part of the session's time", "[run]") {
  double* now_s = nullptr;
  Room room([&now_s](const LaunchRequest& request) {
    *now_s += 20.0;
    return goes_by_tree(request);
  });
  now_s = &room.clock.now_s;

  const RunSummary summary = room.run(parse(kNcclStudy, {"limits={max_time: 30s}"}));

  CHECK(summary.run_now == 1);
  CHECK(summary.out_of_time);
}

TEST_CASE("a confirm run that fails leaves its trials unconfirmed, and says so", "[run]") {
  Room room([](const LaunchRequest& request) {
    const LaunchResult result = goes_by_tree(request);  // its log says a word before the crash
    return is_confirm_run(request) ? test::crashes(request) : result;
  });
  const RunSummary summary = room.run(parse(kNcclStudy));
  CHECK(test::count(summary, TrialState::kOk) == 4);
  for (const TrialRow& trial : room.trials()) {
    CHECK_FALSE(setting(room, trial));
  }
  const auto told = room.store.query("SELECT DISTINCT text FROM log WHERE text LIKE 'NCCL%'", {});
  REQUIRE(told.rows.size() == 1);
  CHECK_THAT(std::get<std::string>(told.rows[0][0]),
             Catch::Contains("overridden: AllReduce TREE LL; the confirm run ended failed: "));
}

TEST_CASE("built-in workloads alone have a confirm run where nothing is said, of one step",
          "[run]") {
  Room room(goes_by_tree);
  room.run(parse(kNcclStudy, {"validity.confirm=built_in"}));
  CHECK(std::ranges::count_if(room.launcher.requests, is_confirm_run) == 0);

  Study train = parse(
      "version: 1\nstudy: fake\nworkload: train\nparameters: {model: mlp-4096, backend: cuda}\n"
      "axes: {devices: [1, 2], batch_global: [8], env.NCCL_ALGO: [default, Ring]}\n");
  int confirmed = 0;
  for (const Cell& cell : expand(train).cells) {
    confirmed += has_confirm_run(train, cell) ? 1 : 0;
  }
  CHECK(confirmed == 2);
  CHECK(confirm_study(train).steps.warmup == 0);
  CHECK(confirm_study(train).steps.measured == 1);
  train.parameters["strategy"] = std::string("local_sgd");
  train.parameters["sync_every"] = std::int64_t{4};
  train.steps = {.warmup = 8, .measured = 40};
  const Cell averaging = expand(train).cells.back();
  CHECK(trial_parameters(train, averaging).contains("sync_every"));
  CHECK_FALSE(trial_parameters(confirm_study(train), averaging).contains("sync_every"));
  Study on_cpu = train;
  on_cpu.parameters["backend"] = std::string("cpu");
  on_cpu.validity.confirm = Confirm::kAlways;
  CHECK_FALSE(has_confirm_run(on_cpu, expand(on_cpu).cells.back()));
  train.validity.confirm = Confirm::kNever;
  CHECK_FALSE(has_confirm_run(train, expand(train).cells.back()));
}
