// Emulated ranks have the timings that were declared for them, also where they are more than cores.
#include <algorithm>
#include <utility>

#include "tests/support/catch.h"
#include "tests/workloads/stepped_trial.h"

using namespace scalestudy;
using test::events_of;
using test::exactly;
using test::find_series;

namespace {

// Two thousand parameters: what really travels is little.
const std::string kSmall = R"("model": "lstm-332k", "model.width": 8, "model.sequence": 4)";

// Of 8 samples a device.
const std::string kEmulated = R"("compute": "declared", "batch_per_device": 8, )";

test::SteppedSteps stepped(int ranks,
                           const std::string& parameters,
                           std::vector<std::string> more = {}) {
  return test::SteppedSteps(ranks, kEmulated + parameters, std::move(more));
}

// By the system's clock.
test::Trial emulated(int ranks, const std::string& parameters) {
  return test::run_sound(ranks,
                         kEmulated + R"("warmup_steps": 2, "measured_steps": 3, )" + parameters);
}

std::string times(double sample_ms, double step_ms) {
  return ", \"declared_sample_ms\": " + std::to_string(sample_ms) +
         ", \"declared_step_ms\": " + std::to_string(step_ms);
}

}  // namespace

// 8 + 8 x 4 ms, a third of it in forward.
TEST_CASE("a step of emulated ranks takes what is declared, on more ranks than cores too",
          "[train]") {
  const int ranks = GENERATE(1, 4, 8);
  const auto trial = stepped(ranks, kSmall + times(4.0, 8.0));
  CAPTURE(ranks);

  CHECK(trial.ms("step_time_s") == exactly(40.0));
  CHECK(trial.ms("forward_time_s", 0) == exactly(40.0 / 3.0));
  CHECK(trial.ms("backward_time_s", 0) == exactly(80.0 / 3.0));
}

// Forward and backward of four layers are eight sleeps, of which the last is long.
TEST_CASE("sleeps that end late make a step later by one delay, not by all", "[train]") {
  const std::string work = R"("model": "mlp-258k")" + times(4.0, 8.0);
  const auto trial = stepped(1, work, {"STEPPED_LATE_US=500"});

  CHECK(trial.ms("step_time_s") == exactly(40.0 + 0.5));
}

TEST_CASE("an emulated trial says so, and has no loss and no check of one", "[train]") {
  const test::Trial trial = emulated(8, kSmall + times(0.0, 5.0));
  const auto start = events_of<protocol::Start>(trial.record).at(0);

  CHECK(start.facts.at("emulated") == 1.0);
  CHECK(start.facts.at("declared_computation_s") == Approx(0.005));
  CHECK(start.facts.at("oversubscribed") == 0.0);
  CHECK(start.facts.at("memory_activations_bytes") == 0.0);
  CHECK(start.parameters.at("compute") == "declared");
  CHECK(find_series(events_of<protocol::Samples>(trial.record), "loss") == nullptr);
  CHECK(events_of<protocol::Check>(trial.record).empty());
  CHECK(events_of<protocol::End>(trial.record).at(0).ok);
}

TEST_CASE("gradients of emulated ranks really travel, under every strategy", "[train]") {
  const std::string strategy = GENERATE("ddp", "ddp_serial", "zero1", "zero2", "fsdp");
  const test::Trial trial = emulated(2, R"("strategy": ")" + strategy + "\"" + times(0.0, 20.0));
  CAPTURE(strategy);
  const auto samples = events_of<protocol::Samples>(trial.record);
  const auto least_s = [&](const std::string& metric, std::optional<int> rank = std::nullopt) {
    const auto& values = test::values_of(samples, metric, rank);
    return *std::min_element(values.begin() + 2, values.end());
  };

  CHECK(events_of<protocol::Start>(trial.record).at(0).facts.at("gradient_bytes") >=
        4.0 * 258'432.0);                              // of mlp-258k
  CHECK(least_s("communication_time_s", 0) > 0.0001);  // 1 MB at 10 GB/s
  CHECK(least_s("step_time_s") >= 0.020);
}

TEST_CASE("a straggler among eight emulated ranks is read as skew of what it was declared",
          "[train]") {
  const auto trial =
      stepped(8, kSmall + times(0.0, 20.0) + R"(, "straggler_rank": 3, "straggler_ms": 60)");

  CHECK(trial.ms("collective_skew_time_s", 0) == exactly(60.0));
  CHECK(trial.ms("collective_skew_time_s", 7) == exactly(60.0));
  CHECK(trial.ms("collective_skew_time_s", 3) == exactly(0.0));
  CHECK(trial.ms("step_time_s") == exactly(80.0));
}

// 16 samples of 2 ms, of which one of two ranks takes three times as long for each: 8 of them take
// it 48 ms, and 12 and 4 take both ranks 24.
TEST_CASE("shares by measured speed let emulated ranks of unequal speed end together", "[train]") {
  const std::string work =
      kSmall + times(2.0, 0.0) + R"(, "straggler_rank": 1, "straggler_factor": 3, "shares": )";
  const auto equal = stepped(2, work + "\"equal\"");
  const auto declared = stepped(2, work + "\"3:1\"");
  const auto measured = stepped(2, work + "\"proportional\"");

  CHECK(equal.ms("step_time_s") == exactly(48.0));
  CHECK(declared.ms("step_time_s") == exactly(24.0));
  CHECK(measured.ms("step_time_s") == exactly(24.0));
  CHECK(measured.ms("collective_skew_time_s") == exactly(0.0));
  const auto facts = measured.start().facts;
  CHECK(facts.at("shares.rank_0") == 12.0);
  CHECK(facts.at("shares.rank_1") == 4.0);
  CHECK(facts.at("batch_global") == 16.0);
  CHECK(facts.at("declared_computation_s") == Approx(0.024));
  CHECK(facts.at("alone_samples_per_s.rank_0") == Approx(500.0));
  CHECK(facts.at("alone_samples_per_s.rank_1") == Approx(500.0 / 3.0));
  CHECK(declared.start().facts.at("shares.rank_0") == 12.0);
  CHECK_FALSE(declared.start().facts.contains("alone_samples_per_s.rank_0"));
  CHECK_FALSE(equal.start().facts.contains("shares.rank_0"));
  CHECK(equal.start().facts.at("declared_computation_s") == Approx(0.048));
}

// 2 x 3 hops of 5 ms; then 2 x 3/4 of the bytes at 0.5 MB/s.
TEST_CASE("a declared link adds what a ring of four takes", "[train]") {
  const std::string work = kSmall + times(0.0, 20.0);
  const auto hops = stepped(4, work + R"(, "declared_hop_ms": 5)");
  const auto bytes = stepped(4, work + R"(, "declared_gb_per_s": 0.0005)");

  CHECK(hops.ms("exposed_communication_time_s", 0) == exactly(30.0));
  CHECK(hops.ms("step_time_s") == exactly(50.0));
  const double sent_ms = 1.5 * bytes.start().facts.at("wire_bytes") / 5e5 * 1e3;
  CHECK(sent_ms > 20.0);
  CHECK(bytes.ms("exposed_communication_time_s", 0) == exactly(sent_ms));
}

// Three buckets of two hops: 10 ms each. By flop (declared_test.cc) they are ready 3.9, 16.9 and 60
// ms into the 60 ms of backward, so that only the last one is left to wait for.
TEST_CASE("overlap hides what declared buckets leave time for", "[train]") {
  const std::string work =
      R"("declared_hop_ms": 5, "payload": "element", "bucket_mb": 0.04, "first_bucket_mb": 0.04)" +
      times(0.0, 90.0);
  const auto none = stepped(2, work + R"(, "overlap": "none")");
  const auto thread = stepped(2, work + R"(, "overlap": "thread")");
  const auto poll = stepped(2, work + R"(, "overlap": "poll")");
  CHECK_FALSE(thread.start().facts.contains("communication_thread_cores"));  // none is needed

  CHECK(none.start().facts.at("bucket_count") == 3.0);
  CHECK(none.ms("step_time_s") == exactly(120.0));
  CHECK(none.ms("exposed_communication_time_s", 0) == exactly(30.0));
  CHECK(thread.ms("step_time_s") == exactly(100.0));
  CHECK(thread.ms("communication_time_s", 0) == exactly(30.0));
  CHECK(thread.ms("hidden_communication_time_s") == exactly(20.0));
  CHECK(poll.ms("step_time_s") == exactly(100.0));
}

// Within nodes nothing is declared: 2 x 3/4 of the bytes against 2 x 1/2 of half of them.
TEST_CASE("by nodes an emulated ring of two sends a third of what one of four does", "[train]") {
  const std::string work = R"("declared_gb_per_s": 0.02)" + times(0.0, 10.0);
  const auto flat = stepped(4, work);
  const auto nodes = stepped(4, work + R"(, "allreduce": "hierarchical", "virtual_node_ranks": 2)");

  const double bytes_ms = flat.start().facts.at("wire_bytes") / 2e7 * 1e3;
  CHECK(flat.ms("exposed_communication_time_s", 0) == exactly(1.5 * bytes_ms));
  CHECK(nodes.ms("exposed_communication_time_s", 0) == exactly(0.5 * bytes_ms));
}

// Four nodes of four: 2 x 15/16 of the bytes against 2 x 3/4 of a quarter of them.
TEST_CASE("sixteen emulated ranks send over four nodes what a ring of four sends of a quarter",
          "[train]") {
  const std::string work = kSmall + R"(, "declared_gb_per_s": 0.0001)" + times(0.0, 40.0);
  const auto flat = stepped(16, work);
  const auto nodes =
      stepped(16, work + R"(, "allreduce": "hierarchical", "virtual_node_ranks": 4)");

  const double bytes_ms = flat.start().facts.at("wire_bytes") / 1e5 * 1e3;
  CHECK(bytes_ms > 90.0);
  CHECK(flat.ms("step_time_s") == exactly(40.0 + 1.875 * bytes_ms));
  CHECK(nodes.ms("step_time_s") == exactly(40.0 + 0.375 * bytes_ms));
}
