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

// text       one YAML document, UTF-8.
// path       for messages and Study::source_path; "-" is stdin.
// overrides  "key=value" as from --set, dotted keys ("trials.count=3", "axes.batch_global=[8, 16]",
//            "steps.measured=20"), applied before checking; a bad one is a problem at line 0.
// Never throws on the content of the text.
ParsedStudy parse_study(const std::string& text,
                        const std::string& path,
                        const std::vector<std::string>& overrides);

// The text of a study that the store keeps: it was checked when its trials ran, so that only its
// structure and its name count. What else this version would refuse - a value out of range, a
// combination - is read as it stands; results stay readable however the checks change.
//   path    for messages and Study::source_path.
//   throws  Error{kStore} with every problem when it is no study text at all.
Study parse_stored_study(const std::string& text, const std::string& path);

// Reads the file and parses it. Throws Error{kUsage} with every problem as
// "file:line:col: message", the line and a caret; or when the file cannot be read.
Study load_study(const std::string& path, const std::vector<std::string>& overrides);

}  // namespace scalestudy
