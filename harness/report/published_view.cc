// Published figures beside measured ones, and as CSV.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "harness/report/build_view.h"
#include "harness/report/csv.h"
#include "harness/report/published.h"

namespace scalestudy::report {
namespace {

constexpr std::size_t kMostOthers = 20;  // rows without a counterpart; the CSV file has all

// "devices=2, model=resnet50".
std::string conditions_text(const std::string& json) {
  std::string text;
  for (const auto& [name, value] : parse_conditions(json)) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", name, value);
  }
  return text.empty() ? "–" : text;
}

// As printed, with what its column says of the unit behind it: "62.97 us", "83K samples/s".
std::string printed_text(const PublishedFigureRow& figure) {
  const auto prints = [&](const std::string& part) {
    return figure.printed.find(part) != std::string::npos;
  };
  const std::size_t blank = figure.printed_unit.find(' ');
  if (prints(figure.printed_unit)) {
    return figure.printed;
  }
  const bool prints_multiplier =
      blank != std::string::npos && prints(figure.printed_unit.substr(0, blank));
  return figure.printed + " " +
         (prints_multiplier ? figure.printed_unit.substr(blank + 1) : figure.printed_unit);
}

// A document has places of its own; in a tool's file it is a row of a table.
std::string where_text(const PublicationRow& publication, const PublishedFigureRow& figure) {
  if (publication.kind == "published-dataset" || !figure.row) {
    return figure.location;
  }
  return fmt::format("{}, row {}", figure.table_name, *figure.row);
}

// In the unit of the published number, so that the two can be read side by side.
std::string measured_text(const Counterpart& counterpart, const PublishedFigureRow& figure) {
  const std::string unit = figure.printed_unit.empty() ? counterpart.unit : figure.printed_unit;
  return format_interval(counterpart.measure, 1.0 / figure.unit_size) +
         (unit.empty() ? "" : " " + unit);
}

View figure_view(const PublicationRow& publication, const PublishedFigureRow& figure) {
  View row;
  row.set_text("source", publication.source);
  row.set_text("where", where_text(publication, figure));
  row.set_text("quantity", figure.quantity);
  row.set_text("conditions", conditions_text(figure.conditions));
  row.set_text("printed", printed_text(figure));
  return row;
}

View compared_view(const ReportInput& input,
                   const PublicationRow& publication,
                   const PublishedFigureRow& figure,
                   const Counterpart& counterpart) {
  View row = figure_view(publication, figure);
  row.set_text("cell", short_name(input, *counterpart.cell));
  row.set_text("measured", measured_text(counterpart, figure));
  row.set_text("n", std::to_string(counterpart.n));
  return row;
}

View source_view(const PublicationRow& publication, std::size_t compared) {
  View row;
  row.set_text("source", publication.source);
  row.set_text("kind", publication.kind);
  row.set_text("title", publication.title);
  row.set_text("document",
               publication.document + (publication.date ? ", " + *publication.date : ""));
  row.set_text("hardware", publication.hardware.value_or("–"));
  row.set_text("figures", std::to_string(publication.figures.size()));
  row.set_text("compared", std::to_string(compared));
  row.set_text("hash", publication.hash);
  return row;
}

std::string text(const std::optional<std::int64_t>& value) {
  return value ? std::to_string(*value) : "";
}

}  // namespace

View published_view(const ReportInput& input) {
  View::List sources;
  View::List compared;
  View::List others;  // of quantities that were measured first: they are what one looks for
  View::List unmeasured;
  for (const PublicationRow& publication : input.publications) {
    const std::size_t before = compared.size();
    for (const PublishedFigureRow& figure : publication.figures) {
      const Counterpart counterpart = find_counterpart(input, figure);
      if (counterpart.cell != nullptr) {
        compared.push_back(compared_view(input, publication, figure, counterpart));
        continue;
      }
      View row = figure_view(publication, figure);
      row.set_text("reason", counterpart.reason);
      (counterpart.is_measured_quantity ? others : unmeasured).push_back(std::move(row));
    }
    sources.push_back(source_view(publication, compared.size() - before));
  }
  others.insert(others.end(), unmeasured.begin(), unmeasured.end());
  const std::size_t more = others.size() - std::min(others.size(), kMostOthers);
  others.resize(others.size() - more);
  View view;
  view.set_list("published_sources", std::move(sources));
  view.set_list("published_compared", std::move(compared));
  view.set_list("published_others", std::move(others));
  view.set_text("published_others_more", more == 0 ? "" : std::to_string(more));
  return view;
}

std::string published_csv(const ReportInput& input) {
  std::string lines = csv_line({"source",
                                "kind",
                                "document",
                                "hash",
                                "table",
                                "row",
                                "column",
                                "location",
                                "line",
                                "quantity",
                                "conditions",
                                "baseline",
                                "printed",
                                "form",
                                "value",
                                "lo",
                                "hi",
                                "unit",
                                "provenance",
                                "measured_cell",
                                "measured_label",
                                "measured_value",
                                "measured_lo",
                                "measured_hi",
                                "measured_n",
                                "not_compared"});
  for (const PublicationRow& publication : input.publications) {
    for (const PublishedFigureRow& figure : publication.figures) {
      const Counterpart counterpart = find_counterpart(input, figure);
      const CellRow* cell = counterpart.cell;
      lines += csv_line({publication.source,
                         publication.kind,
                         publication.document,
                         publication.hash,
                         figure.table_name,
                         text(figure.row),
                         figure.column_name,
                         figure.location,
                         text(figure.line),
                         figure.quantity,
                         figure.conditions,
                         figure.baseline,
                         figure.printed,
                         figure.form,
                         format_exact(figure.value),
                         format_exact(figure.lo),
                         format_exact(figure.hi),
                         figure.unit,
                         "published",
                         cell == nullptr ? "" : cell->hash,
                         cell == nullptr ? "" : cell->label,
                         format_exact(counterpart.measure.value),
                         format_exact(counterpart.measure.lo),
                         format_exact(counterpart.measure.hi),
                         cell == nullptr ? "" : std::to_string(counterpart.n),
                         counterpart.reason});
    }
  }
  return lines;
}

}  // namespace scalestudy::report
