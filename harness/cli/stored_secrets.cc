#include "harness/cli/stored_secrets.h"

#include "harness/base/error.h"
#include "harness/study/parameters/secret.h"
#include "harness/study/parse.h"

namespace scalestudy {

namespace {

// Of a text that cannot be read whole, what can be.
Study read_leniently(const StudyRow& row) {
  try {
    return parse_stored_study(row.source_text, row.source_path);
  } catch (const Error&) {
    return parse_study(row.source_text, row.source_path, {}).study;
  }
}

}  // namespace

std::vector<std::string> stored_secrets(const Store& store) {
  std::vector<std::string> secrets;
  for (const StudyRow& row : store.studies()) {
    if (row.source_text.find("secret") != std::string::npos) {
      const std::vector<std::string> values = secret_values(read_leniently(row));
      secrets.insert(secrets.end(), values.begin(), values.end());
    }
  }
  return secrets;
}

}  // namespace scalestudy
