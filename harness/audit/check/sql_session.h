// A dataset's tables in an SQLite database of their own, and one declared statement over them.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "harness/audit/check/ledger.h"

namespace scalestudy::audit {

// A printed number as SQL sees it: a span is its middle, a bound its number.
double stand_in(const Figure& figure);

class SqlSession {
 public:
  // Cells are REAL in base units, labels TEXT, absent ones NULL; `row` is INTEGER from 1;
  // statements(id, value) holds the statements. Nothing compiles `most_seconds` from now on.
  explicit SqlSession(const Dataset& dataset, double most_seconds = 600.0);
  ~SqlSession();
  SqlSession(const SqlSession&) = delete;
  SqlSession& operator=(const SqlSession&) = delete;

  // Compiles one SELECT that may read these tables and nothing else. Returns what is wrong with it,
  // empty when it can be run.
  //   row  value of the parameter `:row`; 0: it may not have one.
  std::string compile(const std::string& sql, int row);

  // Runs what was compiled. Nothing for NULL and for a value that is not finite, and with `error`
  // for anything else than one number. All runs of one compiled statement share a limit of steps.
  std::optional<double> run(std::string& error);

  bool is_exhausted() const;  // the limit was reached

  // Whether what was compiled reads the column (or `statements`) that the entry stands in.
  bool is_read(const Entry& entry) const;

  void set(const Entry& entry, double value);

 private:
  class Database;
  std::unique_ptr<Database> database_;
};

}  // namespace scalestudy::audit
