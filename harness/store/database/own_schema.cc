#include "harness/store/database/own_schema.h"

#include <algorithm>
#include <map>
#include <string>

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/store/database/schema.h"
#include "harness/store/tables/sql.h"

namespace scalestudy {
namespace {

constexpr std::string_view kCreateView = "CREATE VIEW ";

[[noreturn]] void refuse(const SQLite::Database& database, const std::string& what) {
  throw Error(
      ErrorKind::kStore,
      fmt::format("{}: {}; another program made or changed it", database.getFilename(), what));
}

std::string views_text() {
  std::string text;
  for (const std::string_view part : kViews) {
    text += part;
  }
  return text;
}

}  // namespace

void require_own_tables(const SQLite::Database& database, std::span<const std::string_view> steps) {
  // Names are the same in any case.
  sql::Statement objects(database,
                         "SELECT type, lower(name), ifnull(rootpage, 0) FROM sqlite_schema");
  for (objects.bind(); objects.step();) {
    std::string type;
    std::string name;
    std::int64_t page = 0;  // a virtual table has none
    objects.read_from(0, type, name, page);
    const auto makes_table = [&](std::string_view step) {
      return step.find("CREATE TABLE " + name + " (") != std::string_view::npos;
    };
    if (type == "trigger" || (type == "table" && page == 0)) {
      refuse(database,
             fmt::format("has a {}{}, and a store has none",
                         type == "table" ? "virtual table, " : "trigger, ",
                         name));
    }
    if (type == "view" && std::ranges::any_of(steps, makes_table)) {
      refuse(database, fmt::format("{} is a view, and should be a table", name));
    }
  }
  sql::Statement computed(
      database,
      "SELECT s.name, c.name FROM sqlite_schema s, pragma_table_xinfo(s.name) c "
      "WHERE s.type = 'table' AND c.hidden <> 0");
  if (computed.bind(); computed.step()) {
    std::string table;
    std::string column;
    computed.read_from(0, table, column);
    refuse(database, fmt::format("column {} of its table {} is computed", column, table));
  }
}

bool has_own_views(const SQLite::Database& database) {
  std::map<std::string, std::string> views;
  sql::Statement objects(database, "SELECT name, sql FROM sqlite_schema WHERE type = 'view'");
  for (objects.bind(); objects.step();) {
    std::string name;
    std::string text;
    objects.read_from(0, name, text);
    views.emplace(name, text + ";");
  }
  const std::string own = views_text();
  for (std::size_t at = own.find(kCreateView); at != std::string::npos;
       at = own.find(kCreateView, at + 1)) {
    const std::size_t start = at + kCreateView.size();
    const auto found = views.find(own.substr(start, own.find(' ', start) - start));
    if (found == views.end() || own.compare(at, found->second.size(), found->second) != 0) {
      return false;
    }
  }
  return true;
}

bool has_other_views(const SQLite::Database& database) {
  const std::string own = views_text();
  sql::Statement views(database, "SELECT lower(name) FROM sqlite_schema WHERE type = 'view'");
  for (views.bind(); views.step();) {
    std::string name;
    views.read_from(0, name);
    if (own.find(std::string(kCreateView) + name + " AS") == std::string::npos) {
      return true;
    }
  }
  return false;
}

void cover_views(SQLite::Database& database) {
  std::string text = views_text();
  const std::string create = std::string(kCreateView);
  const std::string cover = "CREATE TEMP VIEW ";
  for (std::size_t at = text.find(create); at != std::string::npos;
       at = text.find(create, at + cover.size())) {
    text.replace(at, create.size(), cover);
  }
  sql::execute(database, text);
}

}  // namespace scalestudy
