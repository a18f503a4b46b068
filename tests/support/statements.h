// The statements that databases opened in its lifetime run, for tests of how often a store is
// asked, and how much is read of it.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <sqlite3.h>

namespace scalestudy::test {

// One at a time. Statements of triggers are left out.
class Statements {
 public:
  struct Statement {
    std::string text;  // without its parameters
    bool only_reads = false;
  };

  Statements() {
    clear();
    sqlite3_auto_extension(entry());
  }
  Statements(const Statements&) = delete;
  Statements& operator=(const Statements&) = delete;
  ~Statements() { sqlite3_cancel_auto_extension(entry()); }

  static void clear() {
    all().clear();
    opened() = 0;
    rows() = 0;
  }

  static long& opened() {  // databases
    static long count = 0;
    return count;
  }
  static long& rows() {  // that statements returned
    static long count = 0;
    return count;
  }
  static long count_reading() { return std::ranges::count(all(), true, &Statement::only_reads); }

  // How many have that text in them.
  static long count(const std::string& part) {
    return std::ranges::count_if(all(), [&](const Statement& statement) {
      return statement.text.find(part) != std::string::npos;
    });
  }

 private:
  static std::vector<Statement>& all() {
    static std::vector<Statement> statements;
    return statements;
  }

  static int note(unsigned kind, void* /*context*/, void* statement, void* text) {
    if (kind == SQLITE_TRACE_ROW) {
      ++rows();
      return 0;
    }
    all().push_back(
        {.text = static_cast<const char*>(text),
         .only_reads = sqlite3_stmt_readonly(static_cast<sqlite3_stmt*>(statement)) != 0});
    return 0;
  }

  static int trace(sqlite3* database, const char** /*error*/, const sqlite3_api_routines* /*api*/) {
    ++opened();
    return sqlite3_trace_v2(database, SQLITE_TRACE_STMT | SQLITE_TRACE_ROW, note, nullptr);
  }

  static void (*entry())() {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): SQLite takes any entry point
    return reinterpret_cast<void (*)()>(trace);
  }
};

}  // namespace scalestudy::test
