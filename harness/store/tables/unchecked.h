// Inserts of many rows without the checks of their tables.
#pragma once

namespace SQLite {
class Database;
}  // namespace SQLite

namespace scalestudy::sql {

// Leaves out the CHECK constraints of rows while it lives. SQLite makes a table of the words that a
// column may hold for each row and column, which takes longer than to insert the row. For rows
// whose words are enums' and whose numbers the caller looks at.
class Unchecked {
 public:
  explicit Unchecked(SQLite::Database& database);
  ~Unchecked();
  Unchecked(const Unchecked&) = delete;
  Unchecked& operator=(const Unchecked&) = delete;

 private:
  SQLite::Database& database_;
};

}  // namespace scalestudy::sql
