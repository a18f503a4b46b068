// The range of values that declared SQL can give while each figure it reads lies anywhere in its
// own range.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "harness/audit/check/ledger.h"
#include "harness/audit/check/sql_session.h"

namespace scalestudy::audit {

// The result of a declared SQL statement.
struct SqlResult {
  std::string error;           // why it cannot be used: it fails, writes, gives no number
  std::string problem;         // why there is nothing to compare with: NULL, a base is a bound ...
  std::optional<Range> range;  // values over the bases' intervals
  double value = 0.0;          // value for the figures as printed; set if there is a range
  std::vector<std::size_t> bases;  // indices into the ledger's entries
};

class SqlTables {
 public:
  SqlTables(const Dataset& dataset, const Ledger& ledger);

  // Runs one SELECT that may read the dataset's tables and nothing else, and searches the interval
  // of its value over the intervals of the figures it reads: each, and each column as a whole, is
  // set to its ends, and what raises (lowers) the value is kept, until nothing does. That is the
  // whole interval when the value is monotone in every figure; where one figure shows that it is
  // not, the result is a problem instead.
  // - sql: text of one statement; `:row` in it is `row`, from 1; 0: it may not have one.
  SqlResult evaluate(const std::string& sql, int row);

  // The range of `last` if the digits of all bases were cut off. `last` must be the latest result
  // that has a range. Absent if the search takes too long.
  std::optional<Range> if_cut_off(const SqlResult& last);

 private:
  // A figure whose value is varied, and its current value.
  struct Moving {
    const Entry* entry;
    double at;
  };
  enum class Direction { kDown, kUp };

  using EndsOf = Range (*)(const std::string& quantity, const Figure& figure);

  void find_bases(double start, SqlResult& result);
  double extreme(double start, Direction direction, EndsOf ends_of);
  bool try_move(std::vector<Moving>& state,
                const std::vector<std::size_t>& group,
                Direction direction,
                EndsOf ends_of,
                double& best);
  std::optional<double> run_at(const Entry& entry, double at);
  void put(const std::vector<Moving>& figures);

  const Ledger& ledger_;
  SqlSession session_;
};

}  // namespace scalestudy::audit
