// Whether a database's tables and views are ours: one from elsewhere may have views without an end
// in their place, which every reading would wait for.
#pragma once

#include <span>
#include <string_view>

namespace SQLite {
class Database;
}

namespace scalestudy {

// Throws Error{kStore} for a view in the place of a table that `steps` make, a column that is
// computed, a virtual table and a trigger: a store of ours has none. Other tables and views that
// somebody added stay.
void require_own_tables(const SQLite::Database& database, std::span<const std::string_view> steps);

// Whether the newest views are in it, to the letter.
bool has_own_views(const SQLite::Database& database);

}  // namespace scalestudy
