// gpu_study: what it starts, what it makes of the end of a run, and its lines.
#include <algorithm>
#include <filesystem>

#include "tests/gpu/on_cores.h"
#include "tests/gpu/page.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using Catch::Contains;
using test::kSource;
using test::Line;
using test::ProgramResult;
using test::write_program;

namespace {

// gpu_study in a folder as it is installed, beside a `scalestudy` that notes how it is called and
// then does what a file of its verb says.
class Section {
 public:
  Section() {
    std::filesystem::create_directories(folder_.file("out/tests"));
    std::filesystem::create_directories(folder_.file("out/bin"));
    std::filesystem::create_directories(folder_.file("bin"));
    std::filesystem::create_directories(page());
    std::filesystem::create_symlink(kSource + "several", folder_.file("out/tests/several"));
    std::filesystem::copy(kSource + "gpu_study", folder_.file("out/tests"));
    write_program(folder_.file("out/bin/scalestudy"),
                  "cd " + folder_.path().string() +
                      "\necho \"$*\" >>calls\necho \"$SCALESTUDY_RESULTS\" >results\n"
                      "[ ! -f do-$1 ] || . ./do-$1\n");
  }

  void tell(const std::string& verb, const std::string& commands) const {
    test::write_file(folder_.file("do-" + verb), commands + "\n");
  }
  void put_program(const std::string& name, const std::string& text) const {
    write_program(folder_.file("bin/" + name), text);
  }
  ProgramResult run(const std::string& section,
                    const std::string& seconds = "100",
                    const std::string& nodes = "1",
                    std::vector<std::string> before = {}) const {
    before.insert(before.end(),
                  {folder_.file("out/tests/gpu_study"), section, page(), nodes, seconds});
    return test::run_program(before, {"PATH=" + folder_.file("bin") + ":/usr/bin:/bin"});
  }
  std::string read(const std::string& name) const { return test::read_file(folder_.file(name)); }
  std::string file(const std::string& name) const { return folder_.file(name); }
  std::string page() const { return folder_.file("page"); }

 private:
  test::TemporaryFolder folder_;
};

const std::string kAnswer =
    "echo '[\n  {\n    \"name\": \"a\",\n    \"value\": 0.5\n  },\n"
    "  {\n    \"name\": \"b\",\n    \"skipped\": \"no }, { here\"\n  }\n]'";

}  // namespace

TEST_CASE("a section runs its study on its nodes and in its time, then reports it", "[gpu study]") {
  const Section study;
  study.tell("query", kAnswer);

  const ProgramResult result = study.run("links", "100", "2");

  INFO(result.err);
  CHECK(result.exit_code == 0);
  CHECK(study.read("results") == study.page() + "/results\n");
  CHECK_THAT(study.read("calls"),
             Contains("run " + study.page() +
                      "/studies/links.yaml --set limits.max_time=70s\nreport links --html\nquery"));
  CHECK_THAT(study.read("page/studies/links.yaml"), Contains("devices: 2, nodes: 2,"));
  const std::vector<Line> lines = test::parse_lines("links", result.out);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].value == 0.5);
  CHECK(lines[1].skipped == "no }, { here");
  CHECK(lines[2].skipped == "they are on two nodes");

  CHECK(test::parse_lines("links", study.run("links", "61").out).size() == 2);
  CHECK_THAT(study.read("calls"), Contains("limits.max_time=31s"));
  study.run("links", "40");
  CHECK_THAT(study.read("calls"), Contains("limits.max_time=30s"));
  CHECK_THAT(study.read("page/studies/links.yaml"), Contains("devices: 2, nodes: 1,"));
}

TEST_CASE("a study without trials has no lines", "[gpu study]") {
  const Section study;
  study.tell("query", "echo '[]'");

  CHECK(study.run("pipeline").out.empty());
}

TEST_CASE("a study that its time cuts is reported as far as it came", "[gpu study]") {
  const Section study;
  study.tell("run", "exit 130");
  study.tell("report", "exit 2");  // as without any trial
  study.tell("query", kAnswer);

  const ProgramResult cut = study.run("strategies");

  CHECK(cut.exit_code == 75);
  CHECK(test::parse_lines("strategies", cut.out).size() == 2);
  CHECK_THAT(study.read("calls"), Contains("report strategies --html"));
}

TEST_CASE("a section ends as its run does, else as its report or its lines do", "[gpu study]") {
  const Section study;
  study.tell("query", kAnswer);
  study.tell("report", "exit 2");
  CHECK(study.run("pipeline").exit_code == 2);
  study.tell("run", "exit 3");
  const ProgramResult failed = study.run("pipeline");
  CHECK(failed.exit_code == 3);
  CHECK(test::parse_lines("pipeline", failed.out).size() == 2);

  const Section unread;
  unread.tell("query", "exit 4");
  CHECK(unread.run("pipeline").exit_code == 4);
}

TEST_CASE(
    "a study that is stopped has let go of its store when its section ends, and no report "
    "follows",
    "[gpu study]") {
  const Section study;
  study.tell("run", "trap 'sleep 1; touch ended; exit 130' TERM\ntouch begun\nsleep 30 &\nwait");

  const ProgramResult result =
      study.run("links", "100", "1", {"timeout", "--preserve-status", "2"});

  INFO(result.err);
  CHECK(result.exit_code == 75);
  CHECK(std::filesystem::exists(study.file("begun")));
  CHECK(std::filesystem::exists(study.file("ended")));
  CHECK_THAT(study.read("calls"), !Contains("report"));
}

TEST_CASE("collectives are compared where nccl-tests is", "[gpu study]") {
  const Section study;
  CHECK(study.run("collectives").out ==
        "{\"name\": \"the section\", \"skipped\": \"all_reduce_perf of nccl-tests is not in the "
        "PATH\"}\n");
  CHECK(study.read("calls").empty());

  study.put_program("all_reduce_perf", "");
  CHECK(study.run("collectives").exit_code == 0);
  CHECK_THAT(study.read("page/studies/collectives.yaml"),
             Contains("[" + study.file("out/tests/several/run_collective") + ", "));
}

TEST_CASE("PyTorch is compared on one node where it sees two GPUs", "[gpu study]") {
  const Section study;
  const auto reason = [&](const std::string& nodes) {
    const std::vector<Line> lines =
        test::parse_lines("peers", study.run("peers", "100", nodes).out);
    CHECK((lines.empty() || lines[0].name == test::kWholeSection));
    return lines.empty() ? "" : lines[0].skipped;
  };

  study.put_program("python3", "exit 1\n");
  CHECK(reason("1") == "python3 has no torch");
  study.put_program("python3", "case $2 in *device_count*) exit 1 ;; esac\n");
  CHECK(reason("1") == "the torch of python3 sees fewer than two GPUs");
  study.put_program("python3", "");
  CHECK(reason("2") == "PyTorch is compared on one node");
  CHECK(study.read("calls").empty());
  CHECK(reason("1").empty());
  CHECK_THAT(study.read("calls"), Contains("/studies/peers.yaml --set"));
}

TEST_CASE("a trace has as many kernels as each rank recorded, or says why none", "[gpu study]") {
  const Section study;
  const std::string record =
      "mkdir -p page/results/check/strategies/logs/strategies/a\n"
      "echo '[{\"cat\":\"kernel\"},{\"cat\":\"kernel\"}]' "
      ">page/results/check/strategies/logs/strategies/a/trace.rank0.json\n"
      "echo '[]' >page/results/check/strategies/logs/strategies/a/trace.rank1.json\n";
  study.tell("run", record + "exit 3");

  const ProgramResult result = study.run("trace");
  CHECK(result.exit_code == 3);
  CHECK_THAT(study.read("calls"),
             Contains("/studies/strategies.yaml --set limits.max_time=70s --profile --set "
                      "axes.strategy=[ddp]\n") &&
                 !Contains("report"));
  const std::vector<Line> lines = test::parse_lines("trace", result.out);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].name == "kernels of a/trace.rank0.json");
  CHECK(lines[0].value == 2.0);
  CHECK(lines[1].value == 0.0);
  CHECK(lines[1].skipped.empty());

  study.tell("run",
             record + "echo 'trace: no kernels: \"libcupti\" is missing' >&2\necho more >&2");
  const ProgramResult without = study.run("trace");
  CHECK(without.exit_code == 0);
  CHECK_THAT(without.err, Contains("more"));
  CHECK(test::parse_lines("trace", without.out).at(1).skipped == "no kernels: libcupti is missing");
}

TEST_CASE("operations that NCCL told the profiler plugin are counted", "[gpu study]") {
  const Section study;
  const auto operations = [&] {
    return test::parse_lines("settings", study.run("settings").out).at(0).value;
  };

  CHECK(operations() == 0.0);
  study.tell("run",
             "mkdir -p page/results/logs/settings/a\n"
             "printf 'collective a\\nother\\ncollective b\\n' "
             ">page/results/logs/settings/a/nccl-profile.0");
  CHECK(operations() == 2.0);
}

namespace {

// A study of a program that any machine runs in milliseconds, by the real scalestudy; before its
// lines are made, `facts` (SQL) are put into the store.
std::vector<Line> lines_of(const std::string& section,
                           const std::string& more,
                           const std::string& facts = "",
                           const std::string& nodes = "1") {
  const Section study;
  std::filesystem::remove(study.file("out/tests/several"));
  std::filesystem::create_directory(study.file("out/tests/several"));
  // Steps of about 0.1 s, of `fast` 0.05 s; the same loss in all.
  write_program(study.file("step"),
                "case $1 in\n"
                "lacking) echo 'no \"x\", {y}, { here' >&2; exit 77 ;;\n"
                "broken) exit 1 ;;\n"
                "fast) time=05$SCALESTUDY_BLOCK ;;\n"
                "*) time=10$SCALESTUDY_BLOCK ;;\n"
                "esac\n"
                "sample() { echo \"{\\\"v\\\":1,\\\"event\\\":\\\"samples\\\",\\\"metric\\\":"
                "\\\"$1\\\",\\\"unit\\\":\\\"$2\\\",\\\"warmup\\\":0,\\\"values\\\":[$3]}\"; }\n"
                "{ echo '{\"v\":1,\"event\":\"start\",\"workload\":\"step\",\"ranks\":1}'\n"
                "sample step_time_s s 0.$time\nsample loss '' 2.5\n"
                "sample busbw_bytes_per_s bytes/s 0.${time}e12\n"
                "echo '{\"v\":1,\"event\":\"end\",\"ok\":true}'; } >$SCALESTUDY_OUTPUT\n");
  test::write_file(study.file("out/tests/several/" + section + ".yaml"),
                   "version: 1\nstudy: " + section + "\nworkload: command\ncommand: [" +
                       study.file("step") +
                       ", \"{program}\"]\n"
                       "steps: {warmup: 0, measured: rest}\nlimits: {retries: 0}\n"
                       "validity: {calibration: none}\n" +
                       more);
  test::write_file(study.file("facts.sql"), facts);
  write_program(study.file("out/bin/scalestudy"),
                "[ $1 != query ] || sqlite3 $SCALESTUDY_RESULTS/results.db <" +
                    study.file("facts.sql") + "\nexec " SCALESTUDY_TEST_BIN "/scalestudy \"$@\"\n");
  const ProgramResult result = study.run(section, "100", nodes);
  INFO(result.out << result.err);
  CHECK(result.exit_code == (more.find("broken") == std::string::npos ? 0 : 3));
  return test::parse_lines(section, result.out);
}

const Line& line_of(const std::vector<Line>& lines, const std::string& name) {
  const auto found = std::ranges::find(lines, name, &Line::name);
  INFO(name);
  REQUIRE(found != lines.end());
  return *found;
}

bool has(const std::vector<Line>& lines, const std::string& name) {
  return std::ranges::find(lines, name, &Line::name) != lines.end();
}

// Two sessions see the same links.
const std::string kLinks =
    "INSERT INTO session (study_id, started_at, ending, host, tool_version, tool_revision, "
    "study_hash, order_seed, uid) SELECT study_id, started_at, ending, host, tool_version, "
    "tool_revision, study_hash, order_seed, 'another' FROM session;\n"
    "INSERT INTO environment SELECT id, 'gpu_links', 'NVLink: all pairs' FROM session;\n";
const std::string kMetrics = "  metrics: [{metric: loss, better: lower}]\n";

}  // namespace

TEST_CASE("lines are the shares, ratios and intervals of the study in the store", "[gpu study]") {
  const auto lines = lines_of("strategies",
                              "axes: {program: [base, fast, lacking]}\ntrials: {count: 4}\n"
                              "controls: [aa]\nanalysis:\n  baseline: {program: base}\n" +
                                  kMetrics);

  CHECK(line_of(lines, "trials that ended ok").value == 1.0);
  const Line& speedup = line_of(lines, "speedup of program=fast");
  CHECK(speedup.value.value() == Approx(0.1015 / 0.0515).epsilon(0.02));
  CHECK(speedup.lo.value() < speedup.value.value());
  CHECK(speedup.hi.value() > speedup.value.value());
  CHECK(speedup.unit == "ratio");
  CHECK(line_of(lines, "loss of program=fast").value == 1.0);  // always: it has no interval
  CHECK_THAT(line_of(lines, "program=lacking").skipped, Contains("no \"x\", {y}, { here"));
  CHECK(lines.size() == 4);
}

TEST_CASE("ratios over what the machine lacks are no lines, and a failed trial is a share",
          "[gpu study]") {
  const auto lines = lines_of("strategies",
                              "axes: {program: [lacking, fast, broken, base]}\ntrials: {count: 2}\n"
                              "analysis:\n  baseline: {program: lacking}\n" +
                                  kMetrics);

  CHECK(line_of(lines, "trials that ended ok").value.value() == Approx(4.0 / 6.0));
  CHECK(has(lines, "program=lacking"));
  CHECK(lines.size() == 2);
}

TEST_CASE("a ratio without an interval has no value", "[gpu study]") {
  const auto lines = lines_of("strategies",
                              "axes: {program: [base, fast]}\ntrials: {count: 1}\n"
                              "analysis: {baseline: {program: base}}\n");

  CHECK_FALSE(line_of(lines, "speedup of program=fast").value);
}

TEST_CASE("settings are lines by their proofs, not by what they gain", "[gpu study]") {
  const auto lines = lines_of(
      "settings",
      "axes: {program: [base, fast]}\ntrials: {count: 2}\n"
      "analysis: {baseline: {program: base}}\n",
      kLinks +
          "INSERT INTO log (trial_id, stream, path, text) SELECT trial.id, 'event', '', value FROM "
          "trial, json_each('[\"NCCL_ALGO=Ring: applied: AllReduce RING\", \"NCCL_PROTO=LL: "
          "overridden: SIMPLE\", \"NCCL_NTHREADS=256: unconfirmed: no line\", \"NCCLX=1: "
          "applied: x\", \"NCCL_SHM: applied\"]');\n"
          "INSERT INTO log (trial_id, stream, path, text) SELECT id, 'stdout', '', "
          "'NCCL_P2P_LEVEL=5: applied: x' FROM trial;");

  CHECK(line_of(lines, "proof of NCCL_ALGO=Ring: applied: AllReduce RING").value == 1.0);
  CHECK(line_of(lines, "proof of NCCL_PROTO=LL: overridden: SIMPLE").value == 1.0);
  CHECK(line_of(lines, "proof of NCCL_NTHREADS=256: unconfirmed: no line").value == 0.0);
  CHECK(lines.size() == 5);  // each once, the trials, and operations of the plugin
}

TEST_CASE("what joins GPUs, and the largest share of it with its interval, are lines of links",
          "[gpu study]") {
  const auto lines = lines_of(
      "links",
      "axes: {program: [base, fast]}\ntrials: {count: 4}\n",
      "INSERT INTO volume (study_id, cell_id, quantity, unit, calculated, measured, ratio, "
      "formula) SELECT study_id, cell_id, 'link_bytes_per_s', 'bytes/s', 200e9, value, "
      "value / 200e9, 'NVLink x4' FROM estimate WHERE metric = 'busbw_bytes_per_s' AND "
      "statistic = 'mean' AND variant = 'all';\n" +
          kLinks);

  CHECK(line_of(lines, "what joins the GPUs: NVLink: all pairs").value == 1.0);
  const Line& share = line_of(lines, "largest share of its link: program=base");
  CHECK(share.value.value() == Approx(101.5 / 200.0));
  CHECK(share.lo.value() < share.value.value());
  CHECK(share.hi.value() > share.value.value());
  CHECK(share.hi.value() < 0.55);
  CHECK(share.unit == "NVLink x4");
  CHECK(lines.size() == 3);
  const auto nodes =
      lines_of("links", "axes: {program: [base]}\ntrials: {count: 1}\n", kLinks, "2");
  CHECK(nodes.size() == 2);
  CHECK(line_of(nodes, "what joins the GPUs").skipped == "they are on two nodes");
}
