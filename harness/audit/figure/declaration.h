// What is declared of published figures: their quantity, conditions, and what they follow from.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/audit/figure/figure.h"

namespace scalestudy::audit {

// Which run a figure is about: "devices" -> "16", "model" -> "resnet50". Numbers are written
// shortest in base units, so that "4,096" and "4096" are equal.
using Conditions = std::map<std::string, std::string>;

// Conditions, and figures typed among them, as in `fixed: {devices: 2, price_per_device_hour: $3}`.
struct Given {
  Conditions conditions;
  std::map<std::string, Figure> figures;  // by quantity
};

// A place in a file of the dataset.
struct FilePlace {
  std::string file;
  int line = 0;    // from 1
  int column = 0;  // from 1, in bytes
};

// SQL over the dataset's tables that gives one value in base units.
struct Sql {
  std::string text;
  std::string formula;  // what the statement computes, in words
  FilePlace place;
};

// What a column or statement says its figures follow from.
struct Rule {
  enum class Kind { kSum, kDifference, kProduct, kRatio, kSaving, kChange, kSql };

  Kind kind = Kind::kSql;
  std::vector<std::string> columns;  // of the same row; not for kSql
  Sql sql;
};

// "The best devices by cost is 16": the statement's value names the row.
struct Optimum {
  std::string table;
  std::string column;
  bool is_highest = true;
};

// Two things the document compares; they should differ in `vary` only.
struct Comparison {
  Conditions left;
  Conditions right;
  std::vector<std::string> vary;
};

// What trailing zeros of integers are: kShown: digits where a larger number of the column shows one
// in their place, other than a 5, or most numbers with as many digits do.
enum class Zeros { kRounding, kShown, kDigits };

// What is declared of a figure, whether it stands in a column or in the text.
struct Declaration {
  std::string quantity;
  std::string unit;       // empty: printed with each figure, or none
  bool is_exact = false;  // printed as a nominal value, not rounded
  Zeros zeros = Zeros::kRounding;
  Given at;             // conditions of these figures, beside those of their row
  Conditions baseline;  // conditions of the run that a speedup, efficiency ... is relative to
  std::optional<Rule> follows;
  std::optional<Sql> part_of_sql;  // each figure is at most its value
  std::string part_of_column;      // each figure is at most that column's in the same row
  std::optional<bool> is_summed;   // the table's total row holds the sum; absent: by dimension
  std::string own_method;  // why the figure cannot follow from others, in the document's words
};

}  // namespace scalestudy::audit
