// Reads files that other programs wrote into publications for the store; the caller stores them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/store/rows/rows.h"

namespace scalestudy {

struct ImportRequest {
  std::string path;
  std::optional<PublicationKind> kind;  // absent: recognised by the content
  // For CSV only: "column=quantity" or "column=quantity:unit", with the quantities and units of
  // data/published/FORMAT.md. Columns that no entry names are left out.
  std::vector<std::string> column_map;
  // Conditions to assume of figures that do not say them, as parse_assumptions() reads them.
  std::vector<std::string> assumed = {};
};

struct ImportedSource {
  PublicationRow publication;      // study_id is absent
  std::vector<std::string> notes;  // sentences for readers of the figures
};

// Reads the file. Throws Error{kUsage} if it cannot be read, its kind cannot be recognised or the
// column map or an assumption does not fit; problems of the content are all listed, each as
// "file:line:col: message" with the line and a caret.
std::vector<ImportedSource> read_import(const ImportRequest& request);

}  // namespace scalestudy
