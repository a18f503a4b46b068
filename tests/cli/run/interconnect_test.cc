// Studies of ranks with emulated links, as they run: the declared rate is found again, and nothing
// stays on the machine. Skipped, with the reason, where no network namespaces can be made.
#include <cctype>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <thread>

#include "harness/base/read_environment.h"
#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

using Catch::Contains;
using namespace scalestudy;
using test::ProgramResult;
using test::query_row;
using test::Workspace;

namespace {

// All-reduces whose messages are more than ten times what a bucket may send at once (16 kB). With
// btl_tcp_flags send Open MPI exchanges both directions at the same time.
std::string study_of_links(const std::string& rate, const std::string& more) {
  return "version: 1\n"
         "study: links\n"
         "title: Is the rate of a link found again?\n"
         "workload: collective\n"
         "parameters: {interconnect.bandwidth: " +
         rate + ", env.OMPI_MCA_btl_tcp_flags: send, operations_per_step: 1, " + more +
         "}\n"
         "axes: {message_bytes: [192KiB, 768KiB, 1536KiB]}\n"
         "steps: {warmup: 1, measured: 8}\n"
         "trials: {count: 2}\n"
         "validity: {calibration: none, foreign_load: 100%}\n"
         "limits: {timeout: 60s, silence: 60s, retries: 0}\n"
         "analysis: {laws: [alpha_beta]}\n";
}

// The shortest of all trials. Other programs make steps longer, never shorter: the link shows on
// busy cores, too.
double best_step_s(const Workspace& workspace, int kib) {
  return std::stod(query_row(
      workspace,
      "SELECT min(samples.value) FROM samples JOIN trials USING (trial) WHERE "
      "metric = 'step_time_s' AND NOT is_warmup AND rank IS NULL AND axes ->> 'message_bytes' = " +
          std::to_string(1024 * kib)));
}

void run_or_skip(const Workspace& workspace,
                 const std::vector<std::string>& options = {},
                 const std::vector<std::string>& environment = {}) {
  std::vector<std::string> arguments = {"run", workspace.study()};
  arguments.insert(arguments.end(), options.begin(), options.end());
  const ProgramResult result = workspace.run(arguments, environment);
  const std::string reason =
      query_row(workspace, "SELECT reason FROM trials WHERE state = 'unsupported' LIMIT 1");
  if (!reason.empty()) {
    test::skip(reason);
  }
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
}

// Processes, whoever is their parent, that were started with the workspace's folder in some
// variable.
// - name: what their names begin with, as far as the kernel keeps them (15 bytes).
int processes_of(const Workspace& workspace, const std::string& name = "") {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const auto process =  // 0: none
        static_cast<int>(std::strtol(entry.path().filename().c_str(), nullptr, 10));
    count +=
        process > 0 &&
                read_environment(process).find(workspace.results() + "/") != std::string::npos &&
                test::read_file(entry.path() / "comm").starts_with(name)
            ? 1
            : 0;
  }
  return count;
}

std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> children;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::string name = entry.path().filename();
    // "pid (name) state parent ..."
    const std::string stat = test::read_file(entry.path() / "stat");
    std::istringstream rest(stat.substr(stat.rfind(')') + 1));
    std::string state;
    pid_t its_parent = 0;
    if (std::isdigit(static_cast<unsigned char>(name.front())) != 0 &&
        rest >> state >> its_parent && its_parent == parent) {
      children.push_back(std::stoi(name));
    }
  }
  return children;
}

}  // namespace

// Of a frame of 1514 bytes, which is what the bucket counts, 14 are Ethernet's, 20 IP's and 32
// TCP's with its time stamps: 1448 bytes of a message. An all-reduce of 2 ranks sends 2 (N - 1)/N =
// 1 of its bytes each way, so that 100 Mbit/s are 12.5 MB/s x 1448/1514 = 11.955 MB/s of message,
// of which the bucket lets 16 kB pass at once. What else runs here makes steps longer.
TEST_CASE("no message is faster than a link's rate less headers", "[cli][mpi][slow]") {
  const Workspace workspace(study_of_links("100Mbit", "devices: 2"));
  run_or_skip(workspace);
  REQUIRE(workspace.run({"report", "links"}).exit_code == 0);

  for (const int kib : {192, 768, 1536}) {
    CHECK(best_step_s(workspace, kib) > (1024 * kib - 32'000) / 11.955e6);
  }
  CHECK(query_row(
            workspace,
            "SELECT DISTINCT value FROM readings WHERE name = 'setting.interconnect.bandwidth'") ==
        "1\n");
  // 9 operations of each of two nodes; what else goes over the links is little beside it.
  CHECK(query_row(workspace,
                  "SELECT count(*) = 6 AND min(sent) > 1 AND max(sent) < 1.1 FROM (SELECT "
                  "readings.value/(2 * 9 * (axes ->> 'message_bytes') * 1514.0/1448) AS sent FROM "
                  "readings JOIN trials USING (trial) WHERE name = 'link_sent_bytes')") == "1\n");
  for (const std::string view : {"metrics", "laws"}) {
    CHECK(query_row(workspace, "SELECT DISTINCT provenance FROM " + view) == "emulated\n");
  }
  const std::string report = test::read_pages(workspace.results() + "/reports/links/report.md");
  CHECK_THAT(report.substr(0, report.find('\n')), Contains("(emulated, not measured)"));
  CHECK_THAT(report, Contains("joined by links of a declared rate"));
  CHECK(processes_of(workspace) == 0);
}

TEST_CASE("a ring of three ranks sends 4/3 of its bytes over each link", "[cli][mpi][slow]") {
  const Workspace workspace(
      study_of_links("20Mbit",
                     "devices: 3, env.OMPI_MCA_coll_tuned_use_dynamic_rules: 1, "
                     "env.OMPI_MCA_coll_tuned_allreduce_algorithm: 4"));
  run_or_skip(workspace, {"--set", "axes.message_bytes=[768KiB]", "--set", "trials.count=1"});

  const double bytes = 768 * 1024 * 4.0 / 3;
  const std::string sent =
      query_row(workspace, "SELECT value FROM readings WHERE name = 'link_sent_bytes'");
  CHECK(std::stod(sent) / (3 * 9) == Approx(bytes * 1514 / 1448).epsilon(0.05));
  // How near it comes is TCP's matter: what a node acknowledges to the left waits behind what it
  // sends to the right.
  CHECK(bytes / best_step_s(workspace, 768) < 1.1 * 2.391e6);
}

// S = 4 x 258,432 bytes of gradients over two nodes of two ranks. A node's link carries 2 x 3/4 S
// of a ring and 2 x 2/4 S of halves that are summed within nodes first, by Open MPI's Rabenseifner
// or by nodes; of recursive doubling S of each of its ranks. At 11.955 MB/s (above) S takes 86.5
// ms.
TEST_CASE("by nodes links carry two thirds of what a ring sends over them, and take their time",
          "[cli][mpi][slow]") {
  const Workspace workspace(
      test::read_file(SCALESTUDY_SOURCE_DIR "/studies/hierarchical-allreduce.yaml"));
  run_or_skip(workspace,
              {"--set",
               "axes.interconnect.bandwidth=[100Mbit]",
               "--set",
               "trials.count=1",
               "--set",
               "validity={calibration: none, foreign_load: 100%}"});

  const auto value = [&](const std::string& of, const std::string& cell) {
    return std::stod(query_row(
        workspace,
        "SELECT min(value) FROM " + of +
            " JOIN trials USING (trial) WHERE trials.state = 'ok' AND axes LIKE '%" + cell + "%'"));
  };
  const double bytes = 4.0 * 258'432;
  const auto sent = [&](const std::string& cell) {
    return value("(SELECT * FROM readings WHERE name = 'link_sent_bytes')", cell) /
           (2 * 13 * bytes * 1514 / 1448);
  };
  CHECK(sent("flat%ring") == Approx(1.5).epsilon(0.05));
  CHECK(sent("flat%recursive_doubling") == Approx(2.0).epsilon(0.05));
  CHECK(sent("flat%rabenseifner") == Approx(1.0).epsilon(0.05));
  CHECK(sent("hierarchical") == Approx(1.0).epsilon(0.05));

  const std::string shortest =
      "(SELECT * FROM samples WHERE metric = 'exposed_communication_time_s' AND rank IS NULL AND "
      "NOT is_warmup)";
  CHECK(value(shortest, "hierarchical") > 0.95 * bytes / 11.955e6);
  CHECK(value(shortest, "flat%ring") > 0.95 * 1.5 * bytes / 11.955e6);
}

// The bucket at the bridge's end stays, so that step times do not tell.
TEST_CASE("a link that lost its bucket is not seen, and its cell has no verdict",
          "[cli][mpi][slow]") {
  const Workspace workspace(
      study_of_links("100Mbit", "devices: 2") +
      "sides:\n"
      "  - {name: as_asked}\n"
      "  - {name: open, prefix: [sh, -c, 'tc qdisc del dev eth0 root; exec \"$@\"', sh]}\n");
  run_or_skip(workspace,
              {"--set",
               "axes.message_bytes=[192KiB]",
               "--set",
               "trials.count=3",
               "--set",
               "analysis.baseline={side: as_asked}"});

  CHECK(query_row(
            workspace,
            "SELECT group_concat(DISTINCT label || ' ' || value) FROM (SELECT axes ->> 'side' AS "
            "label, value FROM readings JOIN trials USING (trial) WHERE name = "
            "'setting.interconnect.bandwidth' ORDER BY value)") == "\"open -1.0,as_asked 1.0\"\n");
  CHECK(query_row(workspace, "SELECT verdict FROM comparisons") ==
        "no performance claim (setting not applied)\n");
}

TEST_CASE("a delay is that of a message, or unsupported where the kernel has none", "[cli][mpi]") {
  const Workspace workspace(
      study_of_links("100Mbit", "devices: 2, mode: isolated, interconnect.delay: 20ms"));
  const ProgramResult result = workspace.run({"run",
                                              workspace.study(),
                                              "--set",
                                              "axes.message_bytes=[4, 1024]",
                                              "--set",
                                              "trials.count=1"});
  const std::string states = query_row(workspace, "SELECT DISTINCT state FROM trials");
  if (states == "ok\n") {
    const std::string best = query_row(
        workspace, "SELECT min(value) FROM samples WHERE metric = 'step_time_s' AND NOT is_warmup");
    CHECK(std::stod(best) >= 0.0199);
    CHECK(query_row(
              workspace,
              "SELECT DISTINCT value FROM readings WHERE name = 'setting.interconnect.delay'") ==
          "1\n");
    return;
  }
  INFO(result.err);
  CHECK(states == "unsupported\n");
  CHECK_THAT(query_row(workspace, "SELECT DISTINCT reason FROM trials LIMIT 1"),
             Contains("links cannot be emulated: "));
}

// Saved behind step 12; the launcher asks a second after it has heard nothing, and three times
// more.
TEST_CASE("a link that ends is found out, and ranks go on from their checkpoint", "[cli][mpi]") {
  const Workspace workspace(
      "version: 1\n"
      "study: cut\n"
      "workload: train\n"
      "parameters: {model: lstm-332k, model.width: 16, model.sequence: 4, batch_per_device: 4, "
      "devices: 2, interconnect.bandwidth: 100Mbit, save_every: 4, failure_step: 14, "
      "failure_rank: 1}\n"
      "axes: {failure: [none, link_down]}\n"
      "steps: {warmup: 2, measured: 20}\n"
      "trials: {count: 1}\n"
      "validity: {calibration: none, foreign_load: 100%}\n"
      "limits: {timeout: 60s, silence: 60s, retries: 0}\n");
  run_or_skip(workspace);

  CHECK(query_row(workspace, "SELECT DISTINCT state FROM trials") == "ok\n");
  const auto value = [&](const std::string& metric) {
    return std::stod(
        query_row(workspace, "SELECT value FROM samples WHERE metric = '" + metric + "' LIMIT 1"));
  };
  CHECK(value("lost_steps") == 2.0);
  CHECK(value("failure_detection_time_s") > 2.0);
  CHECK(value("recovery_time_s") > 0.0);
  CHECK(query_row(
            workspace,
            "SELECT count(*), max(different) FROM (SELECT count(DISTINCT value) > 1 AS different "
            "FROM samples WHERE metric = 'loss' GROUP BY step)") == "22,0\n");
  CHECK(processes_of(workspace) == 0);
}

// Programs of these names, found first, that refuse as util-linux and iproute2 do.
TEST_CASE("without namespaces or token buckets links are unsupported, with the reason",
          "[cli][mpi]") {
  const auto [program, words, reason] = GENERATE(table<std::string, std::string, std::string>(
      {{"unshare",
        "unshare: unshare failed: Operation not permitted",
        "links cannot be emulated: network namespaces need root, or user namespaces: unshare: "
        "unshare failed: Operation not permitted"},
       {"tc",
        "Error: Specified qdisc kind is unknown.",
        "links cannot be emulated: interconnect.bandwidth (modprobe sch_tbf): Error: Specified "
        "qdisc kind is unknown."}}));
  CAPTURE(program);
  const bool has_namespaces =
      test::run_program({"unshare", "--user", "--map-root-user", "--net", "true"}).exit_code == 0;
  if (program == "tc" && !has_namespaces) {
    return;  // the other reason is told
  }
  const Workspace workspace(study_of_links("100Mbit", "devices: 2"));
  std::filesystem::create_directories(workspace.file("bin"));
  test::write_file(workspace.file("bin/" + program),
                   "#!/bin/sh\necho '" + words + "' >&2\nexit 1\n");
  std::filesystem::permissions(workspace.file("bin/" + program), std::filesystem::perms::owner_all);

  const std::string path = test::search_path();

  const ProgramResult result =
      workspace.run({"run", workspace.study(), "--set", "axes.message_bytes=[192KiB]"},
                    {"PATH=" + workspace.file("bin") + ":" + path});

  INFO(result.err);
  CHECK(result.exit_code == 3);
  CHECK(query_row(workspace, "SELECT DISTINCT state FROM trials") == "unsupported\n");
  CHECK_THAT(query_row(workspace, "SELECT reason FROM trials LIMIT 1"), Contains(reason));
}

// As in a container without these packages.
TEST_CASE("a program that links need and is not there is named with its package", "[cli]") {
  const Workspace workspace;
  const std::string script = SCALESTUDY_SOURCE_DIR "/data/interconnect.sh";

  const ProgramResult result = test::run_program({"/bin/sh", script, "2", "1e8", "16000", "0", "0"},
                                                 {"PATH=" + workspace.file("empty")});

  CHECK(result.exit_code == 77);
  CHECK_THAT(result.err, Contains(" is not found; install "));
}

// Of cores with two threads each, only second ones are allowed, or one core's both.
TEST_CASE("a node of links has cores by whichever of their threads is allowed", "[cli]") {
  const Workspace machine;
  for (const auto& [cpu, siblings] : std::map<int, std::string>{
           {0, "0,2"}, {1, "1,3"}, {2, "0,2"}, {3, "1,3"}, {4, "4-5"}, {5, "4-5"}}) {
    const std::filesystem::path folder =
        machine.file("devices/system/cpu/cpu" + std::to_string(cpu) + "/topology");
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "thread_siblings_list") << siblings << "\n";
  }
  const auto cores_of = [&](int node, int cores, const std::string& allowed) {
    return test::run_program({"sh",
                              SCALESTUDY_SOURCE_DIR "/data/interconnect.sh",
                              "--cores",
                              std::to_string(node),
                              std::to_string(cores),
                              allowed,
                              machine.file("")})
        .out;
  };

  CHECK(cores_of(1, 1, "2,3") == "2\n");
  CHECK(cores_of(2, 1, "2-3") == "3\n");
  CHECK(cores_of(2, 1, "0-3") == "1\n");
  CHECK(cores_of(1, 2, "1-5") == "1,2\n");
  CHECK(cores_of(3, 1, "1-5") == "4\n");
}

TEST_CASE("a killed run leaves no namespace, and two at once do not meet", "[cli][mpi][slow]") {
  const std::vector<std::string> one_cell = {"--set", "axes.message_bytes=[192KiB]"};
  const Workspace other(study_of_links("100Mbit", "devices: 2"));
  run_or_skip(other, one_cell);
  const Workspace killed(study_of_links("1Mbit", "devices: 2"));
  std::vector<std::string> arguments = {"run", killed.study()};
  arguments.insert(arguments.end(), one_cell.begin(), one_cell.end());
  std::vector<std::string> first = arguments;  // in its first trial until it is killed: 48 s
  first.insert(first.end(), {"--set", "steps.measured=60"});
  const pid_t harness =
      test::start_program(killed.argv(first), {}, "/dev/null", "/dev/null", "/dev/null");
  const auto ranks = [&] { return processes_of(killed, "scalestudy-coll"); };
  for (int i = 0; i < 600 && ranks() < 2; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  REQUIRE(ranks() == 2);
  run_or_skip(other,
              {"--set", "axes.message_bytes=[192KiB]", "--set", "trials.count=4"},
              {"SCALESTUDY_LOCKS=" + other.file("locks")});

  const std::vector<pid_t> supervisors = children_of(harness);
  kill(harness, SIGKILL);
  for (const pid_t supervisor : supervisors) {  // nobody is left to end the trial
    kill(supervisor, SIGKILL);
  }
  test::wait_for(harness);
  arguments.insert(arguments.end(),
                   {"--accept-changes",
                    "--set",
                    "trials.count=1",
                    "--set",
                    "parameters.interconnect.bandwidth=100Mbit"});
  // Whatever of it has not found out by itself that its readers are gone is ended here.
  const ProgramResult next = killed.run(arguments);

  INFO(next.err);
  CHECK(next.exit_code == 0);
  CHECK(processes_of(killed) == 0);
}
