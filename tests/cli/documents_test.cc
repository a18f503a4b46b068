// The worked examples of docs/: their files are those that the pages show, and do what they say.
#include <sstream>

#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using Catch::Contains;
using Catch::EndsWith;
using test::ProgramResult;
using test::read_file;
using test::Workspace;

namespace {

const std::string kDocuments = SCALESTUDY_SOURCE_DIR "/docs";

}  // namespace

TEST_CASE("the example of an audit prints what its page says", "[cli]") {
  const Workspace workspace;
  const std::string page = read_file(kDocuments + "/audit.md");

  const ProgramResult audit = workspace.run({"audit", kDocuments + "/audit"});

  CHECK(audit.exit_code == 0);
  CHECK_THAT(page, Contains(audit.out));
  CHECK_THAT(page, Contains(audit.err));
  CHECK_THAT(page, Contains(read_file(kDocuments + "/audit/dataset.yaml")));
  CHECK(workspace.run({"audit", kDocuments + "/audit", "--gate"}).exit_code == 4);
}

TEST_CASE("the example of a study of one's own program runs, and is the one on its page", "[cli]") {
  const Workspace workspace;
  const std::string study = kDocuments + "/own-program/checksum.yaml";
  std::istringstream shown(read_file(kDocuments + "/own-program.md"));
  const std::string text = read_file(study);
  std::string line;
  while (std::getline(shown, line) && line != "```yaml") {
  }
  while (std::getline(shown, line) && line != "```") {
    CHECK_THAT(text, Contains(line + "\n"));
  }

  const ProgramResult run =
      workspace.run({"run",
                     study,
                     "--set",
                     "command=[" + kDocuments +
                         R"(/own-program/checksum.sh, "{devices}", "{batch_global}", "{times}"])",
                     "--set",
                     "axes.batch_global=[250, 500]",
                     "--set",
                     "parameters.times=4",
                     "--set",
                     "steps.measured=2",
                     "--set",
                     "trials.count=2"});

  INFO(run.err);
  CHECK(run.exit_code == 0);
  const std::string cells = "SELECT count(*), sum(n) FROM results WHERE variant = 'all'";
  CHECK_THAT(workspace.run({"query", cells, "--format", "csv"}).out, EndsWith("\n4,8\n"));
}
