// Limits of foreign SQL, from `query`, templates and datasets alike: what it may call and use up.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

struct sqlite3;

namespace scalestudy {

// Whether an SQL function only computes, from its arguments, rows and the clock. All others are
// refused, including those of extensions and SQLite's tests: fts3_tokenizer('a', x) calls address
// x.
bool is_reading_function(std::string_view name);

// Switches off what no reading statement needs: functions that load or call code, direct writes to
// the schema, files for temporary tables, and the reading of an unknown name in double quotes as a
// text.
void harden(sqlite3* database);

// While it lives, statements of `database` are interrupted at a deadline (SystemClock's monotonic
// clock) or after a number of steps of SQLite's virtual machine (1e8 take some seconds). All of
// SQLite's memory, including temporary tables and sorting, is limited to 1 GiB. If a single
// function runs for 5 s of CPU time more, the program says so and exits with code 2 (by SIGPROF,
// because nothing else can end such a call).
class SqlBudget {
 public:
  SqlBudget(sqlite3* database,
            double deadline_s,
            std::int64_t most_steps = std::numeric_limits<std::int64_t>::max());
  ~SqlBudget();
  SqlBudget(const SqlBudget&) = delete;
  SqlBudget& operator=(const SqlBudget&) = delete;

  // The limit that a statement with this SQLite result code ran into; "" for another failure.
  static std::string exceeded(int code);

  // Steps that are left; below 0 once the time or the steps are used up.
  std::int64_t steps_left() const { return calls_left_ * kStepsBetweenCalls; }

 private:
  static constexpr std::int64_t kStepsBetweenCalls = 1000;

  sqlite3* database_;
  double deadline_s_;
  std::int64_t calls_left_;
  std::int64_t heap_before_;
  bool has_alarm_ = false;
  void (*handler_before_)(int) = nullptr;  // earlier handler of SIGPROF, restored at the end
};

}  // namespace scalestudy
