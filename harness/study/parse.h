// YAML -> Study. All problems of a file are found in one pass.
#pragma once

#include <string>
#include <vector>

#include "harness/study/declared/study.h"
#include "harness/yaml/problem.h"

namespace scalestudy {

struct ParsedStudy {
  Study study;                    // meaningful only when there are no problems
  std::vector<Problem> problems;  // ordered by position
};

// Reads a study and checks it. Never throws for what the text says.
// - text: one YAML document, UTF-8.
// - path: for messages and Study::source_path; "-" is stdin.
// - overrides: "key=value" as from --set, dotted keys ("trials.count=3", "steps.measured=20",
//   "axes.batch_global=[8, 16]"), applied before checking; a bad one is a problem at line 0.
ParsedStudy parse_study(const std::string& text,
                        const std::string& path,
                        const std::vector<std::string>& overrides);

// Reads the text of a study that the store keeps. It was checked when its trials ran, so only its
// structure and its name are checked now. Whatever else this version would refuse (a value out of
// range, a combination) is accepted, so that results stay readable however the checks change.
// - path: for messages and Study::source_path.
// - throws: Error{kStore} with every problem if it is no study text at all.
Study parse_stored_study(const std::string& text, const std::string& path);

// Whether `hash` is that of the study's text, as this version reads it or as earlier ones did:
// these took an amount in the unit of its extract rule for one in the unit that is stored.
bool has_hash(const Study& study, const std::string& hash);

// Reads the file and parses it. Throws Error{kUsage} with every problem as
// "file:line:col: message", the line and a caret; or when the file cannot be read.
Study load_study(const std::string& path, const std::vector<std::string>& overrides);

}  // namespace scalestudy
