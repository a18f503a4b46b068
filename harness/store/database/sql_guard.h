// What SQL that somebody else wrote may call and use up: of `query`, templates and datasets alike.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

struct sqlite3;

namespace scalestudy {

// Functions that compute from their arguments, rows and the clock. All others are refused, those of
// extensions and of SQLite's tests among them: fts3_tokenizer('a', x) calls the address x.
bool is_reading_function(std::string_view name);

// Switches off what no reading statement needs: functions that load or call code, changes of the
// schema behind SQLite's back, files for temporary tables.
void harden(sqlite3* database);

// While it lives, statements of `database` are interrupted beyond a moment of SystemClock's
// monotonic clock and a number of steps of SQLite's virtual machine (1e8 take some seconds), and
// all of SQLite's memory is limited to 1 GiB, which temporary tables and sorting are part of.
// Should a single function run on for 5 s of CPU time more, the program says so and ends with exit
// code 2 (SIGPROF; nothing else can end such a call).
class SqlBudget {
 public:
  SqlBudget(sqlite3* database,
            double deadline_s,
            std::int64_t most_steps = std::numeric_limits<std::int64_t>::max());
  ~SqlBudget();
  SqlBudget(const SqlBudget&) = delete;
  SqlBudget& operator=(const SqlBudget&) = delete;

  // What a statement that ended with this result code ran into; "" for another failure.
  static std::string exceeded(int code);

  // Below 0 once the time or the steps are used up.
  std::int64_t steps_left() const { return calls_left_ * kStepsBetweenCalls; }

 private:
  static constexpr std::int64_t kStepsBetweenCalls = 1000;

  sqlite3* database_;
  double deadline_s_;
  std::int64_t calls_left_;
  std::int64_t heap_before_;
  bool has_alarm_ = false;
  void (*handler_before_)(int) = nullptr;  // of SIGPROF, put back at the end
};

}  // namespace scalestudy
