// Rates that programs print: what they are by name and unit, and what recomputing says of them.
#include "harness/audit/check/rate.h"

#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::audit;

namespace {

std::string kind_of(const std::string& metric, const std::string& unit) {
  const std::optional<RateKind> kind = rate_kind(metric, unit);
  return kind ? kind->quantity : "none";
}

TEST_CASE("a metric is a rate by its unit, and of one device by its name", "[audit]") {
  CHECK(kind_of("tokens_per_s", "tokens/s") == "throughput");
  CHECK(kind_of("tps", "tok/s") == "throughput");
  CHECK(kind_of("tokens_per_device_s", "tokens/s") == "throughput_per_device");
  CHECK(kind_of("tokens", "tokens/s/GPU") == "throughput_per_device");
  CHECK(kind_of("rate", "img/s") == "throughput");
  CHECK(kind_of("tflops_per_gpu", "TFLOP/s") == "flop_rate_per_device");
  CHECK(kind_of("tflops", "tflops") == "flop_rate");
  CHECK(rate_kind("tflops", "tflops")->unit_size == 1e12);
  CHECK(kind_of("mfu", "%") == "mfu");
  CHECK(rate_kind("mfu", "%")->unit_size == 0.01);
  CHECK(kind_of("iter_time_s", "s") == "step_time");
  CHECK(kind_of("step_time_s", "s") == "none");  // what the others are held to
  CHECK(kind_of("loss", "1") == "none");
  CHECK(kind_of("requests_per_s", "requests/s") == "none");
  CHECK(kind_of("read_bytes_per_s", "B/s") == "none");
}

TEST_CASE("what is not of the mean step is no rate that step times give", "[audit]") {
  for (const char* metric : {"step_time_p99",
                             "step_time_max_s",
                             "min_step_time_s",
                             "step_time_min",
                             "step_time_std",
                             "step_time_forward"}) {
    INFO(metric);
    CHECK(kind_of(metric, "ms") == "none");
  }
  CHECK(kind_of("peak_images_per_s", "img/s") == "none");
  CHECK(kind_of("eval_samples_per_second", "samples/s") == "none");
  CHECK(kind_of("peak_tflops", "TFLOP/s") == "none");
  CHECK(kind_of("train_samples_per_second", "samples/s") == "throughput");
  CHECK(kind_of("data_parallel_tokens_per_s", "tokens/s") == "throughput");
  CHECK(kind_of("step_time_mean", "ms") == "step_time");
}

// 16 samples of 1024 tokens in 50 ms on 8 devices: 327,680 tokens/s, 40,960 each.
RateCheck check_of(const std::string& quantity, double value, double error = 0.001) {
  PrintedRate rate{
      quantity, "tokens/s", {value, value}, {0.05 * (1 - error), 0.05 * (1 + error)}, {}};
  for (const auto& [fact, number] : std::map<std::string, double>{{"devices", 8.0},
                                                                  {"batch_global", 16.0},
                                                                  {"sequence_length", 1024.0},
                                                                  {"flop_per_step", 1e12},
                                                                  {"peak_flop_rate", 1e13}}) {
    rate.facts[fact] = {number, number};
  }
  return check_rate(rate);
}

TEST_CASE("a rate is what its name says, or a known mistake, or neither", "[audit]") {
  CHECK(check_of("throughput", 327'680).verdict == RateVerdict::kFollows);
  CHECK(check_of("throughput", 327'680).from == "batch_global * sequence_length / step_time");
  CHECK(check_of("throughput", 40'960).verdict == RateVerdict::kPerDeviceNotTotal);
  CHECK(check_of("throughput_per_device", 327'680).verdict == RateVerdict::kTotalNotPerDevice);
  CHECK(check_of("throughput", 320'000).verdict == RateVerdict::kCountsX1024);
  CHECK(check_of("throughput", 327'680 * 1.024).verdict == RateVerdict::kCountsX1024);
  // Of times that are known to 1 % no 2.4 % can be told.
  CHECK(check_of("throughput", 319'000, 0.01).verdict == RateVerdict::kDoesNotFollow);
  CHECK(check_of("throughput", 250'000).verdict == RateVerdict::kDoesNotFollow);
  // 1 TFLOP in 50 ms on 8 devices of 10 TFLOP/s: 25 %.
  CHECK(check_of("mfu", 0.25).verdict == RateVerdict::kFollows);
  CHECK(check_of("mfu", 0.125).verdict == RateVerdict::kSparsePeak);
  CHECK(check_of("mfu", 0.5).verdict == RateVerdict::kDensePeak);
  CHECK(check_of("mfu", 0.4).verdict == RateVerdict::kDoesNotFollow);
  CHECK(check_of("flop_rate", 2e13).verdict == RateVerdict::kFollows);
  CHECK(check_of("flop_rate", 2.5e12).verdict == RateVerdict::kPerDeviceNotTotal);
}

TEST_CASE("what is not declared is named, and the rate left unchecked", "[audit]") {
  const RateCheck check = check_rate({"throughput",
                                      "tokens/s",
                                      {100.0, 100.0},
                                      {0.05, 0.05},
                                      {{"devices", {8.0, 8.0}}, {"batch_global", {16.0, 16.0}}}});

  CHECK(check.verdict == RateVerdict::kCannotBeChecked);
  CHECK_FALSE(check.recomputed);
  CHECK(check.from == "batch_global * sequence_length / step_time: declare sequence_length");
}

}  // namespace
