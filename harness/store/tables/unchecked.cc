#include "harness/store/tables/unchecked.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include "harness/store/tables/sql.h"

namespace scalestudy::sql {

Unchecked::Unchecked(SQLite::Database& database) : database_(database) {
  execute(database_, "PRAGMA ignore_check_constraints = ON");
}

Unchecked::~Unchecked() {
  database_.tryExec("PRAGMA ignore_check_constraints = OFF");
}

}  // namespace scalestudy::sql
