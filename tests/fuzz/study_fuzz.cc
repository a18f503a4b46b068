// The study parser, and all that follows from a study without running it.
#include "harness/run/command/launch_command.h"
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
  answers([&] {
    const Matrix matrix = expand(parsed.study);
    (void)schedule(parsed.study, matrix);
    LaunchResources resources;
    resources.cores = 8;
    resources.gpus = 2;
    resources.program = "train";
    resources.communication_cores = communication_cores(matrix.cells, resources.cores);
    for (const Cell& cell : matrix.cells) {
      answers([&] {
        const LaunchCommand made = launch_command(parsed.study, cell, resources);
        require(!made.argv.empty() || !made.unsupported.empty(), "a cell has a command");
      });
    }
  });
}
