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
  // Fills one SQL table for each table of the dataset: cells are REAL in base units, labels TEXT,
  // absent ones NULL; `row` is INTEGER from 1. statements(id, value) holds the statements. From
  // `most_seconds` after the start on, nothing compiles any more.
  explicit SqlSession(const Dataset& dataset, double most_seconds = 600.0);
  ~SqlSession();
  SqlSession(const SqlSession&) = delete;
  SqlSession& operator=(const SqlSession&) = delete;

  // Compiles one SELECT that may read these tables and nothing else. Returns what is wrong with it;
  // empty if it can be run.
  // - row: value of the parameter `:row`; 0: the statement may not have one.
  std::string compile(const std::string& sql, int row);

  // Runs the compiled statement and returns its number. Absent for NULL and a value that is not
  // finite; absent with `error` set for any other result. All runs of one compiled statement share
  // a limit of steps.
  std::optional<double> run(std::string& error);

  bool is_exhausted() const;  // the limit of steps was reached

  // Whether the compiled statement reads the column that the entry is in (or `statements`).
  bool is_read(const Entry& entry) const;

  // Replaces the entry's number in the SQL tables.
  void set(const Entry& entry, double value);

 private:
  class Database;
  std::unique_ptr<Database> database_;
};

}  // namespace scalestudy::audit
