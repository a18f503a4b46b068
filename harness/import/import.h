// Files that others wrote -> publications for the store. Nothing is stored here.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/store/rows/rows.h"

namespace scalestudy {

struct ImportRequest {
  std::string path;
  std::optional<PublicationKind> kind;  // absent: told from the content
  // "column=quantity" or "column=quantity:unit", quantities and units of data/published/FORMAT.md;
  // for CSV only, where columns that no entry names are left out.
  std::vector<std::string> column_map;
};

struct ImportedSource {
  PublicationRow publication;      // study_id is absent
  std::vector<std::string> notes;  // what a reader of the figures should know
};

// Reads everything, or throws Error{kUsage}: every problem as "file:line:col: message" with the
// line and a caret; a file that cannot be read; a content whose kind cannot be told; a column map
// that does not fit.
std::vector<ImportedSource> read_import(const ImportRequest& request);

}  // namespace scalestudy
