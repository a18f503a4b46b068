// What declared SQL comes to when every figure it reads may lie anywhere in its interval.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "harness/audit/check/ledger.h"
#include "harness/audit/check/sql_session.h"

namespace scalestudy::audit {

// What a declared SQL statement comes to.
struct SqlResult {
  std::string error;           // the statement cannot be used: it fails, writes, gives no number
  std::string problem;         // it gives nothing to compare with: NULL, a base is only a bound ...
  std::optional<Range> range;  // over the bases' intervals
  double value = 0.0;          // of the figures as printed, where there is a range
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
  //   sql  text of one statement; `:row` in it is `row`, from 1; 0: it may not have one.
  SqlResult evaluate(const std::string& sql, int row);

  // The same interval if the digits of all bases were cut off; to be asked of the last result that
  // has a range. Absent when that takes too long.
  std::optional<Range> if_cut_off(const SqlResult& last);

 private:
  // A figure that moves, and where it stands.
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
