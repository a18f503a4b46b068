// Checkpoints of scalestudy-train: a run that goes on in another process ends as one that never
// stopped, and what it cannot go on from is refused.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "tests/support/catch.h"
#include "tests/workloads/saved_run.h"
#include "workloads/train/memory/file_systems.h"

using namespace scalestudy;
using Catch::Contains;
using test::events_of;
using test::losses_of;
using test::run_saved;
using test::Trial;
using test::values_of;

namespace {

const std::string kSmall = R"("model": "lstm-332k", "model.width": 16, "model.sequence": 4)";

std::string steps(int count) {
  return R"(, "warmup_steps": 1, "measured_steps": )" + std::to_string(count - 1);
}

// Ten steps at once, then five and five more in another process.
void check_goes_on(int ranks, const std::string& parameters) {
  const test::TemporaryFolder whole;
  const test::TemporaryFolder parts;
  const std::string saved = parameters + R"(, "save_every": 5)";

  const Trial at_once = run_saved(ranks, whole.path(), saved + steps(10));
  const Trial first = run_saved(ranks, parts.path(), saved + steps(5));
  const Trial second = run_saved(ranks, parts.path(), saved + steps(10));

  REQUIRE_FALSE(test::state_of(whole.path(), 10).empty());
  CHECK(test::state_of(parts.path(), 10) == test::state_of(whole.path(), 10));
  CHECK(losses_of(second) == losses_of(at_once));
  const auto before = events_of<protocol::Samples>(first.record);
  const auto after = events_of<protocol::Samples>(second.record);
  for (const std::string metric : {"step_time_s", "communication_time_s"}) {
    if (test::find_series(before, metric) == nullptr) {
      CHECK(metric == "communication_time_s");  // timing light
      continue;
    }
    for (int rank = 0; rank < ranks; ++rank) {
      std::vector<double> kept = values_of(after, metric, rank);
      REQUIRE(kept.size() == 10);
      kept.resize(5);
      CHECK(kept == values_of(before, metric, rank));
    }
  }
}

std::string refusal(const std::filesystem::path& folder, const std::string& more, int ranks = 1) {
  return test::refusal(ranks, folder, kSmall + R"(, "save_every": 2, )" + more);
}

}  // namespace

TEST_CASE("a run that goes on in another process ends with the same bits", "[train][slow]") {
  const auto [ranks, strategy, optimizer] = GENERATE(table<int, std::string, std::string>({
      {1, "ddp", "adamw"},
      {1, "fsdp", "sgd"},
      {2, "ddp", "sgd"},
      {2, "zero1", "adamw"},
      {2, "zero2", "sgd"},
      {2, "fsdp", "adamw"},
      {4, "ddp", "adamw"},
      {4, "zero1", "sgd"},
      {4, "zero2", "adamw"},
      {4, "fsdp", "adamw"},
  }));
  CAPTURE(ranks, strategy, optimizer);
  check_goes_on(ranks,
                kSmall + R"(, "batch_global": 8, "bucket_mb": 0.002, "first_bucket_mb": 0.001, )" +
                    R"("strategy": ")" + strategy + R"(", "optimizer": ")" + optimizer + "\"");
}

TEST_CASE("ranks that sum nothing part, and go on each from where it was", "[train]") {
  const std::string more =
      GENERATE(as<std::string>(), R"(, "comm": "noop")", R"(, "payload": "element")");
  CAPTURE(more);
  check_goes_on(2, kSmall + R"(, "batch_global": 8)" + more);
}

// mlp-258k has dropout, whose masks depend on the step.
TEST_CASE("the rate, dropout and samples of a file go on where they were", "[train]") {
  check_goes_on(2,
                R"("batch_per_device": 4, "learning_rate": 0.1, "lr_scale": "linear", )"
                R"("lr_warmup_steps": 7, "train_samples": 24, "lr_milestones": "1,2")");
  check_goes_on(2,
                R"("batch_per_device": 4, "data": "file", "data_samples": 20, "data_prefetch": 2, )"
                R"("overlap": "thread")");
  check_goes_on(1, R"("batch_per_device": 4, "timing": "light", "accumulation_steps": 2)");
}

TEST_CASE("what a save and a load took is told, outside the times of steps", "[train]") {
  const test::TemporaryFolder folder;
  const Trial trial =
      run_saved(2, folder.path(), kSmall + R"(, "batch_global": 8, "save_every": 3)" + steps(10));
  const auto series = events_of<protocol::Samples>(trial.record);

  CHECK(values_of(series, "checkpoint_save_time_s").size() == 3);
  CHECK(values_of(series, "checkpoint_load_time_s").size() == 1);
  double bytes = 0.0;
  std::size_t folders = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path())) {
    folders += entry.is_directory() ? 1 : 0;
    if (entry.is_regular_file() && entry.path().filename() != "manifest.json") {
      bytes += static_cast<double>(entry.file_size());
    }
  }
  CHECK(folders == 1);  // of step 9: those before it are gone
  CHECK(values_of(series, "checkpoint_bytes") == std::vector<double>{bytes});
  CHECK(test::find_series(series, "lost_steps") == nullptr);

  const Trial plain = test::run_trial(1, R"({"batch_global": 8, "measured_steps": 2})");
  CHECK(test::find_series(events_of<protocol::Samples>(plain.record), "checkpoint_bytes") ==
        nullptr);
}

// A row of a step: eleven times, one of each collective, and the loss.
TEST_CASE("a save writes the state and the steps since the one before", "[train]") {
  const test::TemporaryFolder folder;
  const std::string parameters = kSmall + R"(, "batch_global": 8, "save_every": 4)";
  const auto written = [&](int count) {
    const Trial trial = run_saved(2, folder.path(), parameters + steps(count));
    const double row =
        8.0 *
        (11.0 + 1.0 + events_of<protocol::Start>(trial.record).at(0).facts.at("bucket_count"));
    CHECK(static_cast<double>(std::filesystem::file_size(folder.path() / "rank_1.steps")) ==
          row * count);
    const std::string state = test::state_of(folder.path(), count).at("rank_0.state");
    const std::vector<double> bytes =
        values_of(events_of<protocol::Samples>(trial.record), "checkpoint_written_bytes");
    CHECK(bytes ==
          std::vector<double>(bytes.size(), static_cast<double>(state.size()) + 2.0 * 4.0 * row));
    return bytes.size();
  };
  CHECK(written(24) == 6);
  struct stat before {};
  REQUIRE(stat((folder.path() / "rank_1.steps").c_str(), &before) == 0);
  CHECK(written(32) == 2);  // in another process

  struct stat after {};
  REQUIRE(stat((folder.path() / "rank_1.steps").c_str(), &after) == 0);
  CHECK(after.st_ino == before.st_ino);  // the same file
}

TEST_CASE("the page cache has a checkpoint, unless it is dropped", "[train]") {
  const test::TemporaryFolder folder;
  const auto share = [&](const std::string& cache) {
    const Trial trial = run_saved(1,
                                  folder.path() / cache,
                                  kSmall + R"(, "batch_global": 8, "save_every": 5, )" +
                                      R"("save_cache": ")" + cache + "\"" + steps(5));
    return values_of(events_of<protocol::Samples>(trial.record), "checkpoint_cached_share").at(0);
  };

  CHECK(share("keep") == 1.0);
  struct statfs mounted {};
  REQUIRE(statfs(folder.path().c_str(), &mounted) == 0);
  constexpr auto ext4 = 0xEF53;
  constexpr auto xfs = 0x58465342;
  if (mounted.f_type != ext4 && mounted.f_type != xfs) {
    WARN("not run: files for a time are not on storage with a page cache");
    return;
  }
  CHECK(share("drop") < 0.5);
}

// As that of a run that was killed behind its last save.
TEST_CASE("a run whose last step is saved is ended by the same command again", "[train]") {
  const std::string more =
      GENERATE(as<std::string>(), "", R"(, "data": "file", "data_samples": 20)");
  const test::TemporaryFolder folder;
  const std::string parameters =
      kSmall + R"(, "batch_per_device": 4, "save_every": 2)" + more + steps(4);
  const Trial first = run_saved(2, folder.path(), parameters);

  const Trial again = run_saved(2, folder.path(), parameters);

  CHECK(losses_of(again) == losses_of(first));
  const auto before = events_of<protocol::Samples>(first.record);
  const auto after = events_of<protocol::Samples>(again.record);
  REQUIRE(values_of(after, "step_time_s", 1).size() == 4);
  CHECK(values_of(after, "step_time_s", 1) == values_of(before, "step_time_s", 1));
  CHECK(values_of(after, "checkpoint_load_time_s").size() == 1);
  CHECK(test::find_series(after, "checkpoint_save_time_s") == nullptr);
}

TEST_CASE("the folder of a run that goes on elsewhere is left alone", "[train][slow]") {
  const test::TemporaryFolder folder;
  const std::string batch = R"("batch_per_device": 4)";
  run_saved(1, folder.path(), kSmall + R"(, "save_every": 2, )" + batch + steps(4));
  const int lock = open(folder.file("lock").c_str(), O_RDWR | O_CREAT, 0600);
  REQUIRE(lock >= 0);
  REQUIRE(flock(lock, LOCK_EX | LOCK_NB) == 0);

  CHECK_THAT(refusal(folder.path(), batch + steps(8)),
             Contains("another run keeps checkpoints there"));
  close(lock);

  CHECK(test::state_of(folder.path(), 4).size() == 1);
  CHECK(test::state_of(folder.path(), 8).empty());
  CHECK(refusal(folder.path(), batch + R"(, "seed": 7)" + steps(8)).find("another run") ==
        std::string::npos);
}

// Losses of its steps: 2.3, 1.1e10, then fp32 overflows.
TEST_CASE("a run that diverges leaves the last checkpoint of finite numbers", "[train]") {
  const test::TemporaryFolder folder;
  const Trial trial = test::run_trial(
      2,
      test::in_folder(folder.path(),
                      R"("batch_per_device": 4, "loss": "mse", "learning_rate": 100, )"
                      R"("save_every": 2, "measured_steps": 60)"));

  CHECK(trial.result.exit_code == 1);
  std::size_t checkpoints = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path())) {
    checkpoints += entry.is_directory() && entry.path().filename() != "partial" ? 1 : 0;
    if (entry.path().extension() == ".state") {
      const std::string bytes = test::read_file(entry.path());
      std::vector<float> values(bytes.size() / sizeof(float));
      std::memcpy(values.data(), bytes.data(), bytes.size());
      CHECK(std::all_of(
          values.begin(), values.end(), [](float value) { return std::isfinite(value); }));
    }
  }
  CHECK(checkpoints == 1);
}

// 30'000 files take longer to remove than a small checkpoint to write. A busy machine may hold the
// save up, but hardly three times.
TEST_CASE("removing the checkpoint before is in no save's time", "[train]") {
  if (!train::is_in_memory("/dev/shm")) {
    WARN("not run: /dev/shm is not in memory");
    return;
  }
  const std::string parameters = kSmall + R"(, "batch_global": 8, "save_every": 4)";
  bool is_apart = false;
  for (int attempt = 0; attempt < 3 && !is_apart; ++attempt) {
    // In memory, where a save does not wait for a disk, and files are made at once.
    const test::TemporaryFolder folder("/dev/shm");
    run_saved(1, folder.path(), parameters + steps(4));
    const auto fill = [&](const std::string& name) {
      std::filesystem::create_directories(folder.path() / name);
      for (int i = 0; i < 30'000; ++i) {
        test::write_file(folder.path() / name / std::to_string(i), "");
      }
    };
    fill("other");
    fill("step_1");
    const auto begin = std::chrono::steady_clock::now();
    std::filesystem::remove_all(folder.path() / "other");
    const std::chrono::duration<double> removed = std::chrono::steady_clock::now() - begin;

    const Trial trial = run_saved(1, folder.path(), parameters + steps(8));

    CHECK_FALSE(std::filesystem::exists(folder.path() / "step_1"));
    const auto series = events_of<protocol::Samples>(trial.record);
    is_apart = values_of(series, "checkpoint_save_time_s").at(0) < removed.count() / 2.0;
  }
  CHECK(is_apart);
}

// What a killed run leaves: a folder that was never given its name.
TEST_CASE("a save that was cut off is not gone on from", "[train]") {
  const test::TemporaryFolder folder;
  const test::TemporaryFolder whole;
  const std::string parameters = kSmall + R"(, "batch_global": 8, "save_every": 5)";
  run_saved(1, whole.path(), parameters + steps(10));
  run_saved(1, folder.path(), parameters + steps(5));
  std::filesystem::create_directories(folder.path() / "partial");
  test::write_file(folder.path() / "partial" / "rank_0.state", "begun");
  const std::string steps_before = test::read_file(folder.path() / "rank_0.steps");
  test::write_file(folder.path() / "rank_0.steps", steps_before + std::string(10'000, 'x'));
  std::filesystem::create_directories(folder.path() / "step_x");

  run_saved(1, folder.path(), parameters + steps(10));

  CHECK(test::state_of(folder.path(), 10) == test::state_of(whole.path(), 10));
  CHECK_FALSE(std::filesystem::exists(folder.path() / "partial"));
  CHECK(losses_of(run_saved(1, folder.path(), parameters + steps(10))) ==
        losses_of(run_saved(1, whole.path(), parameters + steps(10))));
}

TEST_CASE("a checkpoint of a program that knew fewer parameters is gone on from", "[train]") {
  const test::TemporaryFolder folder;
  const std::string parameters = kSmall + R"(, "batch_global": 8, "save_every": 2)";
  run_saved(1, folder.path(), parameters + steps(4));
  const std::filesystem::path manifest = folder.path() / "step_4" / "manifest.json";
  std::string text = test::read_file(manifest);
  const std::string unknown = R"("parameter.shares":"equal",)";
  REQUIRE(text.find(unknown) != std::string::npos);
  test::write_file(manifest, text.erase(text.find(unknown), unknown.size()));

  run_saved(1, folder.path(), parameters + steps(6));

  CHECK(std::filesystem::exists(folder.path() / "step_6"));
}

TEST_CASE("a checkpoint that is damaged or of another run is refused by name", "[train][slow]") {
  const test::TemporaryFolder folder;
  const std::string batch = R"("batch_per_device": 4)";
  run_saved(1, folder.path(), kSmall + R"(, "save_every": 2, )" + batch + steps(4));
  const std::filesystem::path saved = folder.path() / "step_4";

  CHECK_THAT(refusal(folder.path(), batch + steps(3)),
             Contains("has a checkpoint of step 4, and this run has 3 steps"));
  CHECK_THAT(refusal(folder.path(), batch + steps(8), 2),
             Contains("a checkpoint of 1 rank(s), this run has 2"));
  CHECK_THAT(refusal(folder.path(), R"("batch_per_device": 4, "seed": 7)" + steps(8)),
             Contains("a run whose seed is 1, here it is 7"));
  CHECK_THAT(refusal(folder.path(), R"("batch_per_device": 4, "optimizer": "adamw")" + steps(8)),
             Contains("a run whose optimizer is sgd, here it is adamw"));
  CHECK_THAT(refusal(folder.path(), R"("batch_per_device": 4, "learning_rate": 0.5)" + steps(8)),
             Contains("a run whose learning_rate is 0.01, here it is 0.5"));
  const std::string state = test::read_file(saved / "rank_0.state");
  test::write_file(saved / "rank_0.state", state.substr(0, state.size() / 2));
  CHECK_THAT(refusal(folder.path(), batch + steps(8)), Contains("the checkpoint is not whole"));
  test::write_file(saved / "rank_0.state", state);
  std::string rows = test::read_file(folder.path() / "rank_0.steps");
  rows[17] ^= 1;
  test::write_file(folder.path() / "rank_0.steps", rows);
  CHECK_THAT(refusal(folder.path(), batch + steps(8)),
             Contains("rank_0.steps") && Contains("its content is not what was written"));
  std::filesystem::remove(saved / "manifest.json");
  CHECK_THAT(refusal(folder.path(), batch + steps(8)),
             Contains("the manifest of a checkpoint cannot be read"));

  const Trial none = test::run_trial(1, "{" + kSmall + R"(, "save_every": 2, )" + batch + "}");
  CHECK(none.result.exit_code == 2);
  CHECK_THAT(none.result.err, Contains("save_every needs a folder for checkpoints"));
}

// A disk of one and a half checkpoints: the second is written beside the first.
TEST_CASE("a full disk ends a run, which says so and keeps the checkpoint before", "[train]") {
  const test::TemporaryFolder folder;
  const std::string parameters = R"("model": "mlp-258k", "batch_per_device": 4, "save_every": 2)";
  run_saved(1, folder.path() / "free", parameters + steps(2));
  const std::size_t kept =
      test::state_of(folder.path() / "free", 2).at("rank_0.state").size() * 3 / 2;
  const std::filesystem::path disk = folder.path() / "disk";
  std::filesystem::create_directories(disk);
  const std::string on_disk =
      "mount -t tmpfs -o size=$1 none $0 || exit 77; shift; \"$@\"; status=$?; ls $0; exit $status";
  std::vector<std::string> argv = {"unshare",
                                   "--user",
                                   "--map-root-user",
                                   "--mount",
                                   "sh",
                                   "-c",
                                   on_disk,
                                   disk.string(),
                                   std::to_string(kept)};
  if (test::run_program({"unshare", "--user", "--map-root-user", "--mount", "true"}).exit_code !=
      0) {
    WARN("not run: no user namespaces, in which a small disk is mounted");
    return;
  }
  const std::vector<std::string> program = test::mpirun_command(1, {test::train_program()});
  argv.insert(argv.end(), program.begin(), program.end());

  const test::ProgramResult result =
      test::run_program(argv,
                        test::mpirun_environment({"SCALESTUDY_PARAMETERS=" +
                                                  test::in_folder(disk, parameters + steps(10))}));

  INFO(result.err);
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.err, Contains("No space left on device") && Contains("save_dir"));
  CHECK_THAT(result.out, Contains("step_2") && !Contains("step_4"));
}
