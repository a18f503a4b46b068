// Emulated ranks have the timings that were declared for them, also where they are more than cores.
#include "tests/support/catch.h"
#include "tests/workloads/trial.h"

using namespace scalestudy;
using test::events_of;
using test::find_series;
using test::values_of;

namespace {

// Two thousand parameters: what really travels takes next to nothing.
const std::string kSmall = R"("model": "lstm-332k", "model.width": 8, "model.sequence": 4)";

// 8 samples a device. Of 9 steps the third shortest counts: nothing is faster than what is
// declared, and other programs on the cores make some steps longer.
class Emulated {
 public:
  Emulated(int ranks, const std::string& parameters)
      : trial_(test::run_trial(ranks,
                               R"({"compute": "declared", "batch_per_device": 8, )"
                               R"("warmup_steps": 2, "measured_steps": 9, )" +
                                   parameters + "}")) {
    INFO(trial_.result.err);
    REQUIRE(trial_.result.exit_code == 0);
    samples_ = events_of<protocol::Samples>(trial_.record);
  }

  protocol::Start start() const { return events_of<protocol::Start>(trial_.record).at(0); }
  const std::vector<protocol::Samples>& samples() const { return samples_; }
  const protocol::Record& record() const { return trial_.record; }

  // ms, over the ranks or of one.
  double quartile(const std::string& metric, std::optional<int> rank = std::nullopt) const {
    std::vector<double> values = values_of(samples_, metric, rank);
    std::sort(values.begin() + 2, values.end());
    return 1e3 * values.at(4);
  }

 private:
  test::Trial trial_;
  std::vector<protocol::Samples> samples_;
};

std::string times(double sample_ms, double step_ms) {
  return ", \"declared_sample_ms\": " + std::to_string(sample_ms) +
         ", \"declared_step_ms\": " + std::to_string(step_ms);
}

}  // namespace

TEST_CASE("a step of emulated ranks takes what is declared, on more ranks than cores too",
          "[train][timed]") {
  const int ranks = GENERATE(1, 4, 8);
  const Emulated trial(ranks, kSmall + times(4.0, 8.0));
  CAPTURE(ranks);

  // 8 + 8 x 4 ms, a third of it in forward.
  CHECK(trial.quartile("step_time_s") >= 40.0);
  CHECK(trial.quartile("step_time_s") == Approx(40.0).epsilon(0.05));
  CHECK(trial.quartile("forward_time_s", 0) == Approx(40.0 / 3.0).epsilon(0.05));
  CHECK(trial.quartile("backward_time_s", 0) == Approx(80.0 / 3.0).epsilon(0.05));
}

TEST_CASE("an emulated trial says so, and has no loss and no check of one", "[train]") {
  const Emulated trial(8, kSmall + times(0.0, 5.0));

  CHECK(trial.start().facts.at("emulated") == 1.0);
  CHECK(trial.start().facts.at("declared_computation_s") == Approx(0.005));
  CHECK(trial.start().facts.at("oversubscribed") == 0.0);
  CHECK(trial.start().facts.at("memory_activations_bytes") == 0.0);
  CHECK(trial.start().parameters.at("compute") == "declared");
  CHECK(find_series(trial.samples(), "loss") == nullptr);
  CHECK(events_of<protocol::Check>(trial.record()).empty());
  CHECK(events_of<protocol::End>(trial.record()).at(0).ok);
}

TEST_CASE("gradients of emulated ranks really travel, under every strategy", "[train]") {
  const std::string strategy = GENERATE("ddp", "ddp_serial", "zero1", "zero2", "fsdp");
  const Emulated trial(2, R"("strategy": ")" + strategy + "\"" + times(0.0, 20.0));
  CAPTURE(strategy);

  CHECK(trial.start().facts.at("gradient_bytes") >= 4.0 * 258'432.0);  // of mlp-258k
  CHECK(trial.quartile("communication_time_s", 0) > 0.1);              // 1 MB at 10 GB/s
  CHECK(trial.quartile("step_time_s") >= 20.0);
  CHECK(trial.quartile("step_time_s") < 30.0);
}

TEST_CASE("a straggler among eight emulated ranks is read as skew of what it was declared",
          "[train][timed]") {
  const Emulated trial(8,
                       kSmall + times(0.0, 20.0) + R"(, "straggler_rank": 3, "straggler_ms": 60)");

  CHECK(trial.quartile("collective_skew_time_s", 0) == Approx(60.0).epsilon(0.05));
  CHECK(trial.quartile("collective_skew_time_s", 7) == Approx(60.0).epsilon(0.05));
  CHECK(trial.quartile("collective_skew_time_s", 3) < 5.0);
  CHECK(trial.quartile("step_time_s") == Approx(80.0).epsilon(0.05));
}

// 16 samples of 2 ms, of which one of two ranks takes three times as long for each: 8 of them take
// it 48 ms, and 12 and 4 take both ranks 24.
TEST_CASE("shares by measured speed let emulated ranks of unequal speed end together",
          "[train][timed]") {
  const std::string work =
      kSmall + times(2.0, 0.0) + R"(, "straggler_rank": 1, "straggler_factor": 3, "shares": )";
  const Emulated equal(2, work + "\"equal\"");
  const Emulated declared(2, work + "\"3:1\"");
  const Emulated measured(2, work + "\"proportional\"");

  CHECK(equal.quartile("step_time_s") == Approx(48.0).epsilon(0.05));
  CHECK(declared.quartile("step_time_s") == Approx(24.0).epsilon(0.05));
  CHECK(measured.quartile("step_time_s") == Approx(24.0).epsilon(0.05));
  CHECK(measured.quartile("collective_skew_time_s") < 2.0);
  const auto facts = measured.start().facts;
  CHECK(facts.at("shares.rank_0") == 12.0);
  CHECK(facts.at("shares.rank_1") == 4.0);
  CHECK(facts.at("batch_global") == 16.0);
  CHECK(facts.at("declared_computation_s") == Approx(0.024));
  CHECK(facts.at("alone_samples_per_s.rank_0") == Approx(500.0).epsilon(0.05));
  CHECK(facts.at("alone_samples_per_s.rank_1") == Approx(500.0 / 3.0).epsilon(0.05));
  CHECK(declared.start().facts.at("shares.rank_0") == 12.0);
  CHECK_FALSE(declared.start().facts.contains("alone_samples_per_s.rank_0"));
  CHECK_FALSE(equal.start().facts.contains("shares.rank_0"));
  CHECK(equal.start().facts.at("declared_computation_s") == Approx(0.048));
}

// 2 x 3 hops of 5 ms; then 2 x 3/4 of the bytes at 10 MB/s.
TEST_CASE("a declared link adds what a ring of four takes", "[train][timed]") {
  const std::string work = kSmall + times(0.0, 20.0);
  const Emulated hops(4, work + R"(, "declared_hop_ms": 5)");
  const Emulated bytes(4, work + R"(, "declared_gb_per_s": 0.0005)");

  CHECK(hops.quartile("exposed_communication_time_s", 0) == Approx(30.0).epsilon(0.05));
  CHECK(hops.quartile("step_time_s") == Approx(50.0).epsilon(0.05));
  const double sent_ms = 1.5 * bytes.start().facts.at("wire_bytes") / 5e5 * 1e3;
  CHECK(sent_ms > 20.0);
  CHECK(bytes.quartile("exposed_communication_time_s", 0) == Approx(sent_ms).epsilon(0.05));
}

// Three buckets of two hops: 10 ms each. By flop (declared_test.cc) they are ready 3.9, 16.9 and 60
// ms into the 60 ms of backward, so that only the last one is left to wait for.
TEST_CASE("overlap hides what declared buckets leave time for", "[train][timed]") {
  const std::string work =
      R"("declared_hop_ms": 5, "payload": "element", "bucket_mb": 0.04, "first_bucket_mb": 0.04)" +
      times(0.0, 90.0);
  const Emulated none(2, work + R"(, "overlap": "none")");
  const Emulated thread(2, work + R"(, "overlap": "thread")");
  CHECK_FALSE(thread.start().facts.contains("communication_thread_cores"));  // none is needed

  CHECK(none.start().facts.at("bucket_count") == 3.0);
  CHECK(none.quartile("step_time_s") == Approx(120.0).epsilon(0.03));
  CHECK(none.quartile("exposed_communication_time_s", 0) == Approx(30.0).epsilon(0.05));
  CHECK(thread.quartile("step_time_s") == Approx(100.0).epsilon(0.03));
  CHECK(thread.quartile("communication_time_s", 0) == Approx(30.0).epsilon(0.05));
  CHECK(thread.quartile("hidden_communication_time_s") == Approx(20.0).epsilon(0.10));
}

// Within nodes nothing is declared: 2 x 3/4 of the bytes against 2 x 1/2 of half of them.
TEST_CASE("by nodes an emulated ring of two sends a third of what one of four does",
          "[train][timed]") {
  const std::string work = R"("declared_gb_per_s": 0.02)" + times(0.0, 10.0);
  const Emulated flat(4, work);
  const Emulated nodes(4, work + R"(, "allreduce": "hierarchical", "virtual_node_ranks": 2)");

  const double bytes_ms = flat.start().facts.at("wire_bytes") / 2e7 * 1e3;
  CHECK(flat.quartile("exposed_communication_time_s", 0) == Approx(1.5 * bytes_ms).epsilon(0.15));
  CHECK(flat.quartile("step_time_s") - nodes.quartile("step_time_s") ==
        Approx(bytes_ms).epsilon(0.15));
}

// Four nodes of four: 2 x 15/16 of the bytes against 2 x 3/4 of a quarter of them. Sixteen ranks
// that are woken three times, by two cores that a compiler keeps busy, take up to 15 ms besides.
TEST_CASE("sixteen emulated ranks send over four nodes what a ring of four sends of a quarter",
          "[train][timed][slow]") {
  const std::string work = kSmall + R"(, "declared_gb_per_s": 0.0001)" + times(0.0, 40.0);
  const Emulated flat(16, work);
  const Emulated nodes(16, work + R"(, "allreduce": "hierarchical", "virtual_node_ranks": 4)");

  const double bytes_ms = flat.start().facts.at("wire_bytes") / 1e5 * 1e3;
  CHECK(bytes_ms > 90.0);
  const auto check_takes = [](const Emulated& trial, double step_ms) {
    CHECK(trial.quartile("step_time_s") >= 0.99 * step_ms);
    CHECK(trial.quartile("step_time_s") <= step_ms + 20.0);
  };
  check_takes(flat, 40.0 + 1.875 * bytes_ms);
  check_takes(nodes, 40.0 + 0.375 * bytes_ms);
}
