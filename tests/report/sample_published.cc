#include "tests/report/sample_published.h"

namespace scalestudy::test {

PublishedFigureRow sample_figure(const std::string& quantity,
                                 const std::string& printed,
                                 const std::string& conditions) {
  const bool is_time = quantity.ends_with("time") || quantity == "latency";
  PublishedFigureRow row;
  row.table_name = "scaling";
  row.row = 1;
  row.column_name = quantity;
  row.location = "section 2";
  row.quantity = quantity;
  row.conditions = conditions;
  row.printed = printed;
  row.form = "rounded";
  row.unit = is_time ? "s" : (quantity == "throughput" ? "1/s" : "1");
  row.printed_unit = is_time ? "ms" : (quantity == "throughput" ? "samples/s" : "x");
  row.unit_size = is_time ? 1e-3 : 1.0;
  row.value = std::stod(printed) * row.unit_size;
  row.lo = *row.value * 0.99;
  row.hi = *row.value * 1.01;
  row.line = 7;
  return row;
}

PublicationRow sample_publication(std::int64_t study_id) {
  const std::string two_devices = R"({"batch_global":"256","devices":"2","model":"MLP-6.9M"})";
  PublicationRow publication;
  publication.study_id = study_id;
  publication.kind = PublicationKind::kDataset;
  publication.source = "their-paper";
  publication.title = "An MLP on one and two devices";
  publication.document = "report.md (A. Author)";
  publication.date = "2025-01-01";
  publication.hardware = "two GPUs | NVLink";
  publication.path = "data/published/their-paper";
  publication.hash = "0123456789abcdef";
  publication.figures = {sample_figure("step_time", "12.4", two_devices),
                         sample_figure("throughput", "20645 samples/s", two_devices),
                         sample_figure("speedup", "1.4x", two_devices),
                         sample_figure("speedup", "1.5x", two_devices),
                         sample_figure("latency", "0.9 ms", two_devices)};
  publication.figures[2].baseline = R"({"devices":"1"})";
  return publication;
}

void make_platform(PublicationRow& publication, std::vector<CounterpartRow>& counterparts) {
  for (const std::size_t i : {1, 2}) {  // the throughput, and what was a speedup
    publication.figures.at(i).conditions =
        R"({"devices":"2","platform":"Cloud A","tokens":"1000000000"})";
    counterparts.at(i).assumed = R"({"platform":"*"})";
  }
  PublishedFigureRow& figure = publication.figures.at(2);
  figure.quantity = "cost";
  figure.printed = "$2.00";
  figure.printed_unit = "$";
  CounterpartRow& cost = counterparts.at(2);
  cost.value = 1.0;
  cost.ratio = 0.5;
  cost.lo = cost.ratio_lo = 0.4;
  cost.hi = cost.ratio_hi = 0.6;
  cost.note = "ours is the price of the machines alone";
}

std::vector<CounterpartRow> sample_counterparts(const PublicationRow& publication,
                                                const std::vector<CellRow>& cells,
                                                const Results& results) {
  std::int64_t cell_id = 0;
  for (const CellRow& cell : cells) {
    cell_id = cell.hash == "measured-2-256" ? cell.id : cell_id;
  }
  std::vector<CounterpartRow> rows;
  const auto add = [&](const auto& row, const std::string& unit) {
    rows.push_back({.cell_id = cell_id,
                    .value = row.value,
                    .lo = row.lo,
                    .hi = row.hi,
                    .unit = unit,
                    .n = row.n,
                    .reason = ""});
  };
  for (const char* metric : {"step_time_s", "throughput"}) {
    for (const EstimateRow& row : results.estimates) {
      if (row.cell_id == cell_id && row.metric == metric && row.statistic == Statistic::kMean) {
        add(row, row.unit);
      }
    }
  }
  for (const ComparisonRow& row : results.comparisons) {
    if (row.cell_id == cell_id && row.quantity == "speedup") {
      add(row, "");
    }
  }
  rows.resize(publication.figures.size());
  // Over 20,645 samples/s, with 350 W a device there and 300 W here.
  CounterpartRow& rate = rows[1];
  rate.ratio = *rate.value / 20645.0;
  rate.ratio_lo = *rate.lo / 20645.0;
  rate.ratio_hi = *rate.hi / 20645.0;
  rate.published_watts = 350.0;
  rate.per_watt = *rate.ratio * 350.0 / 300.0;
  rate.per_watt_lo = *rate.ratio_lo * 350.0 / 300.0;
  rate.per_watt_hi = *rate.ratio_hi * 350.0 / 300.0;
  rows[3].reason = "its baseline is not stated";
  rows[4].reason = "not measured by this study";
  rows[4].is_measured_quantity = false;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].figure_id = publication.figures.at(i).id;
  }
  return rows;
}

}  // namespace scalestudy::test
