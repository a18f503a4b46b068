// A dataset drafted from a document: its tables typed, its columns guessed, every guess marked.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/audit/draft/document.h"

namespace scalestudy::audit {

struct Draft {
  std::string name;                          // the dataset's name, also of its folder
  std::map<std::string, std::string> files;  // by name: dataset.yaml and one CSV file a table
  int table_count = 0;                       // tables that are typed
  int guess_count = 0;                       // columns with a `guess`
  int left_out_count = 0;                    // columns that are not typed
  std::vector<std::string> notes;            // what could not be read as figures, and why
};

// Which tables in code were not read, with their lines; empty if there are none.
std::string unread_tables(const Document& document);

// Drafts a dataset that can be loaded and audited as it is. Each column that rests on a guess says
// so (`guess:`), and `audit` counts those.
// - path: the document's, for the dataset's name and its comment.
// - throws: Error{kUsage} if the document has no table that can be read.
Draft draft_dataset(const Document& document, const std::string& path);

}  // namespace scalestudy::audit
