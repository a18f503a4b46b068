// A dataset's tables as SQL tables of a database of their own, in memory.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/audit/ledger.h"

namespace scalestudy::audit {

// What a declared SQL statement comes to.
struct SqlResult {
  std::string error;           // the statement cannot be used: it fails, writes, gives no number
  std::string problem;         // it gives nothing to compare with: NULL, a base is only a bound ...
  std::optional<Range> range;  // over the bases' intervals
  std::vector<std::size_t> bases;  // indices into the ledger's entries
};

class SqlTables {
 public:
  // Cells are REAL in base units (a span its middle, a bound its number), labels TEXT, absent ones
  // NULL; `row` is INTEGER from 1; statements(id, value) holds the statements.
  SqlTables(const Dataset& dataset, const Ledger& ledger);
  ~SqlTables();
  SqlTables(const SqlTables&) = delete;
  SqlTables& operator=(const SqlTables&) = delete;

  // Runs one SELECT that may read these tables and nothing else, and searches the interval of its
  // value over the intervals of the figures it reads: each is set to its ends one at a time, and
  // what raises (lowers) the value is kept, until nothing does. That is the whole interval when the
  // value is monotone in every figure; where one figure shows that it is not, the result is a
  // problem instead.
  //   sql  text of one statement; `:row` in it is `row`.
  SqlResult evaluate(const std::string& sql, int row);

 private:
  class Session;
  std::unique_ptr<Session> session_;
};

}  // namespace scalestudy::audit
