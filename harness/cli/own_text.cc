#include "harness/cli/own_text.h"

#include <string>

#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/base/hash.h"
#include "harness/study/parse.h"
#include "harness/text/text.h"

namespace scalestudy {

// A row and its text are one study's: what runs is called as its text says.
Study parse_own_text(const StudyRow& row) {
  Study study = parse_stored_study(row.source_text, row.source_path);
  if (study.name != row.name) {
    throw Error(ErrorKind::kStore,
                fmt::format("study {}: its text is that of a study {}; another program changed it",
                            row.name,
                            study.name));
  }
  return study;
}

bool has_own_hash(const StudyRow& row, const Study& study) {
  // Where a secret stood in the text, an export has "(secret)".
  const bool is_masked = row.source_text.find("(secret)") != std::string::npos;
  return has_hash(study, row.hash) || (is_masked && is_text_hash(row.hash));
}

void require_own_texts(const NamedContent& from) {
  for (const StudyContent& content : from.content.studies) {
    const StudyRow& row = content.study;
    if (!has_own_hash(row, parse_own_text(row))) {
      throw Error(ErrorKind::kStore,
                  fmt::format("{}: study {}: its text does not match its hash {}: one of them was "
                              "changed; nothing was taken",
                              from.name,
                              row.name,
                              printable(row.hash.substr(0, 40))));
    }
  }
}

}  // namespace scalestudy
