#include "harness/report/template/table.h"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "harness/text/number.h"
#include "harness/text/text.h"

namespace scalestudy::report {
namespace {

using Texts = std::vector<std::vector<std::string>>;

bool is_absent(const std::string& text) {
  return text.empty() || text == kAbsent;
}

bool is_shown(const ColumnHead& head, std::size_t column, const Texts& texts) {
  std::set<std::string> distinct;
  for (const std::vector<std::string>& row : texts) {
    distinct.insert(row[column]);
  }
  switch (head.shown) {
    case Shown::kAlways:
      return true;
    case Shown::kPresent:
    case Shown::kColumns:
    case Shown::kShort:
      return !std::all_of(distinct.begin(), distinct.end(), is_absent);
    case Shown::kDiffering:
      return distinct.size() > 1;
    case Shown::kNever:
      break;
  }
  return false;
}

// Whether all of three or more rows have the same value in the column: a line above the table says
// it once.
bool is_common(std::size_t column, const Texts& texts) {
  return texts.size() >= 3 && std::ranges::all_of(texts, [&](const auto& row) {
           return row[column] == texts.front()[column];
         });
}

View::List values_of(const std::vector<std::size_t>& columns,
                     const std::function<std::string(std::size_t)>& text) {
  View::List values;
  for (const std::size_t i : columns) {
    values.emplace_back();
    values.back().set_text("value", text(i));
  }
  return values;
}

}  // namespace

View table_view(const std::vector<ColumnHead>& heads, const Texts& texts, std::size_t left_out) {
  View::List columns;
  View::List differing_columns;
  std::vector<std::size_t> shown;
  std::vector<std::size_t> differing;
  std::vector<std::string> common;
  for (std::size_t i = 0; i < heads.size(); ++i) {
    if (!is_shown(heads[i], i, texts)) {
      continue;
    }
    View column;
    column.set_text("heading", heads[i].heading);
    column.set_text("rule", heads[i].align == Align::kNumber ? "---:" : "---");
    if (heads[i].shown != Shown::kShort) {
      shown.push_back(i);
      columns.push_back(column);
    }
    if (heads[i].shown == Shown::kColumns) {
      continue;
    }
    if (!is_common(i, texts)) {
      differing.push_back(i);
      differing_columns.push_back(std::move(column));
    } else if (!is_absent(texts.front()[i])) {
      const std::string& value = texts.front()[i];
      const bool is_bound = value.starts_with('<') || value.starts_with("\\<");  // "< 0.0001"
      common.push_back(heads[i].heading + (is_bound ? " " : " = ") + value);
    }
  }
  if (differing.empty()) {  // rows that are all alike
    differing = shown;
    differing_columns = columns;
    common.clear();
  }
  View::List rows;
  for (const std::vector<std::string>& row_texts : texts) {
    const auto text = [&](std::size_t i) {
      return is_absent(row_texts[i]) ? std::string(kAbsent) : row_texts[i];
    };
    View row;
    for (std::size_t i = 0; i < heads.size(); ++i) {
      row.set_text(heads[i].name, text(i));
    }
    row.set_list("values", values_of(shown, text));
    row.set_list("differing", values_of(differing, text));
    rows.push_back(std::move(row));
  }
  View table;
  table.set_list("columns", std::move(columns));
  table.set_list("differing_columns", std::move(differing_columns));
  table.set_text("common", join(common, "; "));
  table.set_list("rows", std::move(rows));
  table.set_text("more", left_out == 0 ? "" : std::to_string(left_out));
  return table;
}

Tags table_tags(const std::string& name,
                const std::string& meaning,
                const std::vector<ColumnHead>& heads) {
  Tags tags = {
      {name, TagKind::kTable, meaning},
      {name + ".columns", TagKind::kList, ""},
      {name + ".columns.heading", TagKind::kText, ""},
      {name + ".columns.rule", TagKind::kText, ""},
      {name + ".differing_columns", TagKind::kList, ""},
      {name + ".differing_columns.heading", TagKind::kText, ""},
      {name + ".differing_columns.rule", TagKind::kText, ""},
      {name + ".common", TagKind::kText, ""},
      {name + ".more", TagKind::kText, ""},
      {name + ".rows", TagKind::kList, ""},
      {name + ".rows.values", TagKind::kList, ""},
      {name + ".rows.values.value", TagKind::kText, ""},
      {name + ".rows.differing", TagKind::kList, ""},
      {name + ".rows.differing.value", TagKind::kText, ""},
  };
  for (const ColumnHead& head : heads) {
    tags.push_back({name + ".rows." + head.name, TagKind::kText, head.meaning});
  }
  return tags;
}

}  // namespace scalestudy::report
