// Files that rules read, from the command to a later reading.
#include "harness/run/outcome/result_files.h"

#include <csignal>
#include <fstream>

#include "harness/run/outcome/reextract.h"
#include "tests/run/study_room.h"

using namespace scalestudy;
using test::parse;
using test::Room;
namespace fs = std::filesystem;

namespace {

const std::string kText = R"(version: 1
study: fake
workload: command
command: ["true", "{size}", "{trial_folder}"]
extract: [{metric: step_time_s, unit: ms, json_path: took, json: document, from: {file: FILE}}]
axes: {size: [1]}
steps: {warmup: 0, measured: 2}
trials: {count: 1}
limits: {retries: 0}
)";

Study study(const std::string& file, const std::vector<std::string>& overrides = {}) {
  std::string text = kText;
  return parse(text.replace(text.find("FILE"), 4, "\"" + file + "\""), overrides);
}

// Writes the document to the path that the request, the trial's folder in it, gives.
test::FakeLauncher::Trial writes(const std::function<fs::path(const LaunchRequest&)>& path,
                                 const std::string& text = "{\n  \"took\": [5, 7]\n}\n") {
  return [=](const LaunchRequest& request) {
    if (const fs::path at = path(request); !at.empty()) {
      std::ofstream(at) << text;
    }
    std::ofstream(request.stdout_path) << "";
    std::ofstream(request.stderr_path) << "";
    LaunchResult result;
    result.ending = LaunchEnding::kExited;
    result.exit_code = 0;
    return result;
  };
}

std::vector<double> values_of(Room& room) {
  const auto series = room.store.series(room.trials().back().id);
  return series.empty() ? std::vector<double>() : series.front().values;
}

const std::vector<double> kRead{5 * 1e-3, 7 * 1e-3};

}  // namespace

TEST_CASE("a rule reads the file that the trial wrote, with the cell's values in its path",
          "[run]") {
  const test::TrialFolder folder;
  const fs::path path = folder.path() / "out-1.json";
  Room room(writes([&](const LaunchRequest&) { return path; }));

  room.run(study((folder.path() / "out-{size}.json").string()));

  CHECK(room.trials().front().reason.empty());
  CHECK(values_of(room) == kRead);
  // The file may go: the kept one is read.
  fs::remove(path);
  const auto told = reread_logs(
      study((folder.path() / "out-{size}.json").string(), {"extract.0.unit=s"}), room.store);
  accept_readings(
      study((folder.path() / "out-{size}.json").string(), {"extract.0.unit=s"}), told, room.store);
  CHECK(told.at(0).left_alone.empty());
  CHECK(values_of(room) == std::vector<double>{5.0, 7.0});
}

TEST_CASE("a file in the trial's own folder is read there, also later", "[run]") {
  Room room(writes([](const LaunchRequest& request) {
    const fs::path own = request.argv.at(2);
    CHECK(own.string() == (request.stdout_path.parent_path() / "files").string());
    CHECK(fs::is_empty(own));
    return own / "a.json";
  }));

  room.run(study("{trial_folder}/a.json"));

  CHECK(values_of(room) == kRead);
  const Study mended = study("{trial_folder}/a.json", {"extract.0.unit=s"});
  const auto told = reread_logs(mended, room.store);
  accept_readings(mended, told, room.store);
  CHECK(told.at(0).left_alone.empty());
  CHECK(values_of(room) == std::vector<double>{5.0, 7.0});
}

TEST_CASE("a file that an older version's trial left beside its logs is read again", "[run]") {
  fs::path own;
  Room room(writes([&](const LaunchRequest& request) {
    own = request.argv.at(2);
    return own / "a.json";
  }));
  room.run(study("{trial_folder}/a.json"));
  fs::rename(own / "a.json", own.parent_path() / "a.json");
  fs::remove(own);

  const auto told = reread_logs(study("{trial_folder}/a.json", {"extract.0.unit=s"}), room.store);

  CHECK(told.at(0).left_alone.empty());
  REQUIRE(told.at(0).record);
  CHECK(told.at(0).record->series.at(0).values == std::vector<double>{5.0, 7.0});
}

TEST_CASE("a program that removes its own folder, or closes it, leaves the logs as they were",
          "[run]") {
  fs::path own;
  Room removed(writes([&](const LaunchRequest& request) {
    own = request.argv.at(2);
    fs::remove_all(own);
    return fs::path();
  }));
  removed.run(study("{trial_folder}/a.json"));
  CHECK(fs::exists(own.parent_path() / "stdout"));
  CHECK(fs::exists(own.parent_path() / "run.sh"));
  CHECK_THAT(removed.trials().front().reason,
             Catch::Contains("{trial_folder}/a.json was not written"));

  Room closed([&](const LaunchRequest& request) {
    own = request.argv.at(2);
    const LaunchResult result =
        writes([&](const LaunchRequest&) { return own / "a.json"; })(request);
    fs::permissions(own, fs::perms::none);
    return result;
  });
  closed.run(study("{trial_folder}/a.json"));
  CHECK(values_of(closed) == kRead);
  CHECK((fs::status(own).permissions() & fs::perms::owner_all) == fs::perms::owner_all);
}

TEST_CASE("a link out of the trial's folder is no file of the trial", "[run]") {
  const test::TrialFolder outside;
  const fs::path target = outside.path() / "out.json";
  Room room(writes([&](const LaunchRequest& request) {
    fs::create_symlink(target, fs::path(request.argv.at(2)) / "a.json");
    return target;
  }));

  room.run(study("{trial_folder}/a.json"));

  CHECK(room.trials().front().state == TrialState::kFailed);
  CHECK_THAT(room.trials().front().reason,
             Catch::Contains("{trial_folder}/a.json is not in the trial's folder"));
  CHECK(fs::exists(target));
}

TEST_CASE("a result file in the trial's folder keeps no secret", "[run]") {
  fs::path path;
  Room room(writes(
      [&](const LaunchRequest& request) { return path = fs::path(request.argv.at(2)) / "a.json"; },
      "{\"took\": [5, 7], \"token\": \"hunter2hunter2\"}\n"));

  room.run(study("{trial_folder}/a.json", {"env.TOKEN=hunter2hunter2", "secret=[TOKEN]"}));

  CHECK(values_of(room) == kRead);
  std::ifstream file(path);
  std::string kept;
  std::getline(file, kept);
  CHECK(kept == "{\"took\": [5, 7], \"token\": \"(secret)\"}");
}

TEST_CASE("a file named like a log in the trial's folder keeps no secret, behind a link it is left",
          "[run]") {
  const test::TrialFolder outside;
  const std::string text = "token hunter2hunter2\n";
  fs::path own;
  const auto leaves_log = [&](bool is_link) {
    return [&, is_link](const LaunchRequest& request) {
      own = request.argv.at(2);
      if (is_link) {
        fs::remove(own);
        fs::create_directory_symlink(outside.path(), own);
      }
      const LaunchResult result = writes([](const LaunchRequest&) { return fs::path(); })(request);
      test::write_file(own / "stdout.txt", text);
      return result;
    };
  };
  const Study declared = study("out.json", {"env.TOKEN=hunter2hunter2", "secret=[TOKEN]"});

  Room room(leaves_log(false));
  room.run(declared);
  CHECK(test::read_file(own / "stdout.txt") == "token (secret)\n");
  Room linked(leaves_log(true));
  linked.run(declared);
  CHECK(test::read_file(outside.path() / "stdout.txt") == text);
}

TEST_CASE("a trial that does not end ok keeps no secret in its folder, once its values are read",
          "[run]") {
  using enum LaunchEnding;
  for (const LaunchEnding ending : {kExited, kSignaled, kTimeout}) {
    CAPTURE(static_cast<int>(ending));
    fs::path own;
    Room room([&](const LaunchRequest& request) {
      own = request.argv.at(2);
      LaunchResult result = writes([&](const LaunchRequest&) { return own / "a.json"; },
                                   "{\"took\": [12345678, 7]}\n")(request);
      fs::create_directory(own / "sub");
      test::write_file(own / "other.json", "12345678\n");
      test::write_file(own / "sub" / "x", "12345678\n");
      if (ending != kExited) {
        result.ending = ending;
        result.exit_code.reset();
      }
      if (ending == kSignaled) {
        result.signal = SIGKILL;
      }
      return result;
    });

    room.run(study("{trial_folder}/a.json", {"env.TOKEN=12345678", "secret=[TOKEN]"}));

    CHECK(room.trials().front().state == (ending == kExited    ? TrialState::kOk
                                          : ending == kTimeout ? TrialState::kTimeout
                                                               : TrialState::kFailed));
    CHECK(values_of(room) == std::vector{12345678 * 1e-3, 7 * 1e-3});
    CHECK(test::read_file(own / "a.json") == "{\"took\": [(secret), 7]}\n");
    // Of a trial that ended ok, files that no rule reads are the program's.
    const std::string kept = ending == kExited ? "12345678\n" : "(secret)\n";
    CHECK(test::read_file(own / "other.json") == kept);
    CHECK(test::read_file(own / "sub" / "x") == kept);
  }
}

TEST_CASE("what a link in place of the trial's folder leads to is left as it is", "[run]") {
  const test::TrialFolder outside;
  const std::string text = "token hunter2hunter2\n";
  const fs::path files = outside.path() / "files";
  fs::create_directory(files);
  Room room([&](const LaunchRequest& request) {
    const fs::path folder = request.stdout_path.parent_path();
    fs::remove_all(folder);
    fs::create_directory_symlink(outside.path(), folder);
    test::write_file(files / "stdout.txt", text);
    test::write_file(files / "a.json", text);
    return writes([](const LaunchRequest&) { return fs::path(); })(request);
  });

  room.run(study("out.json", {"env.TOKEN=hunter2hunter2", "secret=[TOKEN]"}));

  CHECK(room.trials().front().state == TrialState::kFailed);
  CHECK(test::read_file(files / "stdout.txt") == text);
  CHECK(test::read_file(files / "a.json") == text);
}

TEST_CASE("a file that is missing, or from before the trial, fails it", "[run]") {
  const test::TrialFolder folder;
  const fs::path path = folder.path() / "out.json";
  Room missing(writes([](const LaunchRequest&) { return fs::path(); }));
  missing.run(study(path.string()));
  CHECK(missing.trials().front().state == TrialState::kFailed);
  const std::string reason = "unusable output: extract: " + path.string() +
                             " was not written: there is no regular file " + path.string();
  CHECK(missing.trials().front().reason == reason);
  Room folder_instead(writes([&](const LaunchRequest&) {
    fs::create_directory(path);
    return fs::path();
  }));
  folder_instead.run(study(path.string()));
  CHECK(folder_instead.trials().front().reason == reason);
  fs::remove(path);

  std::ofstream(path) << "{\"took\": [5, 7]}\n";
  Room stale(writes([](const LaunchRequest&) { return fs::path(); }));
  stale.run(study(path.string()));
  CHECK(stale.trials().front().state == TrialState::kFailed);
  CHECK_THAT(
      stale.trials().front().reason,
      Catch::EndsWith("was not written by this trial: " + path.string() + " is from before it"));

  // Written again, with the same text.
  Room again(writes([&](const LaunchRequest&) { return path; }, "{\"took\": [5, 7]}\n"));
  again.run(study(path.string()));
  CHECK(again.trials().front().state == TrialState::kOk);
}

TEST_CASE("a file too large to be kept is read once, and not read again", "[run]") {
  const test::TrialFolder folder;
  const fs::path path = folder.path() / "out.json";
  Room room(writes([&](const LaunchRequest&) { return path; },
                   "{\"took\": [5, 7]}\n" + std::string(std::size_t{33} << 20U, '\n')));

  room.run(study(path.string()));

  CHECK(values_of(room) == kRead);
  const auto told = reread_logs(study(path.string(), {"extract.0.unit=s"}), room.store);
  CHECK(told.at(0).left_alone == "a file that rules read was not kept whole");
}
