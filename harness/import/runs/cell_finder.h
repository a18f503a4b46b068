// Finds the cell of a study that values in a log's name stand for.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/import/runs/run_pattern.h"
#include "harness/study/matrix/matrix.h"

namespace scalestudy {

// Whether both are one value: "08" is 8.
bool same_value(const std::string& a, const std::string& b);

class CellFinder {
 public:
  explicit CellFinder(const Matrix& matrix);  // which outlives it

  // Names of values that a log may give: of axes, and devices, nodes, batch_global,
  // batch_per_device.
  [[nodiscard]] bool has(const std::string& name) const { return values_.contains(name); }

  // Whether a cell has this value. Texts of one number are equal, "08" is 8, unless the study has
  // numbers in quotes, which are texts: "3.10" is not "3.1".
  [[nodiscard]] bool has_value(const std::string& name, const std::string& text) const;

  // "1, 2, 4"
  [[nodiscard]] std::string allowed(const std::string& name) const;

  // Names of axes, in order, each with its values: "devices (1, 2), batch_global (64)".
  [[nodiscard]] std::string axes() const;

  struct Found {
    const Cell* cell = nullptr;
    std::string problem;  // why there is none
  };
  // The one measured cell with these values; names that are no axis are passed over.
  [[nodiscard]] Found find(const NamedTexts& given) const;

 private:
  struct Entry {
    const Cell* cell;
    NamedTexts values;
    std::string excluded;  // reason
  };
  [[nodiscard]] bool is_same(const std::string& name,
                             const std::string& value,
                             const std::string& text) const;

  std::vector<Entry> entries_;
  std::vector<std::string> varied_;  // names
  std::map<std::string, std::vector<std::string>> values_;
  std::set<std::string> exact_;  // names with a value that is a number in quotes
};

}  // namespace scalestudy
