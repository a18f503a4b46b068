#include "harness/store/own_schema.h"

#include <map>
#include <set>
#include <string>

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/store/migrations.h"
#include "harness/store/sql.h"

namespace scalestudy {
namespace {

struct Schema {
  std::map<std::string, std::set<std::string>> tables;  // columns that hold values, by table
  std::map<std::string, std::string> views;             // their SQL
  std::string trigger;                                  // one of them; "": none
};

Schema read_schema(const SQLite::Database& database) {
  Schema schema;
  sql::Statement objects(
      database, "SELECT type, name, ifnull(rootpage, 0), ifnull(sql, '') FROM sqlite_schema");
  for (objects.bind(); objects.step();) {
    std::string type;
    std::string name;
    std::int64_t page = 0;
    std::string text;
    objects.read_from(0, type, name, page, text);
    if (type == "table" && page > 0) {  // a virtual one has no page
      schema.tables[name];
    } else if (type == "view") {
      schema.views.emplace(name, text);
    } else if (type == "trigger") {
      schema.trigger = name;
    }
  }
  sql::Statement columns(database, "SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0");
  for (auto& [table, names] : schema.tables) {
    for (columns.bind(table); columns.step();) {
      std::string name;
      columns.read_from(0, name);
      names.insert(name);
    }
  }
  return schema;
}

Schema made_by(std::span<const std::string_view> steps) {
  SQLite::Database made(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  migrate(made, steps);
  return read_schema(made);
}

// It takes some milliseconds to make.
const Schema& own_schema(std::span<const std::string_view> steps) {
  static std::map<std::pair<const void*, std::size_t>, Schema> known;
  const auto key = std::pair<const void*, std::size_t>(steps.data(), steps.size());
  const auto found = known.find(key);
  return found != known.end() ? found->second : known.emplace(key, made_by(steps)).first->second;
}

[[noreturn]] void refuse(const SQLite::Database& database, const std::string& what) {
  throw Error(
      ErrorKind::kStore,
      fmt::format("{}: {}; another program made or changed it", database.getFilename(), what));
}

}  // namespace

void require_own_tables(const SQLite::Database& database, std::span<const std::string_view> steps) {
  const Schema schema = read_schema(database);
  if (!schema.trigger.empty()) {
    refuse(database, "has a trigger, " + schema.trigger + ", and scalestudy's have none");
  }
  for (const auto& [table, columns] : own_schema(steps).tables) {
    const auto found = schema.tables.find(table);
    if (found == schema.tables.end()) {
      refuse(database, "has no table " + table);
    }
    for (const std::string& column : columns) {
      if (!found->second.contains(column)) {
        refuse(database, fmt::format("its table {} has no column {} of values", table, column));
      }
    }
  }
}

bool has_own_views(const SQLite::Database& database, std::span<const std::string_view> steps) {
  const std::map<std::string, std::string> views = read_schema(database).views;
  for (const auto& [name, text] : own_schema(steps).views) {
    const auto found = views.find(name);
    if (found == views.end() || found->second != text) {
      return false;
    }
  }
  return true;
}

}  // namespace scalestudy
