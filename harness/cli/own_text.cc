#include "harness/cli/own_text.h"

#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/base/hash.h"
#include "harness/study/parse.h"
#include "harness/text/text.h"

namespace scalestudy {

namespace {

// A row and its text are one study's: what runs is called as its text says.
void require_own_name(const StudyRow& row, const Study& study) {
  if (study.name != row.name) {
    throw Error(ErrorKind::kStore,
                fmt::format("study {}: its text is that of a study {}; another program changed it",
                            row.name,
                            study.name));
  }
}

// - place: where the text is, for the message if it cannot be read.
Study read_named_text(const StudyRow& row, const std::string& place) {
  try {
    return parse_stored_study(row.source_text, row.source_path);
  } catch (const Error& error) {
    throw Error(error.kind(), fmt::format("{}: nothing was taken: {}", place, error.what()));
  }
}

}  // namespace

Study parse_own_text(const StudyRow& row) {
  Study study = parse_stored_study(row.source_text, row.source_path);
  require_own_name(row, study);
  return study;
}

bool has_own_hash(const StudyRow& row, const Study& study) {
  // Where a secret stood in the text, an export has "(secret)".
  const bool is_masked = row.source_text.find("(secret)") != std::string::npos;
  return has_hash(study, row.hash) || (is_masked && is_text_hash(row.hash));
}

void require_own_texts(const NamedContent& from) {
  const auto place_of = [&](const StudyRow& row, const std::string& text) {
    return fmt::format("{}: study {}: {}", from.name, row.name, text);
  };
  const auto require_own = [&](const StudyRow& row, const Study& study, const std::string& text) {
    if (!has_own_hash(row, study)) {
      throw Error(ErrorKind::kStore,
                  fmt::format("{} does not match its hash {}: one of them was changed; nothing was "
                              "taken",
                              place_of(row, text),
                              printable(row.hash.substr(0, 40))));
    }
  };
  for (const StudyContent& content : from.content.studies) {
    const StudyRow& row = content.study;
    const Study declared = read_named_text(row, place_of(row, "its text"));
    require_own_name(row, declared);
    require_own(row, declared, "its text");
    std::set<std::pair<std::string, std::string>> known{{row.hash, row.source_text}};
    for (const SessionContent& session : content.sessions) {
      StudyRow ran = row;
      ran.hash = session.row.study_hash;
      ran.source_text = session.row.study_text.value_or("");
      if (session.row.study_text && known.emplace(ran.hash, ran.source_text).second) {
        const std::string text = fmt::format("the text of session {}", session.row.id);
        require_own(ran, read_named_text(ran, place_of(ran, text)), text);
      }
    }
  }
}

}  // namespace scalestudy
