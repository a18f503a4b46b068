#include "harness/run/outcome/trial_record.h"

#include <fstream>
#include <map>

#include "tests/run/trial_scripts.h"
#include "tests/support/catch.h"

using namespace scalestudy;

using test::TrialFolder;

TEST_CASE("what was read of the machine is telemetry, whatever a trial says of it", "[run]") {
  protocol::Record record;
  protocol::Start start;
  start.facts = {{"gpu0_throttled", 0.0}};
  record.events.emplace_back(start);

  const auto rows = telemetry_rows(record, {}, {}, {{"gpu0_throttled", 0.5, "1"}}, 0);

  CHECK(std::ranges::count_if(rows, [](const TelemetryRow& row) {
          return row.name == "gpu0_throttled" && row.value == 0.5 && row.unit == "1";
        }) == 1);
  CHECK(std::ranges::count(rows, "gpu0_throttled", &TelemetryRow::name) == 1);
}

TEST_CASE("foreign load is what others used of the cores, never negative", "[run]") {
  // 10 s, others 12 - 5 = 7 s of CPU time: 0.7 cores.
  const Load load = measure_load(
      {.busy_s = 100.0, .steal_s = 1.0}, {.busy_s = 112.0, .steal_s = 3.0}, 10.0, 5.0, 2);
  CHECK(load.foreign.value() == Approx(0.7));
  CHECK(load.steal.value() == Approx(0.2));

  CHECK(measure_load({.busy_s = 1.0}, {.busy_s = 2.0}, 10.0, 1.5, 2).foreign == 0.0);
  // 0.72 s of CPU time in 0.35 s of two cores: a tick of each core too many.
  CHECK(measure_load({}, {.busy_s = 0.72}, 0.35, 0.0, 2).foreign == 2.0);
}

TEST_CASE("packets on emulated links are the trial's own work, other trials' are not", "[run]") {
  LaunchResult launch;
  launch.cpu_s = 5.0;
  const CpuTimes before{.busy_s = 100.0, .softirq_s = 2.0};
  const CpuTimes after{.busy_s = 108.0, .softirq_s = 4.5};
  CHECK(own_cpu_s(launch, before, after, true) == 7.5);
  CHECK(own_cpu_s(launch, before, after, false) == 5.0);
}

TEST_CASE("a short trial has the foreign load that ticks of the counters cannot hide", "[run]") {
  const Load load = measure_load({}, {.busy_s = 0.02, .steal_s = 0.01}, 0.007, 0.0, 2);
  CHECK_FALSE(load.foreign.has_value());
  CHECK_FALSE(load.steal.has_value());
  CHECK_FALSE(measure_load({}, {.busy_s = 1.0}, 0.0, 0.0, 2).foreign);

  // In 0.2 s, 0.118 s of which 0.1 s are the trial's: two ticks, one on each of two cores.
  CHECK_FALSE(measure_load({}, {.busy_s = 0.118}, 0.2, 0.1, 2).foreign);
  // 0.4 s, of which 0.1 s are its own: 0.3 s less two ticks, in 0.2 s.
  CHECK(measure_load({}, {.busy_s = 0.4}, 0.2, 0.1, 2).foreign.value() == Approx(1.4));
  // One tick of 10 ms on each core is less than 3 % of the cores from 0.34 s on.
  CHECK(measure_load({}, {.busy_s = 0.17}, 0.34, 0.0, 2).foreign.value() == Approx(0.5));
}

TEST_CASE("facts of the end become telemetry beside those of the start", "[run]") {
  protocol::Record record;
  record.events = {
      protocol::Start{.workload = "train",
                      .ranks = 1,
                      .parameters = {},
                      .facts = {{"threads", 2.0}},
                      .versions = {}},
      protocol::End{
          .ok = true, .message = "", .facts = {{"warmup_time_s", 0.5}, {"threads", 3.0}}}};

  std::map<std::string, double> values;
  for (const TelemetryRow& row : telemetry_rows(record, {}, {}, {}, 0)) {
    values[row.name] = row.value;
    CHECK((row.name != "warmup_time_s" || row.unit == "s"));
  }

  CHECK(values.at("warmup_time_s") == 0.5);
  CHECK(values.at("threads") == 2.0);  // the first word counts
}

TEST_CASE("facts become telemetry with units, and cannot replace what we measured", "[run]") {
  protocol::Record record;
  record.events = {
      protocol::Start{.workload = "train",
                      .ranks = 1,
                      .parameters = {},
                      .facts = {{"gradient_bytes", 8.0}, {"cpu_s", -1.0}, {"cores_per_rank", 9.0}},
                      .versions = {}}};
  LaunchResult launch;
  launch.cpu_s = 2.5;

  double cpu_s = 0.0;
  double cores = 0.0;
  std::string unit;
  for (const TelemetryRow& row :
       telemetry_rows(record, launch, {.foreign = 0.5, .steal = 0.0}, {}, 2)) {
    if (row.name == "cpu_s") {
      cpu_s += row.value;
    }
    cores += row.name == "cores_per_rank" ? row.value : 0.0;
    if (row.name == "gradient_bytes") {
      unit = row.unit;
    }
  }

  CHECK(cpu_s == 2.5);
  CHECK(cores == 2.0);
  CHECK(unit == "bytes");
}

TEST_CASE("output that neither rules nor fail_if could read has one fact, that of the rules",
          "[run]") {
  Study study;
  study.fail_if = {"Traceback"};
  FailLines lines;
  lines.unread = "stderr is UTF-16";
  TrialRecord record;
  record.telemetry = {{"unread_output", 2.0, "1"}};

  add_fail_lines(study, lines, record);

  REQUIRE(record.telemetry.size() == 1);
  CHECK(record.telemetry[0].value == 2.0);
  CHECK(record.logs.at(0).text == "fail_if: not searched: stderr is UTF-16");
}

TEST_CASE("logs name the files that exist and keep the last lines of a failed trial", "[run]") {
  const TrialFolder folder;
  const TrialFiles files(folder.path(), "s", "c", TrialRow());
  std::filesystem::create_directories(files.results / files.folder);
  std::ofstream out(files.stdout_path());
  for (int line = 1; line <= 30; ++line) {
    out << "line " << line << (line == 30 ? " \x1b[31min red\x1b[0m\n" : "\n");
  }
  out.close();
  protocol::Record record;
  record.unknown = {"{\"event\":\"new\"}\x1b[2J"};
  record.notes = {"extract: a note"};
  protocol::Start start;
  start.versions = {{"mpi", "4.1.4"}, {"onednn", "2.6.3"}};
  record.events = {start};

  const auto rows = log_rows(files, record, {}, true);

  REQUIRE(rows.size() == 4);
  CHECK(rows[0].stream == LogStream::kStdout);
  CHECK(rows[0].path == "logs/s/c-b0-a1/stdout");
  CHECK(rows[0].text.substr(0, 8) == "line 11\n");
  CHECK_THAT(rows[0].text, Catch::EndsWith("in red"));  // without the colour
  CHECK(rows[1].stream == LogStream::kEvent);
  CHECK(rows[1].text == "versions: mpi 4.1.4, onednn 2.6.3");
  CHECK(rows[2].text == "{\"event\":\"new\"}?[2J");  // nothing that a terminal obeys
  CHECK(rows[3].text == "extract: a note");
  CHECK(log_rows(files, record, {}, false)[0].text.empty());
}
