// What buckets and overlap do in training on real MPI ranks, and what a trial tells of them.
#include "tests/support/catch.h"
#include "tests/workloads/probe.h"
#include "tests/workloads/trial.h"

using namespace scalestudy;
using test::events_of;
using test::find_series;
using test::Probe;
using test::run_trial;
using test::Trial;
using test::values_of;

namespace {

// Layers of 0.02 to 0.03 MiB each.
const test::Model kModel = {"64,96,80,64,16", "0.2"};

std::vector<Probe> train_overlapped(int ranks,
                                    const std::string& overlap,
                                    const std::string& strategy = "--strategy=ddp") {
  return test::train(ranks,
                     kModel,
                     {"--batch-global=16",
                      "--measured-steps=5",
                      "--deterministic=true",
                      "--bucket-mb=0.02",
                      "--first-bucket-mb=0.01",
                      strategy,
                      overlap});
}

// Of two ranks on the model mlp-258k.
Trial run_two(const std::string& parameters,
              const std::string& size = R"("batch_per_device": 16, "measured_steps": 3)") {
  Trial trial = run_trial(2, R"({"warmup_steps": 0, )" + size + ", " + parameters + "}");
  INFO(trial.result.err);
  REQUIRE(trial.result.exit_code == 0);
  return trial;
}

std::map<std::string, double> facts_of(const Trial& trial) {
  return events_of<protocol::Start>(trial.record).at(0).facts;
}

}  // namespace

TEST_CASE("overlap changes no bit of a deterministic run", "[train]") {
  const int ranks = GENERATE(1, 2, 4);
  const Probe none = train_overlapped(ranks, "--overlap=none")[0];

  for (const auto* overlap :
       {"--overlap=none", "--overlap=poll", "--overlap=start_wait", "--overlap=thread"}) {
    INFO(overlap);
    const Probe other = train_overlapped(ranks, overlap)[0];
    CHECK(other.parameters == none.parameters);
    CHECK(other.losses == none.losses);
    CHECK(other.calls == none.calls);
  }
}

// Sums of shares that MPI returns at once from add four numbers in another order than its others:
// poll is compared with start_wait, which makes the same calls, and thread with none.
TEST_CASE("overlap changes no bit of a shared model but by how MPI sums", "[train][slow]") {
  const auto [ranks, strategy] = GENERATE(table<int, std::string>({{2, "--strategy=zero2"},
                                                                   {4, "--strategy=zero1"},
                                                                   {4, "--strategy=zero2"},
                                                                   {4, "--strategy=fsdp"}}));
  CAPTURE(ranks, strategy);
  const Probe none = train_overlapped(ranks, "--overlap=none", strategy)[0];
  const Probe start_wait = train_overlapped(ranks, "--overlap=start_wait", strategy)[0];
  const Probe poll = train_overlapped(ranks, "--overlap=poll", strategy)[0];
  const Probe thread = train_overlapped(ranks, "--overlap=thread", strategy)[0];

  CHECK((thread.parameters == none.parameters));
  CHECK(thread.losses == none.losses);
  CHECK((poll.parameters == start_wait.parameters));
  CHECK(poll.losses == start_wait.losses);
  CHECK(test::relative_difference(none.parameters, poll.parameters) <= (ranks == 2 ? 0.0 : 1e-6));
  for (const Probe& probe : {start_wait, poll, thread}) {
    CHECK(probe.calls == none.calls);
  }
}

// Only some step must show it, and steps are long: on a busy machine a thread waits for its core.
TEST_CASE("collectives are in flight beside backward where overlap is asked for", "[train]") {
  const std::string size = R"("batch_per_device": 512, "measured_steps": 40)";
  const std::string buckets = R"("bucket_mb": 0.01, "first_bucket_mb": 0.01, "overlap": )";
  const auto hides_in_some_step = [&](const std::string& overlap) {
    const auto all = events_of<protocol::Samples>(run_two(buckets + overlap, size).record);
    const auto& communication = values_of(all, "communication_time_s", 0);
    const auto& exposed = values_of(all, "exposed_communication_time_s", 0);
    bool hides = false;
    for (std::size_t i = 0; i < communication.size(); ++i) {
      hides = hides || communication[i] > exposed[i];
    }
    return hides;
  };

  CHECK_FALSE(hides_in_some_step(R"("none")"));
  CHECK_FALSE(hides_in_some_step(R"("start_wait")"));
  CHECK(hides_in_some_step(R"("poll")"));
  CHECK(hides_in_some_step(R"("thread")"));
}

// By hand, bytes of mlp-258k's tensors as they become ready: 768, 49152, 256, 32768, 512, 131072,
// 1024, 818176. 0.1 MiB is reached by the sixth, 0.04 MiB by the second.
TEST_CASE("bucket limits and strategy decide the buckets that a trial reports", "[train]") {
  const auto [parameters, count, tail] = GENERATE(table<std::string, double, double>({
      {R"("bucket_mb": 0.1, "first_bucket_mb": 0.1)", 2.0, 1024.0 + 818176.0},
      {R"("bucket_mb": 0.1, "first_bucket_mb": 0.04)", 3.0, 1024.0 + 818176.0},
      {R"("bucket_mb": 25)", 1.0, 1033728.0},
      {R"("bucket_mb": 0.1, "first_bucket_mb": 0.1, "strategy": "ddp_serial")", 1.0, 1033728.0},
      {R"("bucket_mb": 0.1, "first_bucket_mb": 0.1, "precision": "fp64")",
       3.0,
       2.0 * (1024.0 + 818176.0)},
  }));

  const auto facts = facts_of(run_two(parameters));

  CHECK(facts.at("bucket_count") == count);
  CHECK(facts.at("tail_bucket_bytes") == tail);
}

TEST_CASE("hidden communication is reported where there is something to hide it behind",
          "[train]") {
  const auto is_reported = [](const std::string& parameters) {
    return find_series(events_of<protocol::Samples>(run_two(parameters).record),
                       "hidden_communication_time_s") != nullptr;
  };

  CHECK(is_reported(R"("overlap": "thread", "bucket_mb": 0.1, "first_bucket_mb": 0.1)"));
  CHECK_FALSE(is_reported(R"("overlap": "thread")"));  // one bucket
  CHECK_FALSE(is_reported(R"("bucket_mb": 0.1, "first_bucket_mb": 0.1)"));
  CHECK_FALSE(is_reported(R"("overlap": "start_wait", "bucket_mb": 0.1, "first_bucket_mb": 0.1)"));
  CHECK_FALSE(is_reported(
      R"("overlap": "thread", "bucket_mb": 0.1, "first_bucket_mb": 0.1, "comm": "noop")"));
}

// MPI moves nothing between two polls, and a poll finds an end only after it.
TEST_CASE("polling reports neither what it hides nor how long transfers take", "[train]") {
  const auto all = events_of<protocol::Samples>(
      run_two(R"("overlap": "poll", "bucket_mb": 0.1, "first_bucket_mb": 0.1)").record);

  CHECK(find_series(all, "exposed_communication_time_s") != nullptr);
  CHECK(find_series(all, "hidden_communication_time_s") == nullptr);
  CHECK(find_series(all, "collective_transfer_time_s") == nullptr);
  CHECK(find_series(all, "collective_skew_time_s", 0) == nullptr);
}

TEST_CASE("transfer is the same on every rank, and with skew it is all of a collective",
          "[train]") {
  const auto* overlap = GENERATE(R"("none")", R"("thread")");
  const auto all = events_of<protocol::Samples>(
      run_two(std::string(R"("bucket_mb": 0.1, "first_bucket_mb": 0.1, "overlap": )") + overlap)
          .record);

  const auto& transfer_s = values_of(all, "collective_transfer_time_s", 0);
  CHECK(transfer_s == values_of(all, "collective_transfer_time_s", 1));
  for (const int rank : {0, 1}) {
    const auto& skew_s = values_of(all, "collective_skew_time_s", rank);
    const auto& communication_s = values_of(all, "communication_time_s", rank);
    for (std::size_t i = 0; i < skew_s.size(); ++i) {
      CHECK(transfer_s[i] > 0.0);
      CHECK(skew_s[i] >= 0.0);
      // Collectives in flight together count once in the communication time.
      CHECK(transfer_s[i] + skew_s[i] >= communication_s[i] * (1.0 - 1e-9));
    }
  }
}
