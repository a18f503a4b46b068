#include "harness/import/publication.h"

#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "harness/audit/figure/quantity.h"
#include "harness/text/json.h"

namespace scalestudy {
namespace {

std::string form_name(audit::FigureForm form) {
  switch (form) {
    case audit::FigureForm::kRounded:
      return "rounded";
    case audit::FigureForm::kExact:
      return "exact";
    case audit::FigureForm::kApproximate:
      return "approximate";
    case audit::FigureForm::kSpan:
      return "span";
    case audit::FigureForm::kAtMost:
      return "at_most";
    case audit::FigureForm::kAtLeast:
      return "at_least";
    case audit::FigureForm::kAbsent:
      break;
  }
  throw std::logic_error("an absent figure is not a row");
}

// Without conditions that say nothing.
std::string json_text(const audit::Conditions& conditions) {
  JsonText object = JsonText::object();
  for (const auto& [name, value] : conditions) {
    if (!value.empty()) {
      object[name] = value;
    }
  }
  return object.dump();
}

std::optional<double> finite(double value) {
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::optional<std::string> if_any(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

// The cell "16" of a column of devices: what its own conditions say already.
bool is_setting(const audit::PrintedFigure& printed) {
  const auto found = printed.conditions.find(printed.quantity);
  return printed.row > 0 && found != printed.conditions.end() &&
         found->second == audit::condition_text(printed.figure);
}

audit::Conditions baseline_of(const audit::Dataset& dataset, const audit::PrintedFigure& printed) {
  for (const audit::Table& table : dataset.tables) {
    for (const audit::Column& column : table.columns) {
      if (printed.row > 0 && table.name == printed.table && column.name == printed.column) {
        return column.declared.baseline;
      }
    }
  }
  for (const audit::Statement& statement : dataset.statements) {
    if (printed.row == 0 && statement.id == printed.column) {
      return statement.declared.baseline;
    }
  }
  return {};
}

PublishedFigureRow make_row(const audit::Dataset& dataset, const audit::PrintedFigure& printed) {
  const audit::Figure& figure = printed.figure;
  PublishedFigureRow row;
  row.table_name = printed.table;
  if (printed.row > 0) {
    row.row = printed.row;
  }
  row.column_name = printed.column;
  row.location = printed.where;
  row.quantity = printed.quantity;
  row.experiment = printed.experiment;
  row.conditions = json_text(printed.conditions);
  row.baseline = json_text(baseline_of(dataset, printed));
  row.printed = figure.printed;
  row.form = form_name(figure.form);
  row.value = figure.value;
  row.lo = finite(figure.range.value().lo);
  row.hi = finite(figure.range.value().hi);
  row.unit = audit::base_unit(audit::find_quantity(printed.quantity)->dimension);
  row.printed_unit = figure.unit;
  row.unit_size = figure.unit_size;
  if (printed.place.line > 0) {
    row.line = printed.place.line;
  }
  return row;
}

}  // namespace

PublicationRow make_publication(const audit::Dataset& dataset) {
  PublicationRow publication;
  publication.title = dataset.title;
  publication.document = dataset.source.document;
  if (!dataset.source.author.empty()) {
    publication.document += fmt::format(" ({})", dataset.source.author);
  }
  publication.date = if_any(dataset.source.date);
  publication.url = if_any(dataset.source.url);
  publication.hardware = if_any(dataset.hardware);
  for (const audit::PrintedFigure& printed : audit::printed_figures(dataset)) {
    if (!is_setting(printed)) {
      publication.figures.push_back(make_row(dataset, printed));
    }
  }
  return publication;
}

}  // namespace scalestudy
