// Units of reports in base units.
#include "harness/audit/figure/unit.h"

#include <tuple>
#include <vector>

#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::audit;

namespace {

using enum Dimension;

TEST_CASE("a unit is a number of base units", "[audit]") {
  const std::vector<std::tuple<const char*, Dimension, double>> units{
      {"%", kRatio, 0.01},
      {"×", kRatio, 1.0},
      {"Ã—", kRatio, 1.0},
      {"", kRatio, 1.0},
      {"M parameters", kCount, 1e6},
      {"B", kCount, 1e9},
      {"Mtokens", kCount, 1e6},
      {"kiter", kCount, 1e3},
      {"kiters", kCount, 1e3},
      {"Mbatches", kCount, 1e6},
      {"KTokens", kCount, 1e3},
      {"Bit", kCount, 1.0},
      {"GPUs", kCount, 1.0},
      {"bytes/param", kCount, 1.0},
      {"ms", kTime, 1e-3},
      {"hours", kTime, 3600.0},
      {"s/epoch", kTime, 1.0},
      {"B", kBytes, 1.0},
      {"MB", kBytes, 1e6},
      {"MiB", kBytes, 1048576.0},
      {"GB/s", kBandwidth, 1e9},
      {"Gbps", kBandwidth, 1.25e8},
      {"Gbit/s", kBandwidth, 1.25e8},
      {"Mb/s", kBandwidth, 1.25e5},
      {"img/s", kRate, 1.0},
      {"K tok/s", kRate, 1e3},
      {"kiters/s", kRate, 1e3},
      {"MTok/s", kRate, 1e6},
      {"Ksentences/s", kRate, 1e3},
      {"Krequests/s", kRate, 1e3},
      {"Mrecords/s", kRate, 1e6},
      {"samples/min", kRate, 1.0 / 60.0},
      {"samples/s/GPU", kRate, 1.0},
      {"tok/s/chip", kRate, 1.0},
      {"K tokens/GPU/s", kRate, 1e3},
      {"$", kMoney, 1.0},
      {"$K", kMoney, 1e3},
      {"$/GPU-hr", kPrice, 1.0 / 3600.0},
      {"USD/hour", kPrice, 1.0 / 3600.0},
      {"GPU-minutes", kDeviceTime, 60.0},
      {"TFLOP", kFlop, 1e12},
      {"TFLOPS", kFlopRate, 1e12},
      {"PFLOP/s", kFlopRate, 1e15},
      {"kW", kPower, 1e3},
      {"K tokens/s/kW", kRatePerPower, 1.0},
      {"samples/kJ", kRatePerPower, 1e-3},
      {"furlongs", kOther, 1.0},
  };

  for (const auto& [unit, dimension, scale] : units) {
    CAPTURE(unit);
    REQUIRE(unit_scale(unit, dimension));
    CHECK(*unit_scale(unit, dimension) == Approx(scale));
  }
}

TEST_CASE("a unit of another dimension is none of this one", "[audit]") {
  const std::vector<std::pair<const char*, Dimension>> units{{"ms", kCount},
                                                             {"img/s", kCount},
                                                             {"GB", kCount},
                                                             {"x", kCount},
                                                             {"kW", kCount},
                                                             {"img", kTime},
                                                             {"", kTime},
                                                             {"ms/GB", kTime},
                                                             {"MB/s", kBytes},
                                                             {"MB", kBandwidth},
                                                             {"ms", kRate},
                                                             {"img", kRate},
                                                             {"800", kMoney},
                                                             {"", kMoney},
                                                             {"$", kPrice},
                                                             {"$/km", kPrice},
                                                             {"hours", kDeviceTime},
                                                             {"ms", kRatio},
                                                             {"TFLOPS", kFlop},
                                                             {"TFLOP", kFlopRate},
                                                             {"J", kPower},
                                                             {"tokens/s", kRatePerPower},
                                                             {"/W", kRatePerPower},
                                                             {"text", kLabel}};

  for (const auto& [unit, dimension] : units) {
    CAPTURE(unit);
    CHECK_FALSE(unit_scale(unit, dimension));
  }
}

}  // namespace
