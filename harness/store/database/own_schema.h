// Whether a database's tables and views are scalestudy's. A foreign database may have endless views
// in their place, for which every reader would wait.
#pragma once

#include <span>
#include <string_view>

namespace SQLite {
class Database;
}

namespace scalestudy {

// Throws Error{kStore} for a view in the place of a table that `steps` make, a computed column, a
// virtual table or a trigger: scalestudy makes none of these. Other tables and views that somebody
// added are accepted.
void require_own_tables(const SQLite::Database& database, std::span<const std::string_view> steps);

// Whether the database has the newest views, letter by letter.
bool has_own_views(const SQLite::Database& database);

// Whether the database has a view that is not one of ours by its name.
bool has_other_views(const SQLite::Database& database);

// Puts the newest views before those of the database, for this connection alone. Views that
// somebody added still read the database's own.
void cover_views(SQLite::Database& database);

}  // namespace scalestudy
