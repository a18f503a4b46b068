#include "harness/store/database/sql_guard.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdlib>

#include <sqlite3.h>
#include <sys/time.h>
#include <unistd.h>

#include "harness/base/clock.h"
#include "harness/base/error.h"

namespace scalestudy {
namespace {

constexpr std::int64_t kMostBytes = std::int64_t{1} << 30;

// sqlite.org/lang_corefunc.html and the pages beside it.
constexpr std::string_view kFunctions =
    " -> ->> abs acos acosh asin asinh atan atan2 atanh avg ceil ceiling char coalesce "
    "concat concat_ws cos cosh count cume_dist current_date current_time current_timestamp "
    "date datetime degrees dense_rank exp first_value floor format glob group_concat hex "
    "ifnull iif instr json json_array json_array_length json_error_position json_extract "
    "json_group_array json_group_object json_insert json_object json_patch json_quote "
    "json_remove json_replace json_set json_type json_valid julianday lag last_value lead "
    "length like likelihood likely ln log log10 log2 lower ltrim max min mod nth_value "
    "ntile nullif octet_length percent_rank pi pow power printf quote radians random "
    "randomblob rank replace round row_number rtrim sign sin sinh soundex sqlite_version "
    "sqrt strftime string_agg substr substring sum tan tanh time timediff total trim trunc "
    "typeof unhex unicode unixepoch unlikely upper zeroblob ";

// SQLite asks between its steps whether to go on, and instr() of two long texts, or LIKE, is one
// step that can take days.
constexpr double kGraceSeconds = 5.0;
constexpr double kLongestAlarmSeconds = 1e6;

void end_program(int /*signal*/) {
  constexpr std::string_view message =
      "scalestudy: one call of a function in a SQL statement runs on long after the statement's "
      "time. Such a call cannot be stopped, so the program ends; what is stored stays. Ask for "
      "less at once: shorter texts, shorter patterns\n";
  [[maybe_unused]] const ssize_t told = write(STDERR_FILENO, message.data(), message.size());
  std::_Exit(static_cast<int>(ExitCode::kUsage));
}

// From now, in CPU time of the process: one that waits, for a lock or for its turn on a busy
// machine, is not stuck. 0 ends the waiting.
void set_alarm(double seconds) {
  const double whole = std::floor(seconds);
  const itimerval timer{.it_interval = {},
                        .it_value = {.tv_sec = static_cast<time_t>(whole),
                                     .tv_usec = static_cast<suseconds_t>((seconds - whole) * 1e6)}};
  setitimer(ITIMER_PROF, &timer, nullptr);
}

}  // namespace

bool is_reading_function(std::string_view name) {
  return kFunctions.find(" " + std::string(name) + " ") != std::string_view::npos;
}

void harden(sqlite3* database) {
  sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DDL, 0, nullptr);
  sqlite3_exec(database, "PRAGMA temp_store = MEMORY", nullptr, nullptr, nullptr);
}

SqlBudget::SqlBudget(sqlite3* database, double deadline_s, std::int64_t most_steps)
    : database_(database),
      deadline_s_(deadline_s),
      calls_left_(most_steps / kStepsBetweenCalls),
      heap_before_(sqlite3_hard_heap_limit64(kMostBytes)) {
  sqlite3_progress_handler(
      database_,
      static_cast<int>(kStepsBetweenCalls),
      [](void* asked) {
        auto& budget = *static_cast<SqlBudget*>(asked);
        if (!(SystemClock().monotonic_s() < budget.deadline_s_)) {
          budget.calls_left_ = 0;
        }
        return --budget.calls_left_ < 0 ? 1 : 0;
      },
      this);
  const double left_s = deadline_s_ - SystemClock().monotonic_s();
  if (left_s < kLongestAlarmSeconds) {
    handler_before_ = std::signal(SIGPROF, end_program);
    has_alarm_ = true;
    set_alarm(std::max(left_s, 0.0) + kGraceSeconds);
  }
}

SqlBudget::~SqlBudget() {
  if (has_alarm_) {
    set_alarm(0.0);
    std::signal(SIGPROF, handler_before_);
  }
  sqlite3_progress_handler(database_, 0, nullptr, nullptr);
  sqlite3_hard_heap_limit64(heap_before_);
}

std::string SqlBudget::exceeded(int code) {
  switch (code & 0xff) {
    case SQLITE_INTERRUPT:
      return "it runs too long";
    case SQLITE_NOMEM:
      return "it needs more than 1 GiB of memory";
    case SQLITE_TOOBIG:
      return "a text in it is too long";
    default:
      return "";
  }
}

}  // namespace scalestudy
