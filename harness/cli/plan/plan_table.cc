#include "harness/cli/plan/plan_table.h"

#include <algorithm>
#include <functional>
#include <vector>

#include <fmt/format.h>

#include "harness/store/cell_name.h"
#include "harness/store/trial_plan.h"
#include "harness/study/declared/words.h"
#include "harness/text/number.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

template <typename T>
Field field(const std::optional<T>& value) {
  return value ? Field(*value) : Field();
}

// trials .. excluded of a row.
struct Outlook {
  std::int64_t trials = 0;
  std::optional<double> trial_s;
  std::optional<std::int64_t> left;
  std::optional<double> left_s;
  std::optional<PilotOutlook> pilot;
  std::optional<std::string> likely;
  std::optional<std::string> excluded;
};

Outlook outlook_of(const PlanQuestion& question, const Cell& cell) {
  const Study& study = question.study;
  Outlook outlook;
  outlook.trials = study.trials.count;
  if (const auto past = question.history.find(cell.hash); past != question.history.end()) {
    const std::vector<double> means_s = past->second.as_in_one_session_s();
    outlook.trial_s = past->second.mean_time_s();
    outlook.pilot = pilot_outlook(study, means_s, question.comparisons);
    const std::vector<double> base_s = base_times(cell, question.matrix, question.history);
    if (const auto word = expected_verdict(study, means_s, base_s, question.comparisons)) {
      outlook.likely = *word == stats::VerdictWord::kNoDetectableDifference
                           ? "open"
                           : std::string(stats::format_verdict(*word));
    }
  }
  return outlook;
}

std::vector<Field> cell_row(const Cell& cell, const Outlook& outlook) {
  return {cell.hash,
          to_word(cell.role),
          cell.label,
          cell.devices,
          field(cell.batch_global),
          field(cell.batch_per_device),
          field(cell.baseline),
          outlook.trials,
          field(outlook.trial_s),
          field(outlook.left),
          field(outlook.left_s),
          outlook.pilot ? Field(outlook.pilot->cv) : Field(),
          outlook.pilot ? field(outlook.pilot->half_width) : Field(),
          outlook.pilot ? field(outlook.pilot->detectable) : Field(),
          outlook.pilot ? field(outlook.pilot->trials_for_margin) : Field(),
          field(outlook.likely),
          field(outlook.excluded)};
}

// Columns for the precision asked for, before the last one.
void add_precision(QueryResult& table, const PlanQuestion& question) {
  const Matrix& matrix = question.matrix;
  table.columns.insert(
      table.columns.end() - 1,
      {"trials_for_precision", "trials_for_precision_lo", "trials_for_precision_hi"});
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const TrialsNeeded needed =
        i < matrix.cells.size() ? trials_needed(question, matrix.cells[i]).value_or(TrialsNeeded{})
                                : TrialsNeeded{};
    table.rows[i].insert(table.rows[i].end() - 1,
                         {field(needed.n), field(needed.lo), field(needed.hi)});
  }
}

// ---- for people

struct PlanRow {
  CellRow cell;
  const CellRow* base = nullptr;  // nullptr where the cell has none, and for a baseline
  Outlook outlook;
  std::optional<TrialsNeeded> needed;
};

struct PlanColumn {
  TextColumn head;
  std::function<std::string(const PlanRow&)> text;  // "" where a row has no value
};

std::vector<PlanRow> rows_of(const PlanQuestion& question, const std::vector<CellRow>& cells) {
  const Matrix& matrix = question.matrix;
  std::vector<PlanRow> rows;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    PlanRow row{.cell = cells[i], .base = nullptr, .outlook = {}, .needed = {}};
    if (i < matrix.cells.size()) {
      row.outlook = outlook_of(question, matrix.cells[i]);
      row.needed = question.precision ? trials_needed(question, matrix.cells[i]) : std::nullopt;
      const auto base = std::ranges::find(cells, cells[i].baseline.value_or(""), &CellRow::hash);
      row.base = base == cells.end() || base->hash == cells[i].hash ? nullptr : &*base;
    } else {
      row.outlook.excluded = matrix.excluded[i - matrix.cells.size()].reason;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string percent_text(const std::optional<double>& share) {
  return share ? fmt::format("{} %", format_plain(100.0 * *share)) : "";
}

std::string count_text(const std::optional<std::int64_t>& number) {
  return number ? std::to_string(*number) : "";
}

std::string needed_text(const TrialsNeeded& needed) {
  const auto text = [](const std::optional<std::int64_t>& n) {
    return n ? std::to_string(*n) : std::string("more than 10^9");
  };
  return fmt::format("{} [{}, {}]", text(needed.n), text(needed.lo), text(needed.hi));
}

std::vector<PlanColumn> columns_of(const PlanQuestion& question) {
  const Study& study = question.study;
  const auto of_pilot = [](auto field) {
    return [field](const PlanRow& row) {
      return row.outlook.pilot ? percent_text((*row.outlook.pilot).*field) : "";
    };
  };
  return {
      {{"cell", false}, [&](const PlanRow& row) { return describe_cell(row.cell, study.labels); }},
      {{"id", false}, [](const PlanRow& row) { return row.cell.hash; }},
      {{"base", false},
       [&](const PlanRow& row) {
         return row.base != nullptr ? describe_against(*row.base, row.cell, study.labels) : "";
       }},
      {{"trials", true}, [](const PlanRow& row) { return std::to_string(row.outlook.trials); }},
      {{"time each", true},
       [](const PlanRow& row) {
         return row.outlook.trial_s ? format_duration(*row.outlook.trial_s) : "";
       }},
      {{"spread", true},
       [](const PlanRow& row) {
         return row.outlook.pilot ? percent_text(row.outlook.pilot->cv) : "";
       }},
      {{"half-width", true}, of_pilot(&PilotOutlook::half_width)},
      {{"detects", true}, of_pilot(&PilotOutlook::detectable)},
      {{"trials for " + format_percent(study.analysis.margin), true},
       [](const PlanRow& row) {
         return row.outlook.pilot ? count_text(row.outlook.pilot->trials_for_margin) : "";
       }},
      {{question.precision ? "trials for ±" + format_percent(*question.precision) : "", true},
       [](const PlanRow& row) { return row.needed ? needed_text(*row.needed) : ""; }},
      {{"likely", false}, [](const PlanRow& row) { return row.outlook.likely.value_or(""); }},
      {{"excluded by", false},
       [](const PlanRow& row) { return row.outlook.excluded.value_or(""); }}};
}

}  // namespace

std::optional<TrialsNeeded> trials_needed(const PlanQuestion& question, const Cell& cell) {
  const auto past = question.history.find(cell.hash);
  return past == question.history.end() ? std::nullopt
                                        : trials_for_precision(question.study,
                                                               past->second.as_in_one_session_s(),
                                                               question.precision.value_or(0.0),
                                                               past->second.df_in_one_session());
}

bool knows_spread(const PlanQuestion& question) {
  return std::ranges::any_of(question.matrix.cells, [&](const Cell& cell) {
    return outlook_of(question, cell).pilot.has_value();
  });
}

QueryResult exact_plan(const PlanQuestion& question) {
  const Matrix& matrix = question.matrix;
  QueryResult table{.columns = {"cell",
                                "role",
                                "label",
                                "devices",
                                "batch_global",
                                "batch_per_device",
                                "baseline_cell",
                                "trials",
                                "trial_s",
                                "left",
                                "left_s",
                                "cv",
                                "half_width",
                                "detectable",
                                "trials_for_margin",
                                "likely",
                                "excluded"},
                    .rows = {}};
  const auto trial_s = trial_times_s(matrix, question.history);
  for (std::size_t i = 0; i < matrix.cells.size(); ++i) {
    Outlook outlook = outlook_of(question, matrix.cells[i]);
    if (!question.left.empty()) {
      outlook.left = question.left[i];
      if (trial_s) {
        outlook.left_s = static_cast<double>(question.left[i]) * (*trial_s)[i];
      }
    }
    table.rows.push_back(cell_row(matrix.cells[i], outlook));
  }
  for (const ExcludedCell& excluded : matrix.excluded) {
    Outlook outlook;
    outlook.left = 0;
    outlook.excluded = excluded.reason;
    table.rows.push_back(cell_row(excluded.cell, outlook));
  }
  if (question.precision) {
    add_precision(table, question);
  }
  return table;
}

std::string readable_plan(const PlanQuestion& question, Format format, std::size_t width) {
  const std::vector<CellRow> cells = cell_rows(question.matrix, {});
  const std::vector<PlanRow> rows = rows_of(question, cells);
  std::vector<TextColumn> heads;
  std::vector<std::vector<std::string>> texts(rows.size());
  for (const PlanColumn& column : columns_of(question)) {
    std::vector<std::string> values;
    std::ranges::transform(rows, std::back_inserter(values), column.text);
    if (std::ranges::all_of(values, &std::string::empty)) {
      continue;
    }
    heads.push_back(column.head);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      texts[i].push_back(values[i].empty() ? "-" : values[i]);
    }
  }
  if (format == Format::kTable) {
    return align_columns(heads, texts, width);
  }
  QueryResult table;
  std::ranges::transform(heads, std::back_inserter(table.columns), &TextColumn::heading);
  for (std::vector<std::string>& row : texts) {
    table.rows.emplace_back(row.begin(), row.end());
  }
  return format_table(table, format);
}

}  // namespace scalestudy
