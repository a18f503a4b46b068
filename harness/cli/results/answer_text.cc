#include "harness/cli/results/answer_text.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "harness/base/paths.h"
#include "harness/cli/table.h"
#include "harness/report/input/estimates.h"
#include "harness/report/input/input.h"
#include "harness/report/rules/trust.h"
#include "harness/report/sections/parameters.h"
#include "harness/report/sections/sections.h"
#include "harness/report/template/view.h"
#include "harness/text/number.h"
#include "harness/text/text.h"
#include "harness/text/wrap.h"

namespace scalestudy {
namespace {

using report::list_of;
using report::ReportInput;
using report::text_of;
using report::View;

bool has_ok_trial(const ReportInput& input) {
  return std::ranges::any_of(input.last_attempts(), [&](const TrialRow* trial) {
    return trial->state == TrialState::kOk && !input.ran_in_excluded_cell(*trial);
  });
}

// A table of the report in columns, or as paragraphs where the terminal is too narrow.
std::string table_text(const View& table, std::size_t width) {
  std::vector<TextColumn> columns;
  for (const View& column : list_of(table, "columns")) {
    columns.push_back({text_of(column, "heading"), text_of(column, "rule").ends_with(':')});
  }
  std::vector<std::vector<std::string>> rows;
  for (const View& row : list_of(table, "rows")) {
    rows.emplace_back();
    for (const View& value : list_of(row, "values")) {
      rows.back().push_back(text_of(value, "value"));
    }
  }
  const std::string more = text_of(table, "more");
  return align_columns(columns, rows, width) +
         (more.empty() ? "" : fmt::format("Rows only in the report: {}.\n", more));
}

}  // namespace

std::string answer_text(const Store& store, std::int64_t study_id, std::size_t width) {
  const ReportInput input = report::read_input(store, study_id);
  if (!has_ok_trial(input)) {
    return "";
  }
  View view;
  report::answer_section().fill(view, input, {});
  std::string text;
  const auto add = [&](const std::string& line) { text += wrapped(line, width, 2) + "\n"; };
  const auto get = [&](const char* name) { return text_of(view, name); };
  if (const std::string state = get("state"); !state.empty()) {
    add(with_capital(state) + ".");
  }
  if (const std::string worthless = get("worthless"); !worthless.empty()) {
    add("warning: these numbers are not worth much. " + worthless);
  }
  const View::List answers = list_of(view, "answer");
  for (const View& answer : answers) {
    add(text_of(answer, "about") + ": " + text_of(answer, "sentence"));
  }
  if (const std::string more = get("answers_more"); !more.empty()) {
    add(fmt::format("{} in the report.", format_count(std::stoll(more), "more answer")));
  } else if (answers.empty()) {
    add("No answer yet: " + report::why_no_answer(input, store.results_folder().string()));
  }
  for (const View& table : list_of(view, "pairs")) {
    text += "\n" + table_text(table, width);
    add(fmt::format("± and brackets: {} confidence intervals.", report::confidence_text(input)));
  }
  for (const StudySide& side : input.declared.sides) {
    const std::string changes = report::side_changes(side);
    if (!changes.empty()) {
      add(fmt::format("Side {}: {}.", side.name, changes));
    }
  }
  text += "\n";
  add(fmt::format("Trust: {} ({}).", get("trust"), get("basis")));
  const View::List cautions = list_of(view, "cautions");
  for (const View& caution : cautions) {
    add("warning: " + text_of(caution, "caution"));
  }
  const std::string more = get("cautions_more");
  if (!more.empty()) {
    add(fmt::format("{} in the report: {}.",
                    format_count(std::stoll(more), "more warning"),
                    get("cautions_kinds")));
  }
  if (!cautions.empty() || !more.empty()) {
    add("What to do about warnings: " + shared_file("docs/how-to/warnings.md").string());
  }
  return text;
}

}  // namespace scalestudy
