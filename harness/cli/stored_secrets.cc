#include "harness/cli/stored_secrets.h"

#include <string>
#include <variant>

#include "harness/study/secrets_of_texts.h"

namespace scalestudy {
namespace {

StudyTexts stored_texts(const Store& store) {
  StudyTexts studies;
  for (const auto& row : store
                             .query("SELECT CAST(id AS TEXT), CAST(source_text AS TEXT) FROM study "
                                    "UNION SELECT CAST(study_id AS TEXT), CAST(study_text AS TEXT) "
                                    "FROM session WHERE study_text IS NOT NULL")
                             .rows) {
    const auto* id = std::get_if<std::string>(&row.at(0));
    const auto* text = std::get_if<std::string>(&row.at(1));
    if (id != nullptr && text != nullptr) {
      studies[*id].insert(*text);
    }
  }
  return studies;
}

}  // namespace

std::vector<std::string> stored_secrets(const Store& store) {
  return secrets_of_texts(stored_texts(store));
}

}  // namespace scalestudy
