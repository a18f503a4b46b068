#include "harness/report/files/published_csv.h"

#include <vector>

#include "harness/report/files/csv_columns.h"
#include "harness/report/input/compared_figures.h"
#include "harness/store/tables/columns.h"

namespace scalestudy::report {

std::string published_csv(const ReportInput& input) {
  std::vector<ComparedFigure> figures;
  for (const PublicationRow& publication : input.publications) {
    for (const PublishedFigureRow& figure : publication.figures) {
      figures.push_back({&publication, &figure, counterpart_of(input, figure)});
    }
  }
  using Columns = CsvColumns<ComparedFigure>;
  const Columns of_publication =
      columns_of<ComparedFigure>([](const ComparedFigure& row) { return row.publication; },
                                 stored_columns<PublicationRow>({{"study_id", ""},
                                                                 {"title", ""},
                                                                 {"date", ""},
                                                                 {"url", ""},
                                                                 {"hardware", ""},
                                                                 {"path", ""}}));
  const Columns of_figure = columns_of<ComparedFigure>(
      [](const ComparedFigure& row) { return row.figure; },
      stored_columns<PublishedFigureRow>(
          {{"experiment", ""}, {"printed_unit", ""}, {"unit_size", ""}}));
  const auto provenance = [](const ComparedFigure& /*row*/) {
    return to_word(Provenance::kPublished);
  };
  const auto cell = [&](const ComparedFigure& row) {
    const auto& id = row.counterpart.cell_id;
    return id ? &input.cell(*id) : nullptr;
  };
  const auto n = [](const ComparedFigure& row) {
    return row.counterpart.cell_id ? csv_text(row.counterpart.n) : "";
  };
  const Columns measured =
      Columns{{"provenance", provenance}} +
      columns_of<ComparedFigure>(cell, cell_columns(2, "measured_")) +
      Columns{
          {"measured_value",
           [](const ComparedFigure& row) { return csv_text(row.counterpart.value); }},
          {"measured_lo", [](const ComparedFigure& row) { return csv_text(row.counterpart.lo); }},
          {"measured_hi", [](const ComparedFigure& row) { return csv_text(row.counterpart.hi); }},
          {"ratio", [](const ComparedFigure& row) { return csv_text(row.counterpart.ratio); }},
          {"ratio_lo",
           [](const ComparedFigure& row) { return csv_text(row.counterpart.ratio_lo); }},
          {"ratio_hi",
           [](const ComparedFigure& row) { return csv_text(row.counterpart.ratio_hi); }},
          {"per_device",
           [](const ComparedFigure& row) { return csv_text(row.counterpart.per_device); }},
          {"published_watts",
           [](const ComparedFigure& row) { return csv_text(row.counterpart.published_watts); }},
          {"per_watt",
           [](const ComparedFigure& row) { return csv_text(row.counterpart.per_watt); }},
          {"per_watt_lo",
           [](const ComparedFigure& row) { return csv_text(row.counterpart.per_watt_lo); }},
          {"per_watt_hi",
           [](const ComparedFigure& row) { return csv_text(row.counterpart.per_watt_hi); }},
          {"measured_n", n},
          {"measured_metric", [](const ComparedFigure& row) { return row.counterpart.metric; }},
          {"measured_assuming", [](const ComparedFigure& row) { return row.counterpart.assumed; }},
          {"measured_note", [](const ComparedFigure& row) { return row.counterpart.note; }},
          {"not_compared", [](const ComparedFigure& row) { return row.counterpart.reason; }}};
  return csv_table<ComparedFigure>(of_publication + of_figure + measured, figures);
}

}  // namespace scalestudy::report
