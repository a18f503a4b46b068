// Setup and cleanup of a trial.
#include "harness/run/attempt/beside.h"

#include <map>

#include "tests/run/study_room.h"
#include "tests/support/program.h"

using namespace scalestudy;
using test::count;
using test::goes_well;
using test::parse;
using test::Room;

namespace {

const std::string kBeside = R"(setup: ["true", "--port={master_port}"]
cleanup: ["true", "clean"]
)";

LaunchResult exits(int code) {
  LaunchResult result;
  result.ending = LaunchEnding::kExited;
  result.exit_code = code;
  return result;
}

bool is_of(const LaunchRequest& request, const std::string& name) {
  return request.stdout_path.filename() == name + ".stdout";
}

LaunchResult says_when_it_measured(const LaunchRequest& request) {
  LaunchResult result = test::good_trial(request, 1, "9,1,3");
  std::string record = test::read_file(request.output_path);
  record.replace(record.find("\"ok\":true"),
                 9,
                 R"("ok":true,"facts":{"measured_from_s":5,"measured_until_s":7.5})");
  test::write_file(request.output_path, record);
  return result;
}

}  // namespace

TEST_CASE("setup runs before each trial and cleanup after it, outside its wall time", "[run]") {
  Room room([](const LaunchRequest& request) {
    LaunchResult result =
        is_of(request, "setup") || is_of(request, "cleanup") ? exits(0) : goes_well(request);
    result.wall_s = is_of(request, "setup") ? 100.0 : result.wall_s;
    return result;
  });

  const RunSummary summary = room.run(parse(test::kStudy + kBeside, {"trials.count=1"}));

  CHECK(count(summary, TrialState::kOk) == 2);
  REQUIRE(room.launcher.requests.size() == 6);
  CHECK(is_of(room.launcher.requests[0], "setup"));
  CHECK(room.launcher.requests[1].argv.size() == 2);
  CHECK(is_of(room.launcher.requests[2], "cleanup"));
  CHECK_FALSE(room.launcher.requests[0].environment.contains("SCALESTUDY_OUTPUT"));
  CHECK(room.trials().front().wall_s == 2.0);
}

TEST_CASE("a setup that fails is a failed trial with its own reason, and is cleaned up after",
          "[run]") {
  Room room([](const LaunchRequest& request) {
    std::ofstream(request.stderr_path) << "no space left\n";
    return exits(is_of(request, "setup") ? 3 : 0);
  });

  const RunSummary summary =
      room.run(parse(test::kStudy + kBeside, {"trials.count=1", "limits.retries=0"}));

  CHECK(count(summary, TrialState::kFailed) == 2);
  CHECK(room.trials().front().reason == "setup: exit code 3: no space left");
  REQUIRE(room.launcher.requests.size() == 4);
  CHECK(is_of(room.launcher.requests[1], "cleanup"));
}

TEST_CASE("a setup that is not there, or used wrongly, is not tried again", "[run]") {
  // Two trials; three attempts that end alike are enough.
  const std::map<int, int> attempts_by_code{{3, 3}, {2, 2}, {126, 2}, {127, 2}};
  for (const auto& [code, attempts] : attempts_by_code) {
    CAPTURE(code);
    Room room([exit_code = code](const LaunchRequest& request) {
      return exits(is_of(request, "setup") ? exit_code : 0);
    });

    const RunSummary summary =
        room.run(parse(test::kStudy + kBeside, {"trials.count=1", "limits.retries=1"}));

    CHECK(summary.run_now == attempts);
    CHECK(room.trials().front().exit_code == code);
  }
}

TEST_CASE("a cleanup that fails is told, and the trial counts", "[run]") {
  Room room([](const LaunchRequest& request) {
    return is_of(request, "cleanup") ? exits(9)
           : is_of(request, "setup") ? exits(0)
                                     : goes_well(request);
  });

  const RunSummary summary = room.run(parse(test::kStudy + kBeside, {"trials.count=1"}));

  CHECK(count(summary, TrialState::kOk) == 2);
  const auto told = room.store.query("SELECT count(*) FROM log WHERE text LIKE 'cleanup: exit%'");
  CHECK(std::get<std::int64_t>(told.rows.at(0).at(0)) == 2);
}

TEST_CASE("counters are asked for the time in which a trial says that it measured", "[run]") {
  Room room(says_when_it_measured);
  room.machine.counted = [](double from_s, double until_s) {
    return std::vector<Reading>{{"measured_s", until_s - from_s, "s"}};
  };

  room.run(parse(test::kStudy));

  CHECK(room.store.query("SELECT DISTINCT value FROM readings WHERE name = 'measured_s'").rows ==
        std::vector<std::vector<Field>>{{2.5}});
}

// One node's energy over the samples of all would be too little of each, and so would its CPU time.
TEST_CASE("what one node counts of a trial of several is not taken for the trial's", "[run]") {
  const auto told_of = [](const std::string& nodes) {
    Room room(says_when_it_measured);
    room.nodes.hosts = {"testhost", "n1"};
    room.machine.readings = {{"cpu_energy_j", 300.0, "J"}, {"gpu0_energy_j", 900.0, "J"}};
    room.machine.counted = [](double /*from_s*/, double /*until_s*/) {
      return std::vector<Reading>{{"measured_s", 2.5, "s"}, {"measured_cpu_energy_j", 100.0, "J"}};
    };
    room.run(
        parse(test::kStudy + "parameters: {devices: 2, batch_global: 4, nodes: " + nodes + "}\n",
              {"trials.count=1"}));
    std::string names;
    for (const auto& row : room.store
                               .query("SELECT DISTINCT name FROM readings WHERE name LIKE "
                                      "'%_energy_j' OR name IN ('cpu_s', 'measured_s') ORDER BY "
                                      "name")
                               .rows) {
      names += std::get<std::string>(row.at(0)) + " ";
    }
    return names;
  };

  CHECK(told_of("1") == "cpu_energy_j cpu_s gpu0_energy_j measured_cpu_energy_j measured_s ");
  CHECK(told_of("2") == "measured_s ");
}

TEST_CASE("each attempt gets one free port, the same in all its places", "[run]") {
  Room room([](const LaunchRequest& request) {
    return is_of(request, "setup") || is_of(request, "cleanup") ? exits(0) : goes_well(request);
  });
  const std::string study = test::kStudy + kBeside + "env: {MASTER_PORT: \"{master_port}\"}\n";

  room.run(parse(study, {"trials.count=1"}));

  const LaunchRequest& setup = room.launcher.requests.at(0);
  const std::string port = setup.environment.at("MASTER_PORT");
  CHECK(std::stoi(port) > 0);
  CHECK(setup.argv.at(1) == "--port=" + port);
  CHECK(room.launcher.requests.at(1).environment.at("MASTER_PORT") == port);
}

TEST_CASE("a trial run by hand is set up first", "[run]") {
  Room room(goes_well);
  room.run(parse(test::kStudy + "setup: [sh, -c, 'echo set up $SCALESTUDY_CELL']\n",
                 {"trials.count=1", "command=[sh, -c, 'echo train']", "axes=null"}));
  const std::filesystem::path script =
      room.launcher.requests.at(0).stdout_path.parent_path() / "run.sh";

  const test::ProgramResult by_hand = test::run_program({"sh", script.string()});

  CHECK(by_hand.exit_code == 0);
  CHECK(by_hand.out == "train\n");
  CHECK(by_hand.err.find("set up ") < by_hand.err.find("samples: "));
  CHECK_THAT(by_hand.err, Catch::StartsWith("set up "));
}
