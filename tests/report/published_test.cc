// Which measured number stands beside a published one.
#include "harness/report/published.h"

#include <algorithm>
#include <string>

#include "harness/report/sections.h"
#include "tests/report/csv_reader.h"
#include "tests/report/sample_published.h"
#include "tests/report/sample_study.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::report;

namespace {

using Catch::Matchers::Contains;
using test::sample_figure;

ReportInput sample_input() {
  Store store = Store::open_in_memory();
  return read_input(store, test::fill_sample(store));
}

std::string reason(const PublishedFigureRow& figure) {
  const ReportInput input = sample_input();
  const Counterpart found = find_counterpart(input, figure);
  CHECK(found.cell == nullptr);
  CHECK_FALSE(found.measure.value);
  return found.reason;
}

// Of the only table of that name.
const View::List& rows(const View& view, const std::string& name) {
  const View& table = std::get<View::List>(view.values().at(name)).at(0);
  return std::get<View::List>(table.values().at("rows"));
}

std::string text(const View& row, const std::string& name) {
  return std::get<std::string>(row.values().at(name));
}

const std::string kTwoDevices = R"({"batch_global":"256","devices":"2","model":"mlp-6.9m"})";

}  // namespace

TEST_CASE("a published figure stands beside the cell with its conditions", "[report]") {
  const ReportInput input = sample_input();

  const Counterpart found =
      find_counterpart(input, sample_figure("step_time", "12.4", kTwoDevices));

  // sample_study.cc: 0.002 + 1e-4 * 256 / 2 + 0.004 * 1 / 2 * 2 = 0.0188 s, give or take 3 %.
  REQUIRE(found.cell != nullptr);
  CHECK(found.cell->hash == "measured-2-256");
  CHECK(*found.measure.value == Approx(0.0188));
  CHECK(*found.measure.lo == Approx(0.0188 * 0.97));
  CHECK(found.n == 3);
}

TEST_CASE("conditions agree as numbers, and as words whatever their case", "[report]") {
  const ReportInput input = sample_input();
  const auto* const conditions =
      GENERATE(R"({"batch_global":"256.0","devices":"2","model":"mlp-6.9m"})",
               R"({"batch_global":"256","devices":"2","model":"MLP-6.9M"})",
               R"({"batch_global":"256","devices":"2","model":"mlp-6.9m","scaling":"strong"})",
               R"({"batch_per_device":"128","devices":"2","model":"mlp-6.9m","nodes":"1"})");
  CAPTURE(conditions);

  CHECK(find_counterpart(input, sample_figure("step_time", "12.4", conditions)).cell != nullptr);
}

TEST_CASE("a figure under conditions that the study does not say is not compared", "[report]") {
  CHECK(reason(sample_figure(
            "step_time", "12.4", R"({"batch_global":"256","devices":"2","hardware":"A100"})")) ==
        "this study does not say: hardware");
}

TEST_CASE("a figure that does not say its model is not compared with that of a model", "[report]") {
  CHECK(reason(sample_figure("step_time", "12.4", R"({"batch_global":"256","devices":"2"})")) ==
        "the figure does not say: model");
}

TEST_CASE("a figure under other conditions is not compared", "[report]") {
  CHECK(reason(sample_figure(
            "step_time", "12.4", R"({"batch_global":"256","devices":"2","model":"resnet"})")) ==
        "no cell has these conditions");
  CHECK(reason(sample_figure(
            "step_time", "12.4", R"({"batch_global":"64","devices":"8","model":"mlp-6.9m"})")) ==
        "no cell has these conditions");  // excluded by a rule
}

TEST_CASE("a figure that several cells fit, or that says nothing, is not compared", "[report]") {
  CHECK(reason(sample_figure("step_time", "12.4", R"({"devices":"2","model":"mlp-6.9m"})")) ==
        "3 cells have these conditions");
  CHECK(reason(sample_figure("step_time", "12.4", "{}")) == "no conditions are stated");
}

TEST_CASE("a speedup is compared with one over the same baseline only", "[report]") {
  const ReportInput input = sample_input();
  PublishedFigureRow speedup = sample_figure("speedup", "1.4x", kTwoDevices);
  CHECK(reason(speedup) == "its baseline is not stated");

  speedup.baseline = R"({"devices":"4"})";
  CHECK(reason(speedup) == "relative to another baseline");

  speedup.baseline = R"({"devices":"1"})";
  // 0.002 + 0.0256 = 0.0276 s on one device, 0.0188 s on two.
  CHECK(*find_counterpart(input, speedup).measure.value == Approx(0.0276 / 0.0188));
}

TEST_CASE("an overhead is that of communication", "[report]") {
  const ReportInput input = sample_input();

  // 0.0148 s without communication, 0.0188 s with it.
  CHECK(*find_counterpart(input, sample_figure("overhead", "20", kTwoDevices)).measure.value ==
        Approx(1.0 - 0.0148 / 0.0188));
}

TEST_CASE("quantities that the study has not measured are told from others", "[report]") {
  const ReportInput input = sample_input();

  const Counterpart found = find_counterpart(input, sample_figure("latency", "1", kTwoDevices));

  CHECK(found.reason == "not measured by this study");
  CHECK_FALSE(found.is_measured_quantity);
}

TEST_CASE("tokens are not compared with samples", "[report]") {
  PublishedFigureRow tokens = sample_figure("throughput", "145", kTwoDevices);
  tokens.printed_unit = "K tokens/s";

  CHECK(reason(tokens) == "measured in samples/s");
}

TEST_CASE("the measured number is shown in the published unit", "[report]") {
  const View view = build_view(sample_input(), {});

  const View& row = rows(view, "published_compared").at(0);
  CHECK(text(row, "printed") == "12.4 ms");
  CHECK(text(row, "measured") == "18.80 [18.24, 19.36] ms");
  CHECK(text(row, "where") == "section 2");
  CHECK(text(rows(view, "published_compared").at(1), "printed") == "20645 samples/s");
  CHECK(text(rows(view, "published_sources").at(0), "compared") == "3");
}

TEST_CASE("a multiplier in the cell is not printed twice", "[report]") {
  ReportInput input = sample_input();
  PublishedFigureRow& figure = input.publications[0].figures[1];
  figure.printed = "21K";
  figure.printed_unit = "K samples/s";
  figure.unit_size = 1000.0;

  const View view = build_view(input, {});

  CHECK(text(rows(view, "published_compared").at(1), "printed") == "21K samples/s");
  CHECK_THAT(text(rows(view, "published_compared").at(1), "measured"),
             Contains("13.62 [") && Contains("K samples/s"));  // 256 / 0.0188 s
}

TEST_CASE("figures without a counterpart are cut, those of measured quantities last", "[report]") {
  ReportInput input = sample_input();
  auto& figures = input.publications[0].figures;
  const PublishedFigureRow latency = figures.back();
  figures.insert(figures.begin(), 30, latency);

  const View view = build_view(input, {});

  // 31 latencies and a speedup without a baseline; 20 are shown.
  CHECK(rows(view, "published_others").size() == 20);
  CHECK(text(rows(view, "published_others").at(0), "quantity") == "speedup");
  const auto& tables = std::get<View::List>(view.values().at("published_others"));
  CHECK(text(tables.at(0), "more") == "12");
}

TEST_CASE("publications change nothing outside their section", "[report]") {
  const auto render = [](bool has_publications) {
    Store store = Store::open_in_memory();
    const std::int64_t id = test::fill_sample(store, {.has_publications = has_publications});
    return render_report(store, test::sample_request(id));
  };
  ReportFiles with = render(true);
  const ReportFiles without = render(false);

  CHECK(with.erase("data/published.csv") == 1);
  std::string& page = with.at("report.md");
  const std::size_t section = page.find("## Published figures");
  page.erase(section, page.find("## Threats to validity") - section);
  const std::string exception = " outside the section [Published figures](#published-figures)";
  page.erase(page.find(exception), exception.size());
  CHECK(with == without);
}

TEST_CASE("the CSV file has every published figure, labelled as such", "[report]") {
  const ReportInput input = sample_input();

  const test::CsvTable table(published_csv(input));

  CHECK(table.at(0, "provenance") == "published");
  CHECK(table.at(0, "measured_cell") == "measured-2-256");
  CHECK(std::stod(table.at(0, "value")) == *input.publications[0].figures[0].value);
  CHECK(table.at(4, "not_compared") == "not measured by this study");
  CHECK(table.at(4, "measured_value").empty());
}
