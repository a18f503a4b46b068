// A training run with denormals flushed to zero, as every workload does, against the same without:
// both in one process, in turn, a window of steps each; several runs of both. On x86-64 only.
#include "workloads/rank/denormals.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <xmmintrin.h>

#include "tests/bench/stopwatch.h"
#include "workloads/rank/program.h"
#include "workloads/train/step/trainer.h"

namespace {

using namespace scalestudy;

constexpr std::size_t kSteps = 2000;
constexpr std::size_t kWindow = 100;
constexpr int kRuns = 15;

// Of the one thread there is.
void set_flush(bool is_on) {
  rank::flush_denormals();
  if (!is_on) {
    _mm_setcsr(_mm_getcsr() & ~0x8040U);
  }
}

// Median of each window.
std::vector<double> window_medians(const train::RankSteps& steps, train::Field field) {
  std::vector<double> medians;
  for (std::size_t begin = 0; begin < kSteps; begin += kWindow) {
    std::vector<double> window;
    for (std::size_t i = begin; i < begin + kWindow; ++i) {
      window.push_back(steps.times[i][field]);
    }
    medians.push_back(test::median(window));
  }
  return medians;
}

// The median over runs of each window.
std::vector<double> over_runs(const std::vector<std::vector<double>>& runs) {
  std::vector<double> medians;
  for (std::size_t window = 0; window < runs.front().size(); ++window) {
    std::vector<double> values;
    for (const std::vector<double>& run : runs) {
      values.push_back(run[window]);
    }
    medians.push_back(test::median(values));
  }
  return medians;
}

void print(const char* what, const std::vector<double>& medians, const char* aim) {
  const auto [least, most] = std::minmax_element(medians.begin(), medians.end());
  fmt::print(
      "denormals: {}: first window {:.1f} us, last {:.1f} us, largest over smallest x{:.3f}{}\n",
      what,
      1e6 * medians.front(),
      1e6 * medians.back(),
      *most / *least,
      aim);
}

}  // namespace

int main(int argc, char** argv) {
  return rank::run_program(argc, argv, [](const rank::World& world, protocol::Writer*) {
    const train::Options options =
        train::make_options(train::complete(train::merge({},
                                                         {{"model", "mlp-258k"},
                                                          {"batch_per_device", "8"},
                                                          {"optimizer", "adamw"},
                                                          {"warmup_steps", "0"},
                                                          {"measured_steps", "2000"}}),
                                            world.size()));
    // A window lasts 35 ms, in which a shared machine differs by more than the aim: over runs, the
    // median of each window.
    std::map<std::string, std::vector<std::vector<double>>> runs;
    for (int run = 0; run < kRuns; ++run) {
      const auto flushed = train::make_trainer(options, world);
      const auto denormal = train::make_trainer(options, world);
      for (std::size_t begin = 0; begin < kSteps; begin += kWindow) {
        for (const bool is_flushed : {true, false}) {
          set_flush(is_flushed);
          for (std::size_t i = begin; i < begin + kWindow; ++i) {
            (is_flushed ? flushed : denormal)->step(i);
          }
        }
      }
      const train::RankSteps with = flushed->finish();
      const train::RankSteps without = denormal->finish();
      runs["optimizer, flushed"].push_back(window_medians(with, train::kOptimizerTime));
      runs["optimizer, not flushed"].push_back(window_medians(without, train::kOptimizerTime));
      runs["step, flushed"].push_back(window_medians(with, train::kStepTime));
      runs["step, not flushed"].push_back(window_medians(without, train::kStepTime));
    }
    for (const auto& [what, windows] : runs) {
      print(what.c_str(), over_runs(windows), what == "optimizer, flushed" ? " (aim <= 1.05)" : "");
    }
    return 0;
  });
}
