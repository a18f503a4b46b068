// The study parser, and all that follows from a study without running it.
#include "harness/study/matrix/matrix.h"
#include "harness/study/parse.h"
#include "tests/fuzz/fuzz.h"

void scalestudy::test::fuzz(const std::string& input) {
  const ParsedStudy parsed = parse_study(input, "study.yaml", {});
  if (!parsed.problems.empty()) {
    require(!format_problems(parsed.problems, input, "study.yaml").empty(), "problems have a text");
    return;
  }
  require(answers([&] {
            const Study stored = parse_stored_study(input, "study.yaml");
            require(study_hash(stored) == study_hash(parsed.study),
                    "a stored study is the study that was stored");
          }),
          "a study that was accepted can be read from the store");
  answers([&] { (void)schedule(parsed.study, expand(parsed.study)); });
}
