// Published figures for the store's tests.
#pragma once

#include <string>
#include <vector>

#include "harness/store/store.h"

namespace scalestudy::test {

// Speedups of 2 devices, one a row, printed with one decimal: "1.9x" stands for [1.85, 1.95].
inline PublicationRow make_publication(const std::string& source,
                                       const std::vector<std::string>& printed) {
  PublicationRow publication;
  publication.kind = PublicationKind::kDataset;
  publication.source = source;
  publication.title = "A report";
  publication.document = "report.md";
  publication.date = "2026-01-01";
  publication.path = "data/" + source;
  publication.hash = source + "-1";
  for (const std::string& text : printed) {
    PublishedFigureRow& figure = publication.figures.emplace_back();
    figure.table_name = "scaling";
    figure.row = static_cast<std::int64_t>(publication.figures.size());
    figure.column_name = "speedup";
    figure.location = "section 2";
    figure.quantity = "speedup";
    figure.experiment = "scaling";
    figure.conditions = R"({"devices":"2","model":"mlp-258k"})";
    figure.baseline = R"({"devices":"1"})";
    figure.printed = text;
    figure.form = "rounded";
    figure.value = std::stod(text);
    figure.lo = *figure.value - 0.05;
    figure.hi = *figure.value + 0.05;
    figure.unit = "1";
    figure.printed_unit = "x";
    figure.line = figure.row;
  }
  return publication;
}

}  // namespace scalestudy::test
