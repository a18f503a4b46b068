// 9999 resamples of 1000 cells, and five tests per cell, against scipy on the same data. Both sides
// take turns, so that a busy machine slows both.
#include "stats/reference/bootstrap.h"

#include <cmath>
#include <cstddef>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "stats/compare.h"
#include "stats/equivalence.h"
#include "stats/mean_interval.h"
#include "stats/ratio_interval.h"
#include "stats/reference/ranks.h"
#include "stats/reference/two_samples.h"
#include "tests/bench/stopwatch.h"
#include "tests/support/program.h"
#include "tests/support/random.h"

namespace {

using namespace scalestudy;  // NOLINT(google-build-using-namespace): one small program

constexpr std::size_t kCells = 1000;
constexpr std::size_t kRounds = 5;
constexpr std::size_t kTrials = 10;
constexpr double kLevel = 0.95;

struct CellPair {
  std::vector<double> a;
  std::vector<double> b;
};

std::vector<CellPair> make_cells() {
  test::Random random(20261121);
  std::vector<CellPair> cells(kCells);
  for (CellPair& cell : cells) {
    for (std::size_t t = 0; t < kTrials; ++t) {
      cell.a.push_back(0.2 * (1.0 + 0.02 * random.normal()));
      cell.b.push_back(0.2 * (1.0 + 0.02 * random.normal()));
    }
  }
  return cells;
}

void write_cells(const std::vector<CellPair>& cells, const std::string& file) {
  std::ofstream stream(file);
  stream << kCells << ' ' << kTrials << '\n';
  for (const CellPair& cell : cells) {
    for (const std::vector<double>* side : {&cell.a, &cell.b}) {
      for (const double value : *side) {
        stream << fmt::format("{:.17g} ", value);
      }
      stream << '\n';
    }
  }
}

double percentile(const CellPair& cell, std::size_t index) {
  const auto interval = stats::bootstrap_percentile(
      cell.a, stats::ResampledStatistic::kMean, {.seed = index, .level = kLevel});
  return *interval.lo + *interval.hi;
}

double bca(const CellPair& cell, std::size_t index) {
  const auto interval = stats::bootstrap_bca(
      cell.a, stats::ResampledStatistic::kMean, {.seed = index, .level = kLevel});
  return *interval.lo + *interval.hi;
}

double battery(const CellPair& cell, std::size_t /*index*/) {
  const stats::RatioInterval ratio = stats::log_ratio_delta(cell.a, cell.b, kLevel);
  return *stats::mean_ci_t(cell.a, kLevel).lo + *ratio.lo + *ratio.p +
         *stats::welch_t(cell.a, cell.b, kLevel).p +
         *stats::mann_whitney(cell.a, cell.b, stats::RankP::kAutomatic).p +
         *stats::tost_log_ratio(cell.a, cell.b, 0.02, 0.05).p;
}

struct Task {
  std::string name;  // also that of its twin in scipy_battery.py
  double (*run)(const CellPair&, std::size_t);
};

struct Times {
  std::vector<double> ours_s;  // one per round
  std::vector<double> scipy_s;
  double ours_sum = 0.0;
  double scipy_sum = 0.0;
};

bool has_scipy() {
  return test::run_program({"/usr/bin/python3", "-c", "import scipy.stats"}).exit_code == 0;
}

// Throws when the script fails: an answer that is not there is not a time.
void run_scipy(const std::string& data,
               std::size_t first,
               std::size_t last,
               std::map<std::string, Times>& times) {
  const test::ProgramResult result = test::run_program({"/usr/bin/python3",
                                                        SCALESTUDY_BENCH_DIR "/scipy_battery.py",
                                                        data,
                                                        std::to_string(first),
                                                        std::to_string(last)});
  if (result.exit_code != 0) {
    throw std::runtime_error("scipy_battery.py: " + result.err);
  }
  std::istringstream lines(result.out);
  std::string name;
  double took_s = 0.0;
  double sum = 0.0;
  while (lines >> name >> took_s >> sum) {
    times[name].scipy_s.push_back(took_s);
    times[name].scipy_sum += sum;
  }
}

void print(const std::string& name, const Times& times) {
  const double per_cell = static_cast<double>(kCells) / static_cast<double>(kRounds);
  const double ours = test::median(times.ours_s) / per_cell;
  if (times.scipy_s.empty()) {
    fmt::print("bootstrap: {}: {:.1f} us a cell; scipy is not installed\n", name, 1e6 * ours);
    return;
  }
  const double scipy = test::median(times.scipy_s) / per_cell;
  fmt::print(
      "bootstrap: {}: {:.1f} us a cell, scipy {:.1f} us: {:.0f}x; sums of results differ by "
      "{:.1e}\n",
      name,
      1e6 * ours,
      1e6 * scipy,
      scipy / ours,
      std::abs(times.ours_sum / times.scipy_sum - 1.0));
}

}  // namespace

int main() {
  const std::vector<Task> tasks{{"percentile", percentile}, {"bca", bca}, {"battery", battery}};
  const std::vector<CellPair> cells = make_cells();
  const test::TemporaryFolder folder;
  const std::string data = folder.file("cells.txt");
  write_cells(cells, data);
  const bool is_compared = has_scipy();
  std::map<std::string, Times> times;
  for (const Task& task : tasks) {
    task.run(cells.front(), 0);  // as scipy_battery.py does before its clock
  }
  for (std::size_t round = 0; round < kRounds; ++round) {
    const std::size_t first = round * kCells / kRounds;
    const std::size_t last = (round + 1) * kCells / kRounds;
    for (const Task& task : tasks) {
      Times& of_task = times[task.name];
      of_task.ours_s.push_back(test::seconds([&] {
        for (std::size_t c = first; c < last; ++c) {
          of_task.ours_sum += task.run(cells[c], c);
        }
      }));
    }
    if (is_compared) {
      run_scipy(data, first, last, times);
    }
  }
  for (const Task& task : tasks) {
    print(task.name, times.at(task.name));
  }
}
