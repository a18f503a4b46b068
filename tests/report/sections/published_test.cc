// Published figures beside measured ones.
#include <algorithm>
#include <string>

#include "harness/report/files/published_csv.h"
#include "harness/report/report.h"
#include "harness/report/sections/sections.h"
#include "tests/report/csv_reader.h"
#include "tests/report/sample_published.h"
#include "tests/report/sample_study.h"
#include "tests/report/technique_samples.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::report;

namespace {

using Catch::Matchers::Contains;
using test::text_in;

// Of the only table of that name.
const View::List& rows(const View& view, const std::string& name) {
  const View& table = std::get<View::List>(view.values().at(name)).at(0);
  return std::get<View::List>(table.values().at("rows"));
}

}  // namespace

TEST_CASE("the measured number is shown in the published unit", "[report]") {
  const View view = build_view(test::read_sample(), {});

  const View& row = rows(view, "published_compared").at(0);
  CHECK(text_in(row, "printed") == "12.4 ms");
  CHECK(text_in(row, "measured") == "18.80 [18.24, 19.36] ms");
  CHECK(text_in(row, "where") == "section 2");
  CHECK(text_in(rows(view, "published_compared").at(1), "printed") == "20645 samples/s");
  CHECK(text_in(rows(view, "published_sources").at(0), "compared") == "3");
}

TEST_CASE("a multiplier in the cell is not printed twice", "[report]") {
  ReportInput input = test::read_sample();
  PublishedFigureRow& figure = input.publications[0].figures[1];
  figure.printed = "21K";
  figure.printed_unit = "K samples/s";
  figure.unit_size = 1000.0;

  const View view = build_view(input, {});

  CHECK(text_in(rows(view, "published_compared").at(1), "printed") == "21K samples/s");
  CHECK_THAT(text_in(rows(view, "published_compared").at(1), "measured"),
             Contains("13.62 [") && Contains("K samples/s"));  // 256 / 0.0188 s
}

TEST_CASE("figures without a counterpart are counted by the reason", "[report]") {
  ReportInput input = test::read_sample();
  auto& figures = input.publications[0].figures;
  PublishedFigureRow latency = figures.back();
  figures.insert(figures.end(), 30, latency);
  latency.quantity = "mfu";
  figures.push_back(latency);

  const View view = build_view(input, {});

  // 31 latencies, one of another quantity, and a speedup without a baseline, which comes first.
  const View::List& others = rows(view, "published_others");
  REQUIRE(others.size() == 2);
  CHECK(text_in(others.at(0), "quantity") == "speedup");
  CHECK(text_in(others.at(0), "reason") == "its baseline is not stated");
  CHECK(text_in(others.at(1), "figures") == "32");
  CHECK(text_in(others.at(1), "quantity") == "latency, mfu");
  CHECK(text_in(others.at(1), "reason") == "not measured by this study");
}

TEST_CASE("what was assumed and what differs by definition is said", "[report]") {
  ReportInput input = test::read_sample();
  CounterpartRow& first = input.results.counterparts.at(0);
  first.assumed = R"({"model":"mlp-6.9m","platform":"*"})";
  first.note = "ours is of the slowest rank";
  input.make_index();

  const View view = build_view(input, {});

  CHECK(text_in(rows(view, "published_compared").at(0), "assumed") ==
        "model mlp-6.9m, any platform");
  CHECK(text_in(rows(view, "published_compared").at(1), "assumed") == "–");
  const auto& notes = std::get<View::List>(view.values().at("published_notes"));
  REQUIRE(notes.size() == 1);
  CHECK(text_in(notes[0], "quantity") == "Step time");
  CHECK(text_in(notes[0], "note") == "ours is of the slowest rank");
}

TEST_CASE("a platform's throughput and cost stand beside ours", "[report]") {
  ReportInput input = test::read_sample();
  CHECK(std::get<View::List>(build_view(input, {}).values().at("published_platforms")).empty());
  test::make_platform(input.publications[0], input.results.counterparts);
  input.make_index();

  const View view = build_view(input, {});
  const View::List& platforms = rows(view, "published_platforms");

  REQUIRE(platforms.size() == 1);
  CHECK(text_in(platforms[0], "platform") == "Cloud A");
  CHECK(text_in(platforms[0], "rate") == "20645 samples/s");
  CHECK(text_in(platforms[0], "cost") == "$2.00");
  CHECK(text_in(platforms[0], "cost_ratio") == "0.50 [0.40, 0.60]");
  CHECK(text_in(platforms[0], "amount") == "1000000000 tokens");
}

TEST_CASE("a figure that no analysis has seen says so", "[report]") {
  ReportInput input = test::read_sample();
  input.results.counterparts.clear();
  input.make_index();

  const View view = build_view(input, {});

  CHECK(text_in(rows(view, "published_others").at(0), "reason") ==
        "not compared yet: make the report again");
  CHECK(text_in(rows(view, "published_sources").at(0), "compared") == "0");
}

TEST_CASE("publications change nothing outside their section", "[report]") {
  const auto render = [](bool has_publications) {
    Store store = Store::open_in_memory();
    const std::int64_t id = test::fill_sample(store, {.has_publications = has_publications});
    return render_report(store, test::sample_request(id));
  };
  ReportFiles with = render(true);
  ReportFiles without = render(false);
  const std::string gap = "- **published results beside the measured ones:**";
  std::string& other = without.at("details.md");
  REQUIRE(other.find(gap) != std::string::npos);
  other.erase(other.find(gap), other.find('\n', other.find(gap)) + 1 - other.find(gap));

  CHECK(with.erase("data/published.csv") == 1);
  const std::string link = "[Published figures](details.md#published-figures) · ";
  std::string& report = with.at("report.md");
  REQUIRE(report.find(link) != std::string::npos);
  report.erase(report.find(link), link.size());
  std::string& page = with.at("details.md");
  const std::size_t section = page.find("## Published figures");
  page.erase(section, page.find("## What is missing") - section);
  const std::string exception = " outside [Published figures](#published-figures)";
  page.erase(page.find(exception), exception.size());
  CHECK(with == without);
}

TEST_CASE("the CSV file has every published figure, labelled as such", "[report]") {
  const ReportInput input = test::read_sample();

  const test::CsvTable table(published_csv(input));

  CHECK(table.at(0, "provenance") == "published");
  CHECK(table.at(0, "measured_cell") == "measured-2-256");
  CHECK(std::stod(table.at(0, "value")) == *input.publications[0].figures[0].value);
  CHECK(table.at(4, "not_compared") == "not measured by this study");
  CHECK(table.at(4, "measured_value").empty());
}

TEST_CASE("a cell whose trials ran on two machines names both", "[report]") {
  ReportInput input = test::read_sample();
  CHECK_THAT(text_in(rows(build_view(input, {}), "published_compared").at(0), "ran_on"),
             Contains("a core of A|B CPU") && !Contains(" or "));

  for (EnvironmentRow& fact : input.sessions.at(1).environment) {
    fact.value = fact.name == "cpu_model" ? "Other CPU" : fact.value;
  }
  CHECK_THAT(text_in(rows(build_view(input, {}), "published_compared").at(0), "ran_on"),
             Contains("a core of A|B CPU or a core of Other CPU"));
}
