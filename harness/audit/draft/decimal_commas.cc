// A cell has a decimal comma if it is a figure with a point in its place only.
#include "harness/audit/draft/decimal_commas.h"

#include <optional>
#include <vector>

#include <fmt/format.h>
#include <re2/re2.h>

#include "harness/audit/draft/heading_patterns.h"
#include "harness/audit/figure/figure_text.h"
#include "harness/audit/figure/quantity.h"
#include "harness/text/text.h"
#include "harness/text/yaml_text.h"

namespace scalestudy::audit {
namespace {

// Whether the text is a figure of which no digits are left over, as in "1 561,1" and "1,2,4".
bool is_figure(const std::string& text) {
  static const re2::RE2 kDigits(R"([ '’\x{a0}\x{2009}\x{202f}]?[,.\d].*)");
  const std::optional<Pieces> pieces = take_apart(text);
  return pieces && !re2::RE2::FullMatch(pieces->unit, kDigits);
}

// "1561.1" of "1.561,1" and "1 561,1".
std::string with_point(std::string cell) {
  static const re2::RE2 kBeforeThousands(R"([ .'’\x{a0}\x{2009}\x{202f}](\d{3})\b)");
  static const re2::RE2 kComma(R"((\d),(\d))");
  re2::RE2::GlobalReplace(&cell, kBeforeThousands, "\\1");
  re2::RE2::GlobalReplace(&cell, kComma, "\\1.\\2");
  return cell;
}

bool has_decimal_comma(const std::string& cell) {
  return cell.find(',') != std::string::npos && !is_figure(cell) && is_figure(with_point(cell));
}

// Names and numbers of devices may be lists: "0,1", "0,1,2,3".
bool may_have_decimals(const DocumentTable& table, std::size_t column) {
  static const re2::RE2 kList(R"(\d+(,\d+){2,})");
  static const re2::RE2 kPair(R"(\d+|\d,\d)");
  const QuantityInfo* info = named_quantity(table.head[column]);
  if (info != nullptr) {
    return info->dimension != Dimension::kLabel && !(info->is_condition && info->is_exact);
  }
  bool may_be_list = true;
  for (const std::vector<std::string>& row : table.rows) {
    if (re2::RE2::FullMatch(row[column], kList) && !is_figure(row[column])) {
      return false;
    }
    may_be_list = may_be_list && re2::RE2::FullMatch(row[column], kPair);
  }
  return column > 0 && !may_be_list;
}

}  // namespace

std::string decimal_commas_in(const DocumentTable& table) {
  for (std::size_t c = 0; c < table.head.size(); ++c) {
    std::vector<std::size_t> with_comma;
    std::size_t others = 0;  // that are neither whole numbers nor absent
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      const std::string& cell = table.rows[r][c];
      if (has_decimal_comma(cell)) {
        with_comma.push_back(r);
      } else if (!is_absent(cell) &&
                 (cell.find_first_of(",.") != std::string::npos || !is_figure(cell))) {
        ++others;
      }
    }
    if (!with_comma.empty() && with_comma.size() > others && may_have_decimals(table, c)) {
      const std::size_t first = with_comma.front();
      const std::string& cell = table.rows[first][c];
      return printable(fmt::format(
          "column {} has decimal commas; type decimals with points: {} for {} in row {}",
          yaml_text(table.head[c]),
          yaml_text(with_point(cell)),
          yaml_text(cell),
          first + 1));
    }
  }
  return "";
}

}  // namespace scalestudy::audit
