// scalestudy-train on samples of a file: what it trains on, what it waits for, and what it refuses.
#include <algorithm>
#include <csignal>
#include <filesystem>

#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "tests/support/catch.h"
#include "tests/workloads/named_shapes.h"
#include "tests/workloads/probe.h"
#include "tests/workloads/trial.h"

using namespace scalestudy;
using Catch::Contains;
using test::events_of;
using test::Probe;
using test::Trial;
using test::values_of;
using test::with;

namespace {

constexpr double kRecordBytes = 800.0;  // of mlp-258k: a label of 192 and 799 values

// Of mlp-258k and a file.
std::string file_parameters(const std::string& more) {
  return R"({"data": "file", "data_samples": 64, )" + more + "}";
}

Trial run_ok(int ranks, const std::string& more) {
  Trial trial = test::run_trial(ranks, file_parameters(more));
  INFO(trial.result.err);
  REQUIRE(trial.result.exit_code == 0);
  return trial;
}

std::string data_path(const std::filesystem::path& path) {
  return R"("data_path": ")" + path.string() + "\"";
}

// Of the end's message, after the exit code that is expected.
std::string failure(int exit_code, const std::string& more, int ranks = 1) {
  return test::failure_of(
      test::run_trial(ranks,
                      file_parameters(R"("batch_per_device": 8, "measured_steps": 2, )" + more)),
      exit_code);
}

std::vector<double> measured(const Trial& trial, const std::string& metric, int rank) {
  const auto all = events_of<protocol::Samples>(trial.record);
  const std::vector<double>& values = values_of(all, metric, rank);
  return {values.begin() + test::find_series(all, metric, rank)->warmup, values.end()};
}

double median(std::vector<double> values) {
  std::nth_element(
      values.begin(), values.begin() + static_cast<long>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

// A trial of one rank that writes more samples to `folder` than it will come to.
pid_t start_writing(const std::filesystem::path& folder, const std::filesystem::path& err) {
  return test::start_program(
      test::mpirun_command(1, {test::train_program()}),
      test::mpirun_environment({R"(SCALESTUDY_PARAMETERS={"data": "file", "batch_global": 8, )"
                                R"("data_samples": 100000000, )" +
                                    data_path(folder) + "}",
                                "LD_PRELOAD=" SCALESTUDY_STEPPED_CLOCK,
                                "STEPPED_READ_US=10000000"}),
      "/dev/null",
      "/dev/null",
      err);
}

// Bytes of the file in `folder` that the process has open, with or without a name; 0 for none.
std::uintmax_t open_bytes(pid_t process, const std::filesystem::path& folder) {
  std::error_code gone;
  for (const auto& file :
       std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/fd", gone)) {
    struct stat found {};
    if (std::filesystem::read_symlink(file.path(), gone).string().starts_with(folder.string()) &&
        stat(file.path().c_str(), &found) == 0) {
      return static_cast<std::uintmax_t>(found.st_size);
    }
  }
  return 0;
}

}  // namespace

// Of 40 samples two steps of 16 make an epoch: there are four.
TEST_CASE("what is trained on does not depend on when it is read", "[train]") {
  const auto [model, ranks, parts] = GENERATE(table<std::string, int, std::string>(
      {{"mlp", 1, "1"}, {"mlp", 2, "2"}, {"gpt-tiny", 2, "1"}}));
  CAPTURE(model, ranks, parts);
  const test::Flags flags = with(test::flags_of(model),
                                 {"--data=file",
                                  "--data-samples=40",
                                  "--batch-global=16",
                                  "--measured-steps=7",
                                  "--precision=fp64",  // oneDNN allocates in fp32
                                  "--accumulation-steps=" + parts});
  const test::Model network = test::network_of(model);
  const auto train = [&, count = ranks](const test::Flags& more) {
    return test::train(count, network, with(flags, more)).front();
  };
  const Probe in_step = train({"--data-prefetch=0"});

  for (const std::string depth : {"1", "5"}) {
    const Probe ahead = train({"--data-prefetch=" + depth, "--data-cache=drop"});
    CHECK(ahead.parameters == in_step.parameters);
    CHECK(ahead.losses == in_step.losses);
    CHECK(ahead.allocations == 0);
    CHECK(ahead.peak_bytes == ahead.estimate_bytes);
  }
  CHECK(in_step.allocations == 0);
  CHECK(in_step.peak_bytes == in_step.estimate_bytes);
  CHECK(train({"--seed=2"}).losses != in_step.losses);
}

TEST_CASE("ranks share the samples of a step, whatever their number", "[train]") {
  const test::Flags flags = {"--data=file",
                             "--data-samples=40",
                             "--data-prefetch=2",
                             "--precision=fp64",
                             "--batch-global=16",
                             "--measured-steps=5"};
  const Probe one = test::train(1, test::network_of("mlp"), flags).front();

  for (const int ranks : {2, 4}) {
    for (const Probe& probe : test::train(ranks, test::network_of("mlp"), flags)) {
      CHECK(test::relative_difference(one.parameters, probe.parameters) <= 1e-12);
    }
  }
}

// A file of as many samples as a step takes holds those of the first synthetic step; text is exact.
TEST_CASE("the file that a trial writes holds the synthetic samples", "[train]") {
  const test::Flags flags = with(test::flags_of("gpt-tiny"),
                                 {"--precision=fp64", "--batch-global=16", "--measured-steps=2"});
  const auto first_loss = [&](const test::Flags& more) {
    return test::train(1, test::network_of("gpt-tiny"), with(flags, more)).front().losses.at(0);
  };

  CHECK(first_loss({"--data=file", "--data-samples=16"}) == Approx(first_loss({})).epsilon(1e-12));
  CHECK(first_loss({"--data=file", "--data-samples=17"}) != Approx(first_loss({})).epsilon(1e-12));
}

// 8 samples of 500 us are 4 ms of CPU time, and a rank sleeps 20 ms of its step.
TEST_CASE("a step waits for its samples, unless they were read ahead while it computed",
          "[train]") {
  const int ranks = GENERATE(1, 2);
  CAPTURE(ranks);
  const std::string slow =
      R"("batch_per_device": 8, "decode_us": 500, "straggler_ms": 20, "warmup_steps": 3, )"
      R"("measured_steps": 15, "straggler_rank": )" +
      std::to_string(ranks - 1) + R"(, "data_prefetch": )";
  const Trial in_step = run_ok(ranks, slow + "0");
  // The longest wait of a rank, as a share of decoding; other programs on these cores can make a
  // trial's too long, and none can make all of them short.
  double least = 1.0;
  for (int i = 0; i < 4 && !(least < 0.25); ++i) {
    const Trial ahead = run_ok(ranks, slow + "2");
    double longest = 0.0;
    for (int rank = 0; rank < ranks; ++rank) {
      longest = std::max(longest, median(measured(ahead, "data_time_s", rank)) / 4e-3);
    }
    least = std::min(least, longest);
  }
  CHECK(least < 0.25);

  for (int rank = 0; rank < ranks; ++rank) {
    CAPTURE(rank);
    const std::vector<double> waits = measured(in_step, "data_time_s", rank);
    CHECK(*std::min_element(waits.begin(), waits.end()) >= 0.98 * 4e-3);
  }
  CHECK(median(measured(in_step, "step_time_s", ranks - 1)) >= 0.98 * 24e-3);
}

// A batch takes 8 ms to decode and a step 2 ms of sleep: of 20 steps 18 batches at least are
// decoded within the window, since no more than two can be there when it begins.
TEST_CASE("what decodes longer than it computes is bound by decoding", "[train]") {
  const Trial trial =
      run_ok(1,
             R"("batch_per_device": 8, "decode_us": 1000, "straggler_ms": 2, "warmup_steps": 3, )"
             R"("measured_steps": 20, "data_prefetch": 1)");
  const double window_s =
      values_of(events_of<protocol::Samples>(trial.record), "window_time_s").at(0);
  double waited_s = 0.0;
  for (const double wait_s : measured(trial, "data_time_s", 0)) {
    waited_s += wait_s;
  }

  CHECK(window_s >= 0.98 * 18 * 8e-3);
  CHECK(waited_s >= 0.4 * window_s);
}

// At least the five steps, and no more than the two batches that can be read ahead by then.
TEST_CASE("what reading took is told, of all ranks together", "[train]") {
  const test::TemporaryFolder folder;
  const Trial trial =
      run_ok(2,
             R"("batch_per_device": 4, "decode_us": 200, "warmup_steps": 1, "measured_steps": 4, )"
             R"("data_prefetch": 1, )" +
                 data_path(folder.path()));
  const auto start = events_of<protocol::Start>(trial.record).at(0).facts;
  const auto end = events_of<protocol::End>(trial.record).at(0).facts;
  const double step_bytes = 2 * 4 * kRecordBytes;

  CHECK(start.at("data_file_bytes") == 64 * kRecordBytes);
  CHECK(start.contains("data_thread_cores"));
  CHECK(end.at("data_read_bytes") >= 5 * step_bytes);
  CHECK(end.at("data_read_bytes") <= 7 * step_bytes);
  CHECK(end.at("loading_cpu_s") > 0.0);
  CHECK(end.at("preprocessing_cpu_s") >= 5 * 2 * 4 * 200e-6);
  CHECK(std::filesystem::is_empty(folder.path()));

  const Trial synthetic = test::run_trial(1, R"({"batch_per_device": 4, "measured_steps": 2})");
  CHECK_FALSE(events_of<protocol::Start>(synthetic.record).at(0).facts.contains("data_file_bytes"));
  CHECK_FALSE(events_of<protocol::End>(synthetic.record).at(0).facts.contains("loading_cpu_s"));
}

// Storage gives pages of 4096 bytes or more, a sample has 800.
TEST_CASE("reads come from storage where the page cache is dropped, else from it", "[train]") {
  struct statfs mounted {};
  REQUIRE(statfs(std::filesystem::temp_directory_path().c_str(), &mounted) == 0);
  constexpr auto ext4 = 0xEF53;
  constexpr auto xfs = 0x58465342;
  if (mounted.f_type != ext4 && mounted.f_type != xfs) {
    WARN("not run: files for a time are not on storage with a page cache");
    return;
  }
  const auto share = [](const std::string& cache) {
    const Trial trial = run_ok(
        1, R"("batch_per_device": 16, "measured_steps": 20, "data_cache": ")" + cache + "\"");
    return events_of<protocol::End>(trial.record).at(0).facts.at("data_storage_share");
  };

  CHECK(share("drop") > 1.0);
  CHECK(share("keep") < 0.1);
}

TEST_CASE("a file that cannot be trained on ends the trial with the reason", "[train]") {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("samples");
  const auto of_file = [&](int exit_code, const std::string& content, int ranks = 1) {
    test::write_file(path, content);
    return failure(exit_code, data_path(path), ranks);
  };

  CHECK_THAT(failure(2, data_path("/nonexistent/samples")),
             Contains("data_path is /nonexistent/samples: No such file or directory"));
  CHECK_THAT(of_file(2, std::string(801, '\0')),
             Contains("its 801 bytes are no whole number of samples of 800 bytes"));
  CHECK_THAT(of_file(2, std::string(12 * 800, '\0'), 2),
             Contains("it has 12 sample(s), a step takes 16"));
  CHECK_THAT(of_file(2, ""), Contains("it has 0 sample(s), a step takes 8"));
  CHECK_THAT(of_file(1, std::string(8 * 800, '\xFF')),
             Contains("a sample has the label 255, but the model's end at 191"));
  if (geteuid() != 0) {
    test::write_file(path, std::string(8 * 800, '\0'));
    std::filesystem::permissions(path, std::filesystem::perms::none);
    CHECK_THAT(failure(2, data_path(path)), Contains("Permission denied"));
  }
  const std::string pipe = folder.file("pipe");
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  CHECK_THAT(failure(2, data_path(pipe)), Contains("it is neither a file nor a folder"));
  CHECK_THAT(failure(1, data_path("/proc")),
             Contains("a file of samples cannot be written") && Contains("51200 bytes"));
}

// A rank is killed once some of its samples are written. By its clock ten seconds pass from one
// look to the next, so that it is due to say how far it is.
TEST_CASE("writing samples is not silent, and leaves nothing where it is killed", "[train]") {
  const test::TemporaryFolder folder;
  const test::TemporaryFolder output;
  const std::filesystem::path err = output.path() / "err";
  const pid_t launcher = start_writing(folder.path(), err);
  pid_t rank = 0;
  const bool is_writing = test::eventually([&] {
    const std::vector<pid_t> ranks = test::children_of(launcher);
    rank = ranks.empty() ? 0 : ranks.front();
    return rank != 0 && open_bytes(rank, folder.path()) > 0;
  });
  const bool has_told =
      is_writing && test::eventually([&] {
        return test::read_file(err).find("scalestudy: writing samples to " +
                                         folder.path().string()) != std::string::npos;
      });
  if (is_writing) {
    kill(rank, SIGKILL);
  }
  kill(launcher, SIGKILL);
  test::wait_for(launcher);

  CHECK(is_writing);
  CHECK(has_told);
  CHECK_THAT(test::read_file(err), Contains(" % of 80000000000 bytes"));
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("a file that becomes shorter ends the trial", "[train]") {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("samples");
  const std::string output = folder.file("trial.jsonl");
  test::write_file(path, std::string(64 * 800, '\x7F'));
  const pid_t launcher = test::start_program(
      test::mpirun_command(1, {test::train_program()}),
      test::mpirun_environment(
          {"SCALESTUDY_OUTPUT=" + output,
           "SCALESTUDY_PARAMETERS=" +
               file_parameters(R"("batch_global": 8, "measured_steps": 500000, )" +
                               data_path(path))}),
      "/dev/null",
      folder.path() / "out",
      folder.path() / "err");
  const bool has_begun = test::eventually(
      [&] { return test::read_file(output).find("measure") != std::string::npos; });

  std::filesystem::resize_file(path, 100);
  const int exit_code = test::wait_for(launcher);

  CHECK(has_begun);
  CHECK(exit_code == 1);
  CHECK_THAT(test::read_file(folder.path() / "err"), Contains("the file became shorter"));
}
