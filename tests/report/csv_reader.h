// Reads RFC 4180 text back, independently of the writer.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace scalestudy::test {

inline std::vector<std::vector<std::string>> parse_csv(const std::string& text) {
  std::vector<std::vector<std::string>> rows(1, {""});
  bool quoted = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (quoted && c == '"' && at + 1 < text.size() && text[at + 1] == '"') {
      rows.back().back() += '"';
      ++at;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && c == ',') {
      rows.back().emplace_back();
    } else if (!quoted && c == '\n') {
      rows.push_back({""});
    } else {
      rows.back().back() += c;
    }
  }
  rows.pop_back();
  return rows;
}

// A table by column name; every row must have as many fields as the head.
class CsvTable {
 public:
  explicit CsvTable(const std::string& text) : rows_(parse_csv(text)) {
    for (const std::vector<std::string>& row : rows_) {
      if (row.size() != rows_.front().size()) {
        throw std::runtime_error("a CSV row has another number of fields than the head");
      }
    }
  }

  std::size_t row_count() const { return rows_.size() - 1; }

  const std::string& at(std::size_t row, const std::string& column) const {
    const auto found = std::find(rows_.front().begin(), rows_.front().end(), column);
    if (found == rows_.front().end()) {
      throw std::runtime_error("no column " + column);
    }
    return rows_.at(row + 1)[static_cast<std::size_t>(found - rows_.front().begin())];
  }

  // The first row with that value.
  std::size_t find(const std::string& column, const std::string& value) const {
    for (std::size_t row = 0; row < row_count(); ++row) {
      if (at(row, column) == value) {
        return row;
      }
    }
    throw std::runtime_error("no row with " + column + " = " + value);
  }

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace scalestudy::test
