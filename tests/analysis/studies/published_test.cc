// Which measured number stands beside a published one.
#include "harness/analysis/studies/published.h"

#include <optional>
#include <string>

#include "tests/report/sample_published.h"
#include "tests/report/sample_study.h"
#include "tests/support/catch.h"
#include "tests/support/planned_study.h"

using namespace scalestudy;

namespace {

using test::sample_figure;

struct Sample {
  Sample() : id(test::fill_sample(store, {.has_publications = false})) {}

  Store store = Store::open_in_memory();
  std::int64_t id = 0;
};

std::optional<std::int64_t> cell_of(const std::string& hash) {
  const Sample sample;
  for (const CellRow& cell : sample.store.cells(sample.id)) {
    if (cell.hash == hash) {
      return cell.id;
    }
  }
  return std::nullopt;
}

std::vector<CounterpartRow> counterparts_of(const std::vector<PublishedFigureRow>& figures) {
  const Sample sample;
  StudyObservation observation;
  observation.study = sample.store.studies().at(0);
  for (const CellRow& cell : sample.store.cells(sample.id)) {
    if (!cell.excluded_reason) {
      observation.cells.emplace_back().row = cell;
    }
  }
  PublicationRow publication;
  publication.figures = figures;
  return find_counterparts({publication},
                           observation,
                           test::declare(observation.study.source_text),
                           sample.store.results(sample.id));
}

CounterpartRow counterpart_of(PublishedFigureRow figure) {
  figure.id = 7;
  const std::vector<CounterpartRow> rows = counterparts_of({figure});
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].figure_id == 7);
  return rows[0];
}

std::string reason(const PublishedFigureRow& figure) {
  const CounterpartRow found = counterpart_of(figure);
  CHECK_FALSE(found.cell_id);
  CHECK_FALSE(found.value);
  return found.reason;
}

const std::string kTwoDevices = R"({"batch_global":"256","devices":"2","model":"mlp-6.9m"})";

}  // namespace

TEST_CASE("a published figure stands beside the cell with its conditions", "[analysis]") {
  const CounterpartRow found = counterpart_of(sample_figure("step_time", "12.4", kTwoDevices));

  // sample_estimates.cc: 0.002 + 1e-4 * 256 / 2 + 0.004 * 1 / 2 * 2 = 0.0188 s, give or take 3 %.
  CHECK(found.cell_id == cell_of("measured-2-256"));
  CHECK(*found.value == Approx(0.0188));
  CHECK(*found.lo == Approx(0.0188 * 0.97));
  CHECK(found.unit == "s");
  CHECK(found.n == 3);
}

TEST_CASE("conditions agree as numbers, and as words whatever their case", "[analysis]") {
  const auto* const conditions =
      GENERATE(R"({"batch_global":"256.0","devices":"2","model":"mlp-6.9m"})",
               R"({"batch_global":"256","devices":"2","model":"MLP-6.9M"})",
               R"({"batch_global":"256","devices":"2","model":"mlp-6.9m","scaling":"strong"})",
               R"({"batch_per_device":"128","devices":"2","model":"mlp-6.9m","nodes":"1"})");
  CAPTURE(conditions);

  CHECK(counterpart_of(sample_figure("step_time", "12.4", conditions)).cell_id ==
        cell_of("measured-2-256"));
}

TEST_CASE("a figure under conditions that the study does not say is not compared", "[analysis]") {
  CHECK(reason(sample_figure(
            "step_time", "12.4", R"({"batch_global":"256","devices":"2","hardware":"A100"})")) ==
        "this study does not say: hardware");
}

TEST_CASE("a figure that does not say its model is not compared with that of a model",
          "[analysis]") {
  CHECK(reason(sample_figure("step_time", "12.4", R"({"batch_global":"256","devices":"2"})")) ==
        "the figure does not say: model");
}

TEST_CASE("a figure under other conditions is not compared", "[analysis]") {
  CHECK(reason(sample_figure(
            "step_time", "12.4", R"({"batch_global":"256","devices":"2","model":"resnet"})")) ==
        "no cell has these conditions");
  CHECK(reason(sample_figure(
            "step_time", "12.4", R"({"batch_global":"64","devices":"8","model":"mlp-6.9m"})")) ==
        "no cell has these conditions");  // excluded by a rule
}

TEST_CASE("a figure that several cells fit, or that says nothing, is not compared", "[analysis]") {
  CHECK(reason(sample_figure("step_time", "12.4", R"({"devices":"2","model":"mlp-6.9m"})")) ==
        "3 cells have these conditions; they differ in batch_global: import again with --assume "
        "batch_global=VALUE");
  CHECK(reason(sample_figure("step_time", "12.4", "{}")) == "no conditions are stated");
}

TEST_CASE("a speedup is compared with one over the same baseline only", "[analysis]") {
  PublishedFigureRow speedup = sample_figure("speedup", "1.4x", kTwoDevices);
  CHECK(reason(speedup) == "its baseline is not stated");

  speedup.baseline = R"({"devices":"4"})";
  CHECK(reason(speedup) == "relative to another baseline");

  speedup.baseline = R"({"devices":"1"})";
  // 0.002 + 0.0256 = 0.0276 s on one device, 0.0188 s on two.
  CHECK(*counterpart_of(speedup).value == Approx(0.0276 / 0.0188));
}

TEST_CASE("an overhead is that of communication", "[analysis]") {
  // 0.0148 s without communication, 0.0188 s with it.
  CHECK(*counterpart_of(sample_figure("overhead", "20", kTwoDevices)).value ==
        Approx(1.0 - 0.0148 / 0.0188));
}

TEST_CASE("measured over published has the interval of the measured", "[analysis]") {
  const CounterpartRow found = counterpart_of(sample_figure("step_time", "12.4", kTwoDevices));

  CHECK_FALSE(found.per_device);
  CHECK(*found.ratio == Approx(0.0188 / 0.0124));
  CHECK(*found.ratio_lo == Approx(0.0188 * 0.97 / 0.0124));
  CHECK(*found.ratio_hi == Approx(0.0188 * 1.03 / 0.0124));
}

TEST_CASE("a throughput of other devices is compared by what one of them does", "[analysis]") {
  const auto on = [](const std::string& devices, const std::string& batch) {
    return counterpart_of(sample_figure("throughput",
                                        "64000",
                                        R"({"batch_global":")" + batch + R"(","devices":")" +
                                            devices + R"(","model":"mlp-6.9m"})"));
  };
  // 64 devices with 8192 samples: 128 a device, as 256 on two. 1000 samples/s each of theirs.
  const CounterpartRow found = on("64", "8192");
  CHECK(found.per_device);
  CHECK(found.cell_id == cell_of("measured-2-256"));
  CHECK(*found.value == Approx(256.0 / 0.0188));
  CHECK(*found.ratio == Approx(256.0 / 0.0188 / 2.0 / 1000.0));

  CHECK(on("64", "64").reason == "no cell has these conditions");  // one sample a device
}

TEST_CASE("a throughput is also compared by the watt where both sides declare it", "[analysis]") {
  const PublishedFigureRow rate = sample_figure("throughput", "10000", kTwoDevices);
  PublishedFigureRow power = sample_figure("power_per_device", "350", "{}");
  power.unit = "W";
  const auto per_watt = [&](const PublishedFigureRow& figure) {
    return counterparts_of({figure, power}).at(0).per_watt;
  };
  // The sample declares 300 W a device; 256 samples in 0.0188 s on two.
  const double expected = 256.0 / 0.0188 / 10000.0 * 350.0 / 300.0;

  const CounterpartRow in_row = counterparts_of({rate, power}).at(0);
  CHECK(*in_row.published_watts == 350.0);
  CHECK(*in_row.per_watt == Approx(expected));
  CHECK(*in_row.per_watt_lo == Approx(*in_row.ratio_lo * 350.0 / 300.0));
  CHECK(*in_row.per_watt_hi == Approx(*in_row.ratio_hi * 350.0 / 300.0));
  CHECK_FALSE(per_watt(sample_figure("step_time", "12.4", kTwoDevices)));
  // Of 64 devices with 8192 samples a device's share, as without power.
  const std::string many = R"({"batch_global":"8192","devices":"64","model":"mlp-6.9m"})";
  CHECK(*per_watt(sample_figure("throughput", "64000", many)) ==
        Approx(256.0 / 0.0188 / 2.0 / 1000.0 * 350.0 / 300.0));

  power.row = 2;
  CHECK_FALSE(per_watt(rate));
  power.row.reset();  // in the text, of all runs or of some
  CHECK(*per_watt(rate) == Approx(expected));
  power.conditions = R"({"devices":"2"})";
  CHECK(*per_watt(rate) == Approx(expected));
  power.conditions = R"({"model":"another"})";
  CHECK_FALSE(per_watt(rate));

  power.conditions = "{}";
  PublishedFigureRow other = power;
  other.value = 400.0;
  CHECK_FALSE(counterparts_of({rate, power, other}).at(0).per_watt);
  CHECK_FALSE(counterparts_of({rate}).at(0).per_watt);
}

TEST_CASE("quantities that the study has not measured are told from others", "[analysis]") {
  const CounterpartRow found = counterpart_of(sample_figure("latency", "1", kTwoDevices));

  CHECK(found.reason == "not measured by this study");
  CHECK_FALSE(found.is_measured_quantity);
}

TEST_CASE("tokens are not compared with samples", "[analysis]") {
  PublishedFigureRow tokens = sample_figure("throughput", "145", kTwoDevices);
  tokens.printed_unit = "K tokens/s";

  CHECK(reason(tokens) == "not measured by this study");
}

TEST_CASE("an assumption says what the figure does not", "[analysis]") {
  PublishedFigureRow figure =
      sample_figure("step_time", "12.4", R"({"batch_global":"256","devices":"2"})");
  figure.assumed = R"({"model":"mlp-6.9m"})";
  const CounterpartRow found = counterpart_of(figure);
  CHECK(found.cell_id == cell_of("measured-2-256"));
  CHECK(found.assumed == R"({"model":"mlp-6.9m"})");

  figure.assumed = R"({"model":"resnet"})";
  CHECK(reason(figure) == "no cell has these conditions");
}

TEST_CASE("what the figure says counts, whatever is assumed", "[analysis]") {
  PublishedFigureRow figure = sample_figure("step_time", "12.4", kTwoDevices);
  figure.assumed = R"({"devices":"1"})";

  const CounterpartRow found = counterpart_of(figure);

  CHECK(found.cell_id == cell_of("measured-2-256"));
  CHECK(found.assumed == "{}");
}

TEST_CASE("an assumption says what the study does not", "[analysis]") {
  PublishedFigureRow figure = sample_figure(
      "step_time",
      "12.4",
      R"({"batch_global":"256","configuration":"tuned","devices":"2","model":"mlp-6.9m"})");
  CHECK(reason(figure) == "this study does not say: configuration");

  figure.assumed = R"({"configuration":"plain"})";
  CHECK(reason(figure) == "its configuration is tuned, not plain as assumed");

  const auto* const assumed = GENERATE(R"({"configuration":"Tuned"})", R"({"configuration":"*"})");
  figure.assumed = assumed;
  const CounterpartRow found = counterpart_of(figure);
  CHECK(found.cell_id == cell_of("measured-2-256"));
  CHECK(found.assumed == assumed);
}

TEST_CASE("the baseline of a ratio can be assumed", "[analysis]") {
  PublishedFigureRow speedup = sample_figure("speedup", "1.4x", kTwoDevices);
  speedup.assumed = R"({"baseline.devices":"4"})";
  CHECK(reason(speedup) == "relative to another baseline");

  speedup.assumed = R"({"baseline.devices":"1"})";
  const CounterpartRow found = counterpart_of(speedup);
  CHECK(*found.value == Approx(0.0276 / 0.0188));  // as above
  CHECK(found.assumed == R"({"baseline.devices":"1"})");
  CHECK(found.metric == "speedup");
}

TEST_CASE("an overhead is told to be defined in its own way", "[analysis]") {
  const CounterpartRow found = counterpart_of(sample_figure("overhead", "20", kTwoDevices));

  CHECK(found.metric == "communication_overhead");
  CHECK(found.note.starts_with("ours is the share of a step that is saved"));
  CHECK(counterpart_of(sample_figure("step_time", "12.4", kTwoDevices)).note.empty());
}

TEST_CASE("settings and quantities without a result are told apart", "[analysis]") {
  CHECK(reason(sample_figure("batch_global", "2048", "{}")) ==
        "a setting, a price or a property of the hardware is not a result");
  CHECK(reason(sample_figure("ratio", "2", kTwoDevices)) ==
        "no result of scalestudy is this quantity");
  CHECK(reason(sample_figure("amdahl_speedup", "1.9", kTwoDevices)) ==
        "it belongs to a fitted law; this study's own laws are under Scaling laws");
}

TEST_CASE("a line of nccl-tests stands beside the collective of its size", "[analysis]") {
  StudyObservation observation;
  Results results;
  for (const char* bytes : {"1024", "1048576"}) {
    CellRow& cell = observation.cells.emplace_back().row;
    cell.id = std::ssize(observation.cells);
    cell.role = CellRole::kMeasured;
    cell.devices = 2;
    cell.parameters = {{"operation", "all_reduce", ValueKind::kText, false},
                       {"devices", "2", ValueKind::kInteger, false},
                       {"message_bytes", bytes, ValueKind::kInteger, true}};
    EstimateRow& row = results.estimates.emplace_back();
    row.cell_id = cell.id;
    row.metric = "busbw_bytes_per_s";
    row.unit = "bytes/s";
    row.value = 4e9;
  }
  Study study;
  study.workload = Workload::kCollective;
  PublishedFigureRow figure = sample_figure("busbw", "8.0", "");
  figure.unit = "B/s";
  figure.value = 8e9;
  std::string operation = "all_reduce";
  const auto found = [&](const std::string& place) {
    figure.conditions =
        R"({"devices":"2","hardware":"2 x A100","message_bytes":"1048576","operation":")" +
        operation + R"(","place":")" + place + R"(","precision":"fp32","redop":"sum"})";
    PublicationRow publication;
    publication.figures = {figure};
    return find_counterparts({publication}, observation, study, results).at(0);
  };

  CHECK(found("out_of_place").cell_id == 2);
  CHECK(*found("out_of_place").ratio == Approx(0.5));
  CHECK(found("in_place").reason == "no cell has these conditions");
  // What NCCL chose there is not known of the measured cell, which may have run the same way.
  CHECK(found(R"(out_of_place","tuning_algorithm":"RING)").cell_id == 2);
  // A percentile is not the mean time of a call.
  CHECK(found(R"(out_of_place","statistic":"p99)").reason == "this study does not say: statistic");

  // Older imports of nccl-tests have the words of its programs.
  for (const auto& [ours, theirs] :
       {std::pair("all_to_all", "alltoall"), std::pair("send_recv", "sendrecv")}) {
    for (CellObservation& cell : observation.cells) {
      cell.row.parameters.front().value = ours;
    }
    for (const char* word : {ours, theirs}) {
      operation = word;
      CHECK(found("out_of_place").cell_id == 2);
    }
  }
  operation = "all_gather";
  CHECK(found("out_of_place").reason == "no cell has these conditions");
  for (CellObservation& cell : observation.cells) {
    cell.row.parameters.front().value = "all_reduce";
  }

  // Words that some readers of numbers take for infinite are words.
  for (CellRow* cell : {&observation.cells[0].row, &observation.cells[1].row}) {
    cell->parameters.push_back({"limit", cell->id == 2 ? "inf" : "1", ValueKind::kText, true});
  }
  figure.conditions = R"({"devices":"2","limit":"infinity","operation":"all_reduce"})";
  PublicationRow unlimited;
  unlimited.figures = {figure};
  CHECK(find_counterparts({unlimited}, observation, study, results).at(0).reason ==
        "no cell has these conditions");
}
