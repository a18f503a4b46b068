#include "harness/report/template/table.h"

#include <algorithm>
#include <set>
#include <utility>

#include "harness/text/number.h"

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
      return !std::all_of(distinct.begin(), distinct.end(), is_absent);
    case Shown::kDiffering:
      return distinct.size() > 1;
    case Shown::kNever:
      break;
  }
  return false;
}

}  // namespace

View table_view(const std::vector<ColumnHead>& heads, const Texts& texts, std::size_t left_out) {
  View::List columns;
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < heads.size(); ++i) {
    if (is_shown(heads[i], i, texts)) {
      shown.push_back(i);
      View column;
      column.set_text("heading", heads[i].heading);
      column.set_text("rule", heads[i].align == Align::kNumber ? "---:" : "---");
      columns.push_back(std::move(column));
    }
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
    View::List values;
    for (const std::size_t i : shown) {
      values.emplace_back();
      values.back().set_text("value", text(i));
    }
    row.set_list("values", std::move(values));
    rows.push_back(std::move(row));
  }
  View table;
  table.set_list("columns", std::move(columns));
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
      {name + ".more", TagKind::kText, ""},
      {name + ".rows", TagKind::kList, ""},
      {name + ".rows.values", TagKind::kList, ""},
      {name + ".rows.values.value", TagKind::kText, ""},
  };
  for (const ColumnHead& head : heads) {
    tags.push_back({name + ".rows." + head.name, TagKind::kText, head.meaning});
  }
  return tags;
}

}  // namespace scalestudy::report
