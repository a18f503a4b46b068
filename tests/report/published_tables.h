// The pipe tables of a Markdown page, read back independently of the writer.
#pragma once

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

namespace scalestudy::test {

struct PublishedTable {
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> body;

  std::size_t rows() const { return body.size(); }
  bool has(const std::string& heading) const {
    return std::ranges::find(head, heading) != head.end();
  }
  // "" where the row is shorter than the head.
  std::string at(std::size_t row, const std::string& heading) const {
    const auto column = static_cast<std::size_t>(std::ranges::find(head, heading) - head.begin());
    return column < body.at(row).size() ? body.at(row)[column] : "";
  }
};

inline std::vector<std::string> cells_of_line(const std::string& line) {
  std::vector<std::string> cells;
  std::string cell;
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (line[i] == '|' && line[i - 1] != '\\') {
      const std::size_t from = cell.find_first_not_of(' ');
      const std::size_t to = cell.find_last_not_of(' ');
      cells.push_back(from == std::string::npos ? "" : cell.substr(from, to - from + 1));
      cell.clear();
    } else {
      cell += line[i];
    }
  }
  return cells;
}

inline std::vector<PublishedTable> published_tables(const std::string& page) {
  std::vector<PublishedTable> tables;
  std::istringstream lines(page);
  std::string before;
  bool is_inside = false;
  for (std::string line; std::getline(lines, line); before = line) {
    const bool is_row = line.starts_with("|");
    if (is_row && line.find_first_not_of("|-: ") == std::string::npos) {
      tables.push_back({cells_of_line(before), {}});
      is_inside = true;
    } else if (is_row && is_inside) {
      tables.back().body.push_back(cells_of_line(line));
    } else {
      is_inside = is_inside && is_row;
    }
  }
  return tables;
}

}  // namespace scalestudy::test
