#include "harness/cli/results/query_formats.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/text/latex.h"

namespace scalestudy {
namespace {

// ---- LaTeX

// "1.5", or "1.5 \times 10^{-7}": an "e" would be a factor in mathematics.
std::string in_mathematics(double value) {
  if (std::isinf(value)) {
    return value > 0.0 ? "\\infty" : "-\\infty";
  }
  const std::string text = fmt::format("{:.6g}", value);
  const std::size_t exponent = text.find('e');
  return exponent == std::string::npos || !std::isfinite(value)
             ? text
             : fmt::format("{} \\times 10^{{{}}}",
                           text.substr(0, exponent),
                           std::stoi(text.substr(exponent + 1)));
}

struct CellText {
  std::string operator()(std::monostate /*null*/) const { return "--"; }
  std::string operator()(std::int64_t value) const { return fmt::format("${}$", value); }
  std::string operator()(double value) const { return "$" + in_mathematics(value) + "$"; }
  std::string operator()(const std::string& text) const { return latex_text(text); }
};

bool is_text_column(const QueryResult& result, std::size_t column) {
  return result.rows.empty() || std::ranges::any_of(result.rows, [&](const auto& row) {
           return std::holds_alternative<std::string>(row[column]);
         });
}

// ---- OpenMetrics

// Also a column of text, whose name is that of a label.
void require_metric_name(const std::string& column) {
  const bool is_name =
      std::ranges::all_of(column, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
  if (!is_name || column.empty() || std::isdigit(static_cast<unsigned char>(column[0])) != 0) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("--format openmetrics: the column '{}' cannot be the name of a metric; name it "
                    "by AS, e.g. avg(step_time_s) AS step_time_s",
                    column));
  }
}

std::string in_quotes(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\n') {
      result += "\\n";
    } else {
      result += c == '\\' || c == '"' ? fmt::format("\\{}", c) : std::string(1, c);
    }
  }
  return result;
}

std::string labels_text(const QueryResult& result, const std::vector<Field>& row) {
  std::string labels;
  for (std::size_t c = 0; c < row.size(); ++c) {
    if (const auto* text = std::get_if<std::string>(&row[c])) {
      labels += fmt::format(
          "{}{}=\"{}\"", labels.empty() ? "" : ",", result.columns[c], in_quotes(*text));
    }
  }
  return labels.empty() ? "" : "{" + labels + "}";
}

// "1.5"; nothing for what is no number.
std::optional<std::string> sample_text(const Field& field) {
  if (const auto* integer = std::get_if<std::int64_t>(&field)) {
    return std::to_string(*integer);
  }
  const auto* real = std::get_if<double>(&field);
  if (real == nullptr) {
    return std::nullopt;
  }
  return std::isnan(*real)   ? "NaN"
         : std::isinf(*real) ? (*real > 0.0 ? "+Inf" : "-Inf")
                             : fmt::format("{}", *real);
}

}  // namespace

std::string latex_table(const QueryResult& result) {
  std::vector<LatexColumn> columns;
  for (std::size_t c = 0; c < result.columns.size(); ++c) {
    columns.push_back({result.columns[c], !is_text_column(result, c)});
  }
  std::vector<std::vector<std::string>> rows;
  for (const std::vector<Field>& fields : result.rows) {
    std::vector<std::string>& row = rows.emplace_back();
    for (const Field& field : fields) {
      row.push_back(std::visit(CellText(), field));
    }
  }
  return latex_tabular(columns, rows);
}

std::string openmetrics(const QueryResult& result) {
  std::vector<std::string> labels;
  for (const std::vector<Field>& row : result.rows) {
    labels.push_back(labels_text(result, row));
  }
  if (std::set<std::string>(labels.begin(), labels.end()).size() != labels.size()) {
    throw Error(ErrorKind::kUsage,
                "--format openmetrics: two rows have the same texts, which are the labels of a "
                "value; select one row each, or a text that tells them apart");
  }
  std::string text;
  std::set<std::string> names;
  for (std::size_t c = 0; c < result.columns.size(); ++c) {
    require_metric_name(result.columns[c]);
    if (!names.insert(result.columns[c]).second) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("--format openmetrics: two columns are named '{}'; name one of them "
                              "by AS",
                              result.columns[c]));
    }
    const std::string name = "scalestudy_" + result.columns[c];
    std::string samples;
    for (std::size_t r = 0; r < result.rows.size(); ++r) {
      if (const auto value = sample_text(result.rows[r][c])) {
        samples += fmt::format("{}{} {}\n", name, labels[r], *value);
      }
    }
    if (!samples.empty()) {
      text += fmt::format("# TYPE {} gauge\n{}", name, samples);
    }
  }
  return text + "# EOF\n";
}

}  // namespace scalestudy
