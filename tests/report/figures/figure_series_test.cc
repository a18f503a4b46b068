// Names in legends, and numbers at axes.
#include "harness/report/figures/figure_series.h"

#include <algorithm>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "harness/report/figures/axis_tics.h"
#include "harness/report/figures/figures.h"
#include "tests/report/figures/drawn_figures.h"
#include "tests/report/sample_study.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::report;

namespace {

TEST_CASE("a legend leaves out what names share, and never what tells them apart", "[report]") {
  const std::string shared = "gradient_checkpointing=full-every-block, sharding_strategy=none, ";
  CHECK(legend_names({"factor 1, precision=bf16", "factor 2, precision=bf16"}) ==
        std::vector<std::string>{"factor 1, precision=bf16", "factor 2, precision=bf16"});
  CHECK(legend_names({shared + "factor 1", shared + "factor 2"}) ==
        std::vector<std::string>{"factor 1", "factor 2"});
  const std::string key = "activation_checkpointing_of_the_decoder=";
  CHECK(legend_names({key + "none, factor 1, precision=bf16-mixed",
                      key + "full, factor 1, precision=bf16-mixed",
                      key + "full, factor 1, precision=fp32-as-it-is"}) ==
        std::vector<std::string>{"none, bf16-mixed", "full, bf16-mixed", "full, fp32-as-it-is"});
  CHECK(legend_names({"8 devices, factor 0.9, precision bf16-mixed-as-it-is, strategy ddp, scale 2",
                      "8 devices, factor 1, precision fp32, strategy fully-sharded, scale 3"}) ==
        std::vector<std::string>{"factor 0.9, bf16-mixed-as-it-is, ddp, scale 2",
                                 "factor 1, fp32, fully-sharded, scale 3"});
  // A number without its word says little, but one that is cut off says nothing.
  const std::string decay = ", decay_of_the_learning_rate_of_the_decoder_after_warmup=";
  CHECK(legend_names({"a=1" + decay + "0.1", "a=1" + decay + "0.2", "a=2" + decay + "0.1"}) ==
        std::vector<std::string>{"1, 0.1", "1, 0.2", "2, 0.1"});
  // All parts of the first are in the second, so the last of them stays in both.
  CHECK(legend_names({shared + "a", shared + "a, b"}) == std::vector<std::string>{"a", "a, b"});
  // Of other keys: their values alone would be alike.
  const std::string other = "another_very_long_name_of_a_parameter_of_the_decoder_x=";
  CHECK(legend_names({key + "none-of-all-of-them", other + "none-of-all-of-them"}) ==
        std::vector<std::string>{key + "none-of-all-of-them", other + "none-of-all-of-them"});
}

TEST_CASE("two figures of series that differ in one setting have different legends", "[report]") {
  ReportInput input = test::read_sample();
  const std::vector<CellRow> cells = input.cells;
  const std::vector<EstimateRow> estimates = input.results.estimates;
  input.cells.clear();
  input.results.estimates.clear();
  for (std::int64_t i = 0; i < 4; ++i) {
    for (CellRow cell : cells) {
      const std::int64_t old_id = cell.id;
      cell.id += 1000 * i;
      cell.parameters.push_back({"activation_checkpointing",
                                 "every-block-" + std::to_string(i % 2),
                                 ValueKind::kText,
                                 true});
      cell.parameters.push_back(
          {"precision_of_all", i < 2 ? "bf16-mixed" : "fp32-plain", ValueKind::kText, true});
      input.cells.push_back(cell);
      for (EstimateRow row : estimates) {
        if (row.cell_id == old_id) {
          row.cell_id = cell.id;
          input.results.estimates.push_back(row);
        }
      }
    }
  }
  input.make_index();

  std::set<std::string> legends;
  std::size_t series = 0;
  for (const FigurePlan& plan : plan_figures(input)) {
    if (plan.kind == "throughput" && plan.path.starts_with("figures/throughput")) {
      const std::size_t from = plan.definitions.find("] = [", plan.definitions.find("series_name"));
      const std::string names =
          plan.definitions.substr(from, plan.definitions.find('\n', from) - from);
      const std::regex name("'[^']*'");
      for (std::sregex_iterator at(names.begin(), names.end(), name), end; at != end; ++at) {
        legends.insert(at->str());
        ++series;
      }
    }
  }
  CHECK(series > kMostSeries);
  CHECK(legends.size() == series);
}

// The numbers of that axis's tics, as a script gets them.
std::vector<double> tics_in(const std::string& definitions, char axis, double least, double most) {
  const std::string start = std::string("set ") + axis + "tics (";
  const std::size_t from = definitions.find(start);
  REQUIRE(from != std::string::npos);
  const std::string text = definitions.substr(from, definitions.find('\n', from) - from);
  const std::regex tic("'([^']*)' ([0-9.e+-]+)");
  std::vector<double> places;
  for (std::sregex_iterator at(text.begin(), text.end(), tic), end; at != end; ++at) {
    const double place = std::stod((*at)[2]);
    CHECK(std::stod((*at)[1]) == place);
    if (least <= place && place <= most) {
      places.push_back(place);
    }
  }
  return places;
}

TEST_CASE("a logarithmic axis has round numbers, however narrow its data", "[report]") {
  const auto within = [](double least, double most) {
    return tics_in(log_tics('y', least, most, {0.1, 0.2, 0.5, 1, 2, 5, 10}), 'y', least, most);
  };
  CHECK(within(0.15, 12) == std::vector<double>{0.2, 0.5, 1, 2, 5, 10});
  CHECK(within(0.719, 0.803) == std::vector<double>{0.72, 0.74, 0.76, 0.78, 0.8});
  CHECK(within(0.953, 1.041) == std::vector<double>{0.96, 0.98, 1, 1.02, 1.04});
  CHECK(within(1.1, 4.9) == std::vector<double>{2, 3, 4});
  CHECK(within(612.51, 612.89) == std::vector<double>{612.6, 612.7, 612.8});
  double least = 0.00112 / 1.3713;
  while ((least *= 1.3713) < 5000) {
    for (const double ratio : {1.0001, 1.003, 1.02, 1.3, 2.0, 4.7, 9.9}) {
      INFO(least << " x " << ratio);
      const std::size_t count = within(least, least * ratio).size();
      CHECK(count >= 3);
      CHECK(count <= 8);
    }
  }
  CHECK_THAT(log_tics('x', 3, 3, {1, 2, 5}), Catch::Matchers::Contains("'5' 5"));
}

TEST_CASE("labels of a logarithmic axis leave each other room, however wide its data", "[report]") {
  const std::vector<double> usual{0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500};
  const auto within = [&](double least, double most) {
    return tics_in(log_tics('y', least, most, usual), 'y', least, most);
  };
  CHECK(within(0.15, 140).size() == 9);
  CHECK(within(0.15, 151) == std::vector<double>{1, 10, 100});
  CHECK(within(0.0048, 27) == std::vector<double>{0.01, 0.1, 1, 10});
  CHECK(within(3e-6, 4e4) == std::vector<double>{1e-4, 1e-2, 1, 100, 1e4});
  double most = 2e-9 / 7.3;
  while ((most *= 7.3) < 1e15) {
    INFO(most);
    const std::vector<double> places = within(1.5e-12, most);
    CHECK(places.size() >= 3);
    CHECK(places.size() <= 9);
    CHECK((most < 1.0 || std::ranges::find(places, 1.0) != places.end()));
  }
}

TEST_CASE("a value alone has a tic on a logarithmic axis", "[report]") {
  CHECK(log_tics('y', 2, 2, {1, 2, 5}) == "set ytics ('1' 1, '2' 2, '5' 5)\n");
  CHECK(log_tics('y', 0.0123456, 0.0123456, {1, 2, 5}) ==
        "set ytics ('1' 1, '2' 2, '5' 5, '0.0123' 0.0123)\n");
}

TEST_CASE("counts close to each other have labels that differ", "[report]") {
  CHECK(log_tics('y', 10'400, 12'100, round_numbers(), short_count) ==
        "set ytics ('10k' 10000, '10.5k' 10500, '11k' 11000, '11.5k' 11500, '12k' 12000, "
        "'12.5k' 12500)\n");
}

TEST_CASE("large counts on an axis are as short as a figure's room for them", "[report]") {
  CHECK(count_tics(99'000).empty());
  CHECK(count_tics(120'000) ==
        "set ytics ('0' 0, '20k' 20000, '40k' 40000, '60k' 60000, '80k' 80000, '100k' 100000, "
        "'120k' 120000)\n");
  CHECK(count_tics(2.6e6) ==
        "set ytics ('0' 0, '500k' 500000, '1M' 1000000, '1.5M' 1500000, '2M' 2000000, "
        "'2.5M' 2500000)\n");
  CHECK(count_tics(5.2e9).ends_with("'4B' 4000000000, '5B' 5000000000)\n"));
}

TEST_CASE("a throughput of millions has short labels", "[report]") {
  const auto throughput_tics = [](double factor) {
    ReportInput input = test::read_sample();
    for (EstimateRow& row : input.results.estimates) {
      if (row.metric == "throughput" && row.value) {
        row.value = *row.value * factor;
        row.lo.reset();
        row.hi.reset();
      }
    }
    input.make_index();
    const std::string definitions = test::plan_of(plan_figures(input), "throughput").definitions;
    return definitions.find("set ytics (") != std::string::npos;
  };
  CHECK_FALSE(throughput_tics(1.0));
  CHECK(throughput_tics(1000.0));
}

}  // namespace
