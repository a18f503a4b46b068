// Whether a database's tables and views are ours: one from elsewhere may have views without an end
// in their place, which every reading would wait for.
#pragma once

#include <span>
#include <string_view>

namespace SQLite {
class Database;
}

namespace scalestudy {

// Throws Error{kStore} when a table that `steps` make is something else than a table with these
// columns, or when there is a trigger; none of ours has one. What others added stays.
void require_own_tables(const SQLite::Database& database, std::span<const std::string_view> steps);

// Whether its views are those that migrate(database, steps) makes.
bool has_own_views(const SQLite::Database& database, std::span<const std::string_view> steps);

}  // namespace scalestudy
