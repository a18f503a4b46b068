// Takes cells apart where both parts read as figures.
#include "harness/audit/draft/split_cells.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include <re2/re2.h>

#include "harness/audit/draft/heading_patterns.h"
#include "harness/audit/figure/figure.h"
#include "harness/audit/figure/figure_text.h"
#include "harness/audit/figure/unit.h"

namespace scalestudy::audit {
namespace {

using Pair = std::pair<std::string, std::string>;

struct TwoFigures {
  const char* pattern;
  bool needs_unit;  // of the second figure: "12.3 (4)" may be a rank, a deviation or a footnote
  const char* first_heading;
  const char* second_heading;  // behind the column's
};

constexpr auto kTwoFigures = std::to_array<TwoFigures>({
    {R"(^\s*([^()]+?)\s*\(([^()]+)\)\s*$)", true, "", " (in brackets)"},
    {R"(^\s*(.+?)\s*(?:→|->|=>)\s*(.+?)\s*$)", false, " (before)", " (after)"},
});

std::optional<Pair> two_figures(const std::string& cell, const TwoFigures& form) {
  Pair pair;
  return RE2::FullMatch(cell, form.pattern, &pair.first, &pair.second) &&
                 reads_as_figure(pair.first, false) && reads_as_figure(pair.second, form.needs_unit)
             ? std::optional(pair)
             : std::nullopt;
}

// The two columns' cells; nothing for a column that is none such.
std::optional<std::vector<Pair>> taken_apart(const DocumentTable& table,
                                             std::size_t column,
                                             const TwoFigures& form) {
  std::vector<Pair> cells;
  std::size_t whole = 0;
  std::size_t split = 0;
  for (const std::vector<std::string>& row : table.rows) {
    const std::string& cell = row[column];
    if (std::optional<Pair> pair = two_figures(cell, form)) {
      cells.push_back(std::move(*pair));
      ++split;
      continue;
    }
    if (!is_absent(cell) && !reads_as_figure(cell, false)) {
      return std::nullopt;
    }
    whole += is_absent(cell) ? 0U : 1U;
    cells.emplace_back(cell, "");
  }
  return split > 0 && split >= whole ? std::optional(std::move(cells)) : std::nullopt;
}

// "Time (speedup)" names both; the bracket of "Time (ms)" is a unit.
Pair headings(const std::string& heading, const TwoFigures& form) {
  Pair named;
  if (RE2::FullMatch(heading, kTwoFigures.front().pattern, &named.first, &named.second) &&
      !is_unit(named.second)) {
    return named;
  }
  std::string name = heading;
  std::string unit;  // stays last: "Step time (before) (ms)"
  const bool has_unit = *form.first_heading != '\0' &&
                        RE2::FullMatch(heading, R"((.*\S)\s*\(([^()]+)\)\s*)", &name, &unit) &&
                        is_unit(unit);
  const std::string end = has_unit ? " (" + unit + ")" : "";
  name = has_unit ? name : heading;
  return {name + form.first_heading + end, name + form.second_heading + end};
}

// Nodes times devices of each, or the other way round: "4 × 8", "4x8 A100", "2 nodes x 4 GPUs".
struct Layout {
  std::int64_t first = 0;
  std::int64_t second = 0;
  std::string first_word;  // "nodes" or the like where the cell says so
  std::string second_word;
};

constexpr const char* kNodeWord = R"((?:nodes?|machines?|servers?|hosts?))";
constexpr const char* kDeviceWord = R"((?:gpus?|devices?|accelerators?))";

std::string with_words(std::string pattern) {
  RE2::GlobalReplace(&pattern, "NODE", re2::StringPiece(kNodeWord));
  RE2::GlobalReplace(&pattern, "DEVICE", re2::StringPiece(kDeviceWord));
  return "(?i)" + pattern;
}

// "4 × 80 GB" is none: after the second number only words for devices and their names may stand.
std::optional<Layout> layout_of(const std::string& cell) {
  static const re2::RE2 kLayout(
      with_words(R"(\s*(\d{1,6})\s*(?:(NODE)|DEVICE)?\s*[x×*]\s*(\d{1,6}))"
                 R"((?:\s*(?:(NODE)|DEVICE(?:\s*(?:/|per)\s*NODE)?))?)"
                 R"((?:\s+(?:nvidia\s+|amd\s+)?(?:[gr]tx\s?|[a-wyz][a-z]{0,2})\d\w*)"
                 R"((?:[- ]\w+)*)?\s*)"));
  Layout layout;
  return re2::RE2::FullMatch(
             cell, kLayout, &layout.first, &layout.first_word, &layout.second, &layout.second_word)
             ? std::optional(std::move(layout))
             : std::nullopt;
}

// One a row; empty for a column that holds anything else, or is not about nodes or devices: "Batch
// per GPU", "GPUs per node", "GPU tile".
std::vector<std::optional<Layout>> layouts_of(const DocumentTable& table, std::size_t column) {
  static const re2::RE2 kAbout(
      with_words(as_last_noun("NODE|DEVICE") +
                 R"(|(?:\bx|[×*])\s*(?:NODE|DEVICE)\b|\b(?:NODE|DEVICE)\s*\(?(?:x\b|[×*]))"));
  static const re2::RE2 kNotAbout(R"((?i)batch|mem|^[^x×*]*(?:/|\bper\b)[^x×*]*$)");
  std::vector<std::optional<Layout>> layouts;
  bool is_any = false;
  bool is_about = re2::RE2::PartialMatch(table.head[column], kAbout);
  for (const std::vector<std::string>& row : table.rows) {
    layouts.push_back(layout_of(row[column]));
    const std::optional<Layout>& layout = layouts.back();
    if (!layout && !is_absent(row[column])) {
      return {};
    }
    is_any = is_any || layout.has_value();
    is_about =
        is_about || (layout && (!layout->first_word.empty() || !layout->second_word.empty()));
  }
  return is_any && is_about && !re2::RE2::PartialMatch(table.head[column], kNotAbout)
             ? layouts
             : std::vector<std::optional<Layout>>();
}

// Which of the two are nodes, by the heading. Absent if it does not say.
std::optional<bool> are_nodes_first(const std::string& heading) {
  static const re2::RE2 kSecond(with_words(R"((?:\bx|[×*])\s*NODE\b)"));
  static const re2::RE2 kFirst(with_words(R"(\bNODE\s*\(?(?:x\b|[×*]))"));
  if (re2::RE2::PartialMatch(heading, kSecond)) {
    return false;
  }
  return re2::RE2::PartialMatch(heading, kFirst) ? std::optional(true) : std::nullopt;
}

std::string nodes_in(const Layout& layout, std::optional<bool> are_first) {
  if (!layout.first_word.empty() || !layout.second_word.empty()) {
    are_first = !layout.first_word.empty();
  }
  return are_first ? std::to_string(*are_first ? layout.first : layout.second) : "";
}

// Whether rows that print different layouts would still differ: "4x8 A100" and "4x8 H100" not.
bool stay_apart(const DocumentTable& table,
                std::size_t column,
                const std::vector<std::string>& nodes,
                const std::vector<std::string>& devices) {
  std::map<Pair, std::string> printed;
  for (std::size_t r = 0; r < devices.size(); ++r) {
    const std::string& cell = table.rows[r][column];
    const std::string& known = printed.try_emplace(Pair(nodes[r], devices[r]), cell).first->second;
    if (!devices[r].empty() && known != cell) {
      return false;
    }
  }
  return true;
}

// Makes columns "Nodes" and "GPUs" of one that holds layouts; "GPUs" alone if nothing says which
// number is that of the nodes.
void split_layouts(DocumentTable& table) {
  for (std::size_t c = 0; c < table.head.size(); ++c) {
    const std::vector<std::optional<Layout>> layouts = layouts_of(table, c);
    if (layouts.empty()) {
      continue;
    }
    const std::optional<bool> are_first = are_nodes_first(table.head[c]);
    std::vector<std::string> nodes;
    std::vector<std::string> devices;
    for (const std::optional<Layout>& layout : layouts) {
      nodes.push_back(layout ? nodes_in(*layout, are_first) : "");
      devices.push_back(layout ? std::to_string(layout->first * layout->second) : "");
    }
    if (!stay_apart(table, c, nodes, devices)) {
      continue;
    }
    for (std::size_t r = 0; r < devices.size(); ++r) {
      table.rows[r][c] = devices[r];
    }
    table.head[c] = "GPUs";
    if (std::ranges::all_of(nodes, [](const std::string& cell) { return cell.empty(); })) {
      continue;
    }
    const auto at = static_cast<std::ptrdiff_t>(c);
    table.head.insert(table.head.begin() + at, "Nodes");
    table.printed_heads.insert(table.printed_heads.begin() + at, table.printed_heads[c]);
    for (std::size_t r = 0; r < nodes.size(); ++r) {
      table.rows[r].insert(table.rows[r].begin() + at, nodes[r]);
    }
    ++c;
  }
}

// "1.0x" of "1.0x (baseline)": the word names the row and says nothing of the figure.
void leave_out_base(std::string& cell) {
  std::string figure;
  if (RE2::FullMatch(cell, R"((?i)\s*(.+?)\s*\((?:baseline|base|reference)\)\s*)", &figure) &&
      reads_as_figure(figure, false)) {
    cell = figure;
  }
}

}  // namespace

bool is_unit(std::string_view unit) {
  using enum Dimension;
  constexpr auto dimensions = std::to_array<Dimension>(
      {kRatio, kTime, kBytes, kBandwidth, kMoney, kFlop, kFlopRate, kPower});
  return !unit.empty() &&
         (std::any_of(dimensions.begin(),
                      dimensions.end(),
                      [&](Dimension dimension) { return unit_scale(unit, dimension); }) ||
          (unit.find('/') != std::string_view::npos && unit_scale(unit, kRate)));
}

bool reads_as_figure(std::string_view text, bool needs_unit) {
  const std::optional<Pieces> pieces = take_apart(text);
  return pieces && pieces->first &&
         (is_unit(pieces->unit) || (!needs_unit && pieces->unit.empty()));
}

void split_cells(DocumentTable& table) {
  table.printed_heads = table.head;
  split_layouts(table);
  for (std::vector<std::string>& row : table.rows) {
    std::ranges::for_each(row, leave_out_base);
  }
  for (std::size_t c = 0; c < table.head.size(); ++c) {
    for (const TwoFigures& form : kTwoFigures) {
      const std::optional<std::vector<Pair>> cells = taken_apart(table, c, form);
      if (!cells) {
        continue;
      }
      const auto [first, second] = headings(table.head[c], form);
      const auto at = static_cast<std::ptrdiff_t>(c) + 1;
      table.head[c] = first;
      table.head.insert(table.head.begin() + at, second);
      table.printed_heads[c] = first;
      table.printed_heads.insert(table.printed_heads.begin() + at, second);
      for (std::size_t r = 0; r < table.rows.size(); ++r) {
        table.rows[r][c] = (*cells)[r].first;
        table.rows[r].insert(table.rows[r].begin() + at, (*cells)[r].second);
      }
      table.second_figures[c + 1] = c;
      ++c;
      break;
    }
  }
}

}  // namespace scalestudy::audit
