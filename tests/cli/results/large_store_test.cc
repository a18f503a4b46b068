// What a look at a store costs, counted instead of timed: rows read from it, and how often it is
// opened.
#include <algorithm>
#include <variant>

#include <fmt/format.h>

#include "harness/cli/verb.h"
#include "tests/support/catch.h"
#include "tests/support/planned_study.h"
#include "tests/support/program.h"
#include "tests/support/statements.h"

namespace {

using scalestudy::Store;
using scalestudy::test::Statements;
using scalestudy::test::TemporaryFolder;

// A store with a study of 2 cells and so many trials of each.
void plan_trials(const TemporaryFolder& folder, int trials) {
  const auto study = scalestudy::test::declare(
      fmt::format("version: 1\nstudy: large\nworkload: command\n"
                  "command: [\"true\", \"{{devices}}\"]\naxes: {{devices: [1, 2]}}\n"
                  "trials: {{count: {}}}\nextract: [{{metric: step_time_s, from: wall_time}}]\n",
                  trials));
  Store store = Store::open(folder.path());
  scalestudy::test::plan(store, study, scalestudy::expand(study));
}

void run_verb(const std::string& name, const TemporaryFolder& folder) {
  auto verbs = scalestudy::all_verbs();
  const auto verb = std::ranges::find(verbs, name, &scalestudy::Verb::name);
  REQUIRE(verb != verbs.end());
  if (name == "publish") {
    *std::get<std::string*>(verb->options.front().target) = folder.file("site");
  }
  scalestudy::Terminal terminal(scalestudy::ColorMode::kNever, /*quiet=*/true);
  terminal.divert(/*to_stderr=*/true);
  CHECK(verb->run(folder.path().string(), terminal) == scalestudy::ExitCode::kDone);
}

}  // namespace

TEST_CASE("list and status read as many rows of a study with more trials", "[cli]") {
  const TemporaryFolder few;
  const TemporaryFolder many;
  plan_trials(few, 3);
  plan_trials(many, 300);
  for (const char* verb : {"list", "status"}) {
    INFO(verb);
    const Statements statements;
    run_verb(verb, few);
    const long of_few = Statements::rows();
    run_verb(verb, many);

    CHECK(of_few > 0);
    CHECK(Statements::rows() == 2 * of_few);
  }
}

TEST_CASE("list, status and publish open the store once", "[cli]") {
  const TemporaryFolder folder;
  plan_trials(folder, 3);
  for (const char* verb : {"list", "status", "publish"}) {
    INFO(verb);
    const Statements statements;
    run_verb(verb, folder);

    CHECK(Statements::opened() == 1);
  }
}
