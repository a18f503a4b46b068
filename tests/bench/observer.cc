// What observing costs a step: phases timed or not, watched by the harness or not; interleaved.
#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "harness/store/store.h"
#include "tests/bench/stopwatch.h"
#include "tests/bench/training.h"

namespace {

using scalestudy::Store;
using scalestudy::test::by_hand;
using scalestudy::test::median;
using scalestudy::test::require_ok;
using scalestudy::test::run_program;
using scalestudy::test::TemporaryFolder;
using scalestudy::test::write_file;

constexpr int kRounds = 15;

// Median step time of one trial that the harness watches.
double watched_step_s(const TemporaryFolder& folder, int round) {
  const std::string study = folder.file("study.yaml");
  write_file(study, scalestudy::test::study_text(1));
  const std::string results = folder.file("results-" + std::to_string(round));
  require_ok(run_program({SCALESTUDY_TEST_BIN "/scalestudy", "--results", results, "run", study}),
             "scalestudy run");
  const scalestudy::QueryResult answer = Store::open_read_only(results).query(
      "SELECT p50 FROM series JOIN metric ON metric.id = series.metric_id "
      "WHERE metric.name = 'step_time_s' AND series.rank IS NULL");
  return std::get<double>(answer.rows.at(0).at(0));
}

}  // namespace

int main() {
  const TemporaryFolder folder;
  std::vector<double> phases;
  std::vector<double> watching;
  for (int round = 0; round <= kRounds; ++round) {
    // light, full, watched, full, light: a drift within the round cancels.
    const double light_before_s = by_hand(folder, "light").step_s;
    const double full_before_s = by_hand(folder, "full").step_s;
    const double watched_s = watched_step_s(folder, round);
    const double full_after_s = by_hand(folder, "full").step_s;
    const double light_after_s = by_hand(folder, "light").step_s;
    if (round > 0) {
      phases.push_back((full_before_s + full_after_s) / (light_before_s + light_after_s));
      watching.push_back(2.0 * watched_s / (full_before_s + full_after_s));
    }
  }
  const auto [phases_lo, phases_hi] = scalestudy::test::median_range(phases);
  const auto [watching_lo, watching_hi] = scalestudy::test::median_range(watching);
  fmt::print(
      "observer: timing the phases: step time x{:.4f} [{:.4f}, {:.4f}] of untimed (aim <= 1.005)\n",
      median(phases),
      phases_lo,
      phases_hi);
  fmt::print(
      "observer: watched by the harness: step time x{:.4f} [{:.4f}, {:.4f}] of by hand (aim <= "
      "1.005)\n",
      median(watching),
      watching_lo,
      watching_hi);
  fmt::print("observer: medians of {} paired ratios; in brackets their order-statistics interval\n",
             kRounds);
}
