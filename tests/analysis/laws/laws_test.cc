// Scaling laws over devices, and how little two device counts say.
#include "harness/analysis/laws/laws.h"

#include <cmath>

#include "tests/analysis/by_hand.h"
#include "tests/analysis/found_rows.h"
#include "tests/support/catch.h"
#include "tests/support/numbers_in.h"

using namespace scalestudy;
using test::find_parameter;
using test::has_numbers;
using test::make_cell;
using test::observe_cell;

namespace {

// Trials of no blocks, unless a test says so.
Study study_of_law(Law law) {
  Study study;
  study.workload = Workload::kTrain;
  study.order.design = OrderDesign::kBatch;
  study.analysis.laws = {law};
  return study;
}

double amdahl_s(double t1_s, double serial, double devices) {
  return t1_s * (serial + (1.0 - serial) / devices);
}

// Trials that lie symmetrically around the law, so that the fit must return it exactly.
std::vector<CellObservation> make_cells(const std::vector<std::int64_t>& devices,
                                        double (*time_s)(std::int64_t)) {
  std::vector<CellObservation> cells;
  for (const std::int64_t count : devices) {
    const double centre = time_s(count);
    cells.push_back(observe_cell(make_cell(static_cast<std::int64_t>(cells.size()) + 1, count, 64),
                                 {centre * 1.01, centre * 0.99, centre * 1.02, centre * 0.98}));
  }
  return cells;
}

double tenth_serial(std::int64_t devices) {
  return amdahl_s(2.0, 0.1, static_cast<double>(devices));
}

std::vector<LawRow> fit_law(const std::vector<CellObservation>& cells,
                            Law law,
                            Scaling scaling = Scaling::kStrong) {
  return fit_laws(test::make_observation(cells, scaling), study_of_law(law));
}

}  // namespace

TEST_CASE("each parameter of a law names the trials it was fitted to", "[analysis]") {
  auto cells = make_cells({1, 2, 4, 8}, tenth_serial);
  cells[3].row.oversubscribed = true;
  const auto rows = fit_law(cells, Law::kAmdahl);

  REQUIRE(rows.size() == 3);
  for (const LawRow& row : rows) {
    CHECK(row.trials ==
          TrialIds{1000, 1001, 1002, 1003, 2000, 2001, 2002, 2003, 3000, 3001, 3002, 3003});
    CHECK(row.cells == CellIds{1, 2, 3, 4});
    CHECK(row.unit == (row.parameter == "t1_s" ? "s" : ""));
  }
}

TEST_CASE("Amdahl's law is fitted over four device counts", "[analysis]") {
  const auto rows = fit_law(make_cells({1, 2, 4, 8}, tenth_serial), Law::kAmdahl);

  const LawRow serial = find_parameter(rows, "serial_fraction");
  CHECK(*serial.value == Approx(0.1).epsilon(1e-6));
  CHECK(serial.status == RowStatus::kOk);
  CHECK(serial.n == 16);
  CHECK(serial.levels == 4);
  CHECK(serial.method == "amdahl_fit");
  CHECK(serial.provenance == Provenance::kMeasured);
  CHECK(*find_parameter(rows, "t1_s").value == Approx(2.0).epsilon(1e-6));
  // The trials lie symmetrically on the law: no lack of fit at all.
  CHECK(*find_parameter(rows, "lack_of_fit_p").value == Approx(1.0).margin(1e-6));
  // The limit of 10x for ever more devices is neither stored nor said.
  CHECK(rows.size() == 3);
  CHECK(has_numbers(rows.front().finding, {16}));  // twice the most
}

TEST_CASE("a cell on more nodes than its devices need leaves the law to the others", "[analysis]") {
  auto cells = make_cells({1, 2, 4, 8, 4}, tenth_serial);
  for (CellObservation& cell : cells) {
    cell.row.nodes = cell.row.id < 4 ? 1 : 2;
    cell.row.parameters.push_back(
        {"nodes", std::to_string(cell.row.nodes), ValueKind::kInteger, true});
  }
  const LawRow law = fit_law(cells, Law::kAmdahl).at(0);

  CHECK(law.group_label == "batch_global=64 nodes=1 to 2");
  CHECK(law.cells == CellIds{1, 2, 3, 4});
  CHECK(law.levels == 4);
  CHECK(law.status == RowStatus::kOk);
  CHECK(law.value.value_or(0.0) == Approx(0.1));
}

TEST_CASE("a fit to noisy times allows for the spread of each cell", "[analysis]") {
  // Times of the oracle amdahl_fit/serial_5pct_log (09_scaling_laws.json). Least squares of the
  // logarithms of the four means, errors by cell, 6.3564 degrees of freedom: pure Python 3.11.
  const auto rows =
      fit_law({observe_cell(make_cell(1, 1, 64),
                            {2.42077749, 2.35303356, 2.40136182, 2.42156418, 2.36085613}),
               observe_cell(make_cell(2, 2, 64),
                            {1.2498377, 1.28031051, 1.26073409, 1.27272165, 1.26874095}),
               observe_cell(make_cell(3, 4, 64),
                            {0.699819951, 0.697259197, 0.690836244, 0.685840118, 0.695534046}),
               observe_cell(make_cell(4, 8, 64),
                            {0.401362399, 0.402644642, 0.403435598, 0.403938041, 0.400533166})},
              Law::kAmdahl);

  const LawRow serial = find_parameter(rows, "serial_fraction");
  CHECK(*serial.value == Approx(0.048986752417483216).epsilon(1e-6));
  CHECK(*serial.lo == Approx(0.04665372876530232).epsilon(1e-5));
  CHECK(*serial.hi == Approx(0.051348497373698176).epsilon(1e-5));
}

TEST_CASE("a curve that is no Amdahl curve is rejected without parameters", "[analysis]") {
  // Retrograde: 8 devices are slower than 4.
  const auto rows =
      fit_law(make_cells({1, 2, 4, 8},
                         [](std::int64_t devices) {
                           return devices == 8 ? 2.5 : 2.0 / static_cast<double>(devices);
                         }),
              Law::kAmdahl);

  CHECK(find_parameter(rows, "serial_fraction").status == RowStatus::kRejected);
  CHECK_FALSE(find_parameter(rows, "serial_fraction").value.has_value());
  CHECK(*find_parameter(rows, "lack_of_fit_p").value < 0.05);
}

TEST_CASE("Amdahl's law does not apply to weak scaling", "[analysis]") {
  const auto rows = fit_law({observe_cell(make_cell(1, 1, 64), {1.0, 1.1}),
                             observe_cell(make_cell(2, 2, 128), {1.2, 1.3}),
                             observe_cell(make_cell(3, 1, 256), {4.0, 4.1}),
                             observe_cell(make_cell(4, 2, 512), {4.2, 4.3})},
                            Law::kAmdahl,
                            Scaling::kWeak);

  // The batch of a device tells the two curves apart, though the study names the global one.
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].status == RowStatus::kNotApplicable);
  CHECK_FALSE(rows[0].value.has_value());
  CHECK(rows[1].group_label == "batch_per_device=256");
}

TEST_CASE("one device count or no trial fits nothing", "[analysis]") {
  CHECK(fit_law(make_cells({1}, tenth_serial), Law::kAmdahl).front().status ==
        RowStatus::kInsufficientData);
}

TEST_CASE("oversubscribed cells take no part in a law", "[analysis]") {
  auto cells = make_cells({1, 2, 4}, tenth_serial);
  cells[2].row.oversubscribed = true;
  const auto rows = fit_law(cells, Law::kAmdahl);

  CHECK(rows.front().levels == 2);
  CHECK(rows.front().status == RowStatus::kUntested);
}

TEST_CASE("a curve borrows the baseline of its cells", "[analysis]") {
  // Ring exists with two devices only; its baseline is the one device of the default algorithm.
  auto cells = make_cells({1, 2}, tenth_serial);
  cells[0].row.parameters.push_back({"env.NCCL_ALGO", "default", ValueKind::kText, true});
  cells[1].row.parameters.push_back({"env.NCCL_ALGO", "Ring", ValueKind::kText, true});
  cells.push_back(cells[1]);
  cells.back().row.id = 3;
  cells.back().row.hash = "other";
  cells.back().row.parameters.back().value = "default";
  const auto rows = fit_law(cells, Law::kAmdahl);

  for (const LawRow& row : rows) {
    CHECK(row.levels == 2);
  }
  CHECK(rows.size() == 6);
}

TEST_CASE("a curve with a single device of its own borrows none", "[analysis]") {
  auto cells = make_cells({1, 2, 4, 8}, tenth_serial);
  auto faster =
      make_cells({1, 2, 4, 8}, [](std::int64_t devices) { return tenth_serial(devices) / 1.8; });
  for (std::size_t i = 0; i < cells.size(); ++i) {
    cells[i].row.parameters.push_back({"precision", "fp32", ValueKind::kText, true});
    faster[i].row.parameters.push_back({"precision", "bf16", ValueKind::kText, true});
    faster[i].row.id += 4;
    faster[i].row.hash += "bf16";  // whose baseline is fp32's, as baseline: {precision: fp32} says
  }
  cells.insert(cells.end(), faster.begin(), faster.end());

  const auto rows = fit_law(cells, Law::kAmdahl);

  CHECK(rows.size() == 6);
  for (const LawRow& row : rows) {
    CHECK(row.n == 16);
    if (row.parameter == "serial_fraction") {
      CHECK(*row.value == Approx(0.1).epsilon(1e-6));
    }
  }
}

TEST_CASE("the universal law is fitted to throughput", "[analysis]") {
  // y = lambda N / (1 + 0.05 (N - 1) + 0.01 N (N - 1)), step time 64 / y with lambda 100.
  const auto rows =
      fit_law(make_cells({1, 2, 4, 8},
                         [](std::int64_t devices) {
                           const auto n = static_cast<double>(devices);
                           return 0.64 * (1.0 + 0.05 * (n - 1.0) + 0.01 * n * (n - 1.0)) / n;
                         }),
              Law::kUsl);

  CHECK(*find_parameter(rows, "sigma").value == Approx(0.05).epsilon(1e-5));
  CHECK(*find_parameter(rows, "kappa").value == Approx(0.01).epsilon(1e-5));
  CHECK(*find_parameter(rows, "lambda").value == Approx(100.0).epsilon(1e-5));
  CHECK(*find_parameter(rows, "n_peak").value == Approx(std::sqrt(0.95 / 0.01)).epsilon(1e-5));
  CHECK(find_parameter(rows, "n_peak").provenance == Provenance::kProjected);
  CHECK(find_parameter(rows, "sigma").status == RowStatus::kOk);
}

TEST_CASE("a peak beyond twice the most devices measured is not derived", "[analysis]") {
  // kappa 0.0025: the peak is at sqrt(0.95 / 0.0025) = 19.5 devices, twice 8 is 16.
  const auto rows =
      fit_law(make_cells({1, 2, 4, 8},
                         [](std::int64_t devices) {
                           const auto n = static_cast<double>(devices);
                           return 0.64 * (1.0 + 0.05 * (n - 1.0) + 0.0025 * n * (n - 1.0)) / n;
                         }),
              Law::kUsl);

  CHECK(find_parameter(rows, "kappa").status == RowStatus::kOk);
  CHECK(*find_parameter(rows, "kappa").value == Approx(0.0025).epsilon(1e-4));
  CHECK_FALSE(find_parameter(rows, "n_peak").value.has_value());
}

TEST_CASE("three device counts do not test the universal law", "[analysis]") {
  const auto rows =
      fit_law(make_cells({1, 2, 4},
                         [](std::int64_t devices) {
                           const auto n = static_cast<double>(devices);
                           return 0.64 * (1.0 + 0.05 * (n - 1.0) + 0.01 * n * (n - 1.0)) / n;
                         }),
              Law::kUsl);

  CHECK(find_parameter(rows, "sigma").status == RowStatus::kUntested);
  CHECK_FALSE(find_parameter(rows, "n_peak").value.has_value());
}

TEST_CASE("kappa at its bound is no failure and is no parameter", "[analysis]") {
  // Three counts on sigma 0.05 alone, the last a little faster than that: kappa below 0.
  const auto rows = fit_law(make_cells({1, 2, 4},
                                       [](std::int64_t devices) {
                                         const auto n = static_cast<double>(devices);
                                         return 0.64 * (1.0 + 0.05 * (n - 1.0)) / n *
                                                (devices == 4 ? 0.995 : 1.0);
                                       }),
                            Law::kUsl);

  CHECK(find_parameter(rows, "sigma").status == RowStatus::kKappaAtBound);
  CHECK(find_parameter(rows, "kappa").value == 0.0);
  // Three counts, two parameters: one degree of freedom is left to test them.
  CHECK(find_parameter(rows, "lack_of_fit_p").value.has_value());
}

namespace {

// Four counts in ten blocks that differ by 20 %, trials by 1 % in a fixed pattern; 8 devices are
// 4 % off the law.
std::vector<CellObservation> blocked_cells() {
  std::vector<CellObservation> cells;
  for (const std::int64_t count : {1, 2, 4, 8}) {
    std::vector<double> times;
    for (int block = 0; block < 10; ++block) {
      const double slow = 1.0 + 0.2 * std::sin(1.7 * block);
      const double own = 1.0 + 0.01 * std::sin(2.3 * block + 1.1 * static_cast<double>(count));
      times.push_back(tenth_serial(count) * slow * own * (count == 8 ? 1.04 : 1.0));
    }
    cells.push_back(
        observe_cell(make_cell(static_cast<std::int64_t>(cells.size()) + 1, count, 64), times));
  }
  return cells;
}

}  // namespace

TEST_CASE("blocks hide a wrong law until what they add is taken out", "[analysis]") {
  Study study = study_of_law(Law::kAmdahl);
  const StudyObservation observation = test::make_observation(blocked_cells(), Scaling::kStrong);
  CHECK(fit_laws(observation, study).front().status == RowStatus::kOk);

  study.order.design = OrderDesign::kBlocks;
  CHECK(fit_laws(observation, study).front().status == RowStatus::kRejected);
}

TEST_CASE("a law over cells that share no block is not fitted", "[analysis]") {
  Study study = study_of_law(Law::kAmdahl);
  study.order.design = OrderDesign::kBlocks;
  auto cells = make_cells({1, 2, 4}, tenth_serial);
  cells[2] = test::in_session(cells[2], 2);
  const auto rows = fit_laws(test::make_observation(cells, Scaling::kStrong), study);

  CHECK(rows.front().status == RowStatus::kInsufficientData);
  CHECK_FALSE(rows.front().value.has_value());
}

namespace {

double line_s(double alpha_s, double bandwidth, double bytes) {
  return alpha_s + bytes / bandwidth;
}

// Trials around time_s(bytes), symmetric on the log scale.
std::vector<CellObservation> make_messages(const std::vector<double>& sizes,
                                           double (*time_s)(double)) {
  std::vector<CellObservation> cells;
  for (const double bytes : sizes) {
    const double centre = time_s(bytes);
    CellRow row = make_cell(static_cast<std::int64_t>(cells.size()) + 1, 2, 64);
    row.batch_global.reset();
    row.batch_per_device.reset();
    row.baseline.reset();
    row.parameters = {
        {"message_bytes", std::to_string(static_cast<int>(bytes)), ValueKind::kInteger, true}};
    cells.push_back(
        observe_cell(row, {centre * 1.01, centre * 0.99, centre * 1.02, centre * 0.98}));
    cells.back().total_bytes = bytes;
    cells.back().busbw_factor = 1.0;
  }
  return cells;
}

const std::vector<double> kSizes = {8, 4096, 65536, 1048576, 16777216};

}  // namespace

TEST_CASE("latency and bandwidth are fitted over the size of a message", "[analysis]") {
  // 5 us and 2 GB/s.
  const auto rows =
      fit_law(make_messages(kSizes, [](double bytes) { return line_s(5e-6, 2e9, bytes); }),
              Law::kAlphaBeta,
              Scaling::kNone);

  // Weights of 1/t^2 see the symmetric logarithms as 0.03 % askew.
  CHECK(*find_parameter(rows, "alpha_s").value == Approx(5e-6).epsilon(1e-3));
  CHECK(*find_parameter(rows, "bandwidth_bytes_per_s").value == Approx(2e9).epsilon(1e-3));
  CHECK(find_parameter(rows, "alpha_s").status == RowStatus::kOk);
  CHECK(find_parameter(rows, "alpha_s").levels == 5);
  CHECK(find_parameter(rows, "alpha_s").n == 20);
  CHECK(*find_parameter(rows, "lack_of_fit_p").value > 0.5);
  CHECK(has_numbers(rows.front().finding, {8, 16}));  // B to MiB
}

TEST_CASE("a program that does not report its bytes has those of the axis", "[analysis]") {
  std::vector<CellObservation> cells =
      make_messages(kSizes, [](double bytes) { return line_s(5e-6, 2e9, bytes); });
  for (CellObservation& cell : cells) {
    cell.total_bytes.reset();
  }
  const auto rows = fit_law(cells, Law::kAlphaBeta, Scaling::kNone);

  CHECK(*find_parameter(rows, "alpha_s").value == Approx(5e-6).epsilon(1e-3));
  CHECK(*find_parameter(rows, "bandwidth_bytes_per_s").value == Approx(2e9).epsilon(1e-3));
  CHECK(find_parameter(rows, "alpha_s").levels == 5);
}

TEST_CASE("a bent curve has no latency and bandwidth, and says how far the line misses",
          "[analysis]") {
  // Twice as slow a byte beyond 64 KiB: out of the cache.
  const auto rows = fit_law(
      make_messages(kSizes,
                    [](double bytes) { return line_s(5e-6, bytes > 65536 ? 1e9 : 4e9, bytes); }),
      Law::kAlphaBeta,
      Scaling::kNone);

  CHECK(find_parameter(rows, "alpha_s").status == RowStatus::kRejected);
  CHECK_FALSE(find_parameter(rows, "alpha_s").value.has_value());
  CHECK_FALSE(find_parameter(rows, "bandwidth_bytes_per_s").value.has_value());
  CHECK(*find_parameter(rows, "relative_residual_sd").value > 0.1);
}

TEST_CASE("a line whose latency is below zero has no parameters", "[analysis]") {
  const auto rows =
      fit_law(make_messages({1000, 2000, 4000}, [](double bytes) { return 1e-9 * bytes - 0.5e-6; }),
              Law::kAlphaBeta,
              Scaling::kNone);

  CHECK(rows.front().status == RowStatus::kAlphaBelowZero);
  CHECK_FALSE(find_parameter(rows, "alpha_s").value.has_value());
}

TEST_CASE("two sizes agree with any line, so that it is not tested", "[analysis]") {
  const auto rows =
      fit_law(make_messages({8, 1048576}, [](double bytes) { return line_s(5e-6, 2e9, bytes); }),
              Law::kAlphaBeta,
              Scaling::kNone);

  CHECK(find_parameter(rows, "alpha_s").status == RowStatus::kUntested);
}

TEST_CASE("an oversubscribed cell has no part in latency and bandwidth", "[analysis]") {
  auto cells = make_messages(kSizes, [](double bytes) { return line_s(5e-6, 2e9, bytes); });
  cells[2].row.oversubscribed = true;

  CHECK(find_parameter(fit_law(cells, Law::kAlphaBeta, Scaling::kNone), "alpha_s").levels == 4);
}
