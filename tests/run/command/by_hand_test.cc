// The script that repeats a trial.
#include "harness/run/command/by_hand.h"

#include <filesystem>

#include "tests/run/no_room.h"
#include "tests/run/study_room.h"

using namespace scalestudy;

TEST_CASE("a script that cannot be written whole is not left", "[run]") {
  const test::TrialFolder folder;
  const Study study = test::parse(test::kStudy);
  const TrialFiles files(folder.path(), "fake", "67221bf5", TrialRow());
  const std::filesystem::path script = files.results / files.folder / kScriptName;
  std::filesystem::create_directories(script.parent_path());
  LaunchRequest request;
  request.argv = {"true"};

  {
    const test::NoRoom full(10);
    write_trial_script(request, {}, study, files);
  }
  CHECK_FALSE(std::filesystem::exists(script));

  write_trial_script(request, {}, study, files);
  CHECK(test::read_file(script) == trial_script(request, {}, study));
}
