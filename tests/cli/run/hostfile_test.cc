// Trials over nodes that ssh reaches: two names for this machine, and an ssh that starts a shell
// here.
#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::test;
using Catch::Contains;

namespace {

// Of what ssh gives a program of the user's own there is only PATH, as on another machine. The
// preset asan sets ASAN_OPTIONS for all programs.
constexpr const char* kSsh = R"(#!/bin/sh
while [ "${1#-}" != "$1" ]; do shift; done
host=$1
shift
exec env -i PATH="$PATH" HOME="$HOME" FAKE_HOST="$host" ASAN_OPTIONS="$ASAN_OPTIONS" sh -c "$*"
)";

struct Nodes {
  explicit Nodes(const std::string& text) : workspace(text) {
    std::filesystem::create_directories(workspace.file("bin"));
    write_file(workspace.file("bin/ssh"), kSsh);
    std::filesystem::permissions(workspace.file("bin/ssh"), std::filesystem::perms::owner_all);
    write_file(workspace.file("hosts"), "n0 slots=2\nn1 slots=2 # the other\n");
    write_file(workspace.file("machines.yaml"),
               "machines: {two: {hostfile: \"" + workspace.file("hosts") + "\"}}\n");
  }

  ProgramResult run() const {
    return workspace.run({"run", workspace.study(), "--machine", workspace.file("machines.yaml")},
                         {"PATH=" + workspace.file("bin") + ":" + test::search_path()});
  }
  std::string query(const std::string& sql) const {
    return workspace.run({"query", "--format", "csv", sql}).out;
  }

  Workspace workspace;
};

}  // namespace

TEST_CASE("ranks of a hostfile's nodes are one job over both", "[cli]") {
  const Nodes nodes(
      "version: 1\nstudy: demo\nworkload: train\n"
      "parameters: {model: mlp-258k, batch_global: 8}\n"
      "zip: [{nodes: 1, devices: 2}, {nodes: 2, devices: 2}]\n"
      "steps: {warmup: 1, measured: 3}\nvalidity: {calibration: none, foreign_load: 100%}\ntrials: "
      "{count: 1}\n"
      "limits: {timeout: 60s, retries: 2}\n");  // mpirun 4.1.4 itself dies of SIGSEGV now and then

  const ProgramResult run = nodes.run();

  INFO(run.err);
  CHECK(run.exit_code == 0);
  CHECK(nodes.query("SELECT nodes, state, reason, hosts FROM trials WHERE NOT superseded "
                    "ORDER BY nodes") == "nodes,state,reason,hosts\n1,ok,,n0\n2,ok,,\"n0,n1\"\n");
  CHECK(nodes.query("SELECT label, value FROM readings WHERE name = 'node_count' AND "
                    "state = 'ok' ORDER BY value") ==
        "label,value\ndevices=2 nodes=1,1\ndevices=2 nodes=2,2\n");
}

TEST_CASE("without a hostfile two nodes are unsupported, and said to be", "[cli]") {
  const Workspace workspace(
      "version: 1\nstudy: demo\nworkload: train\n"
      "parameters: {model: mlp-258k, batch_global: 8, nodes: 2, devices: 2}\n"
      "steps: {warmup: 1, measured: 3}\nvalidity: {calibration: none, foreign_load: 100%}\ntrials: "
      "{count: 1}\n");

  const ProgramResult run = workspace.run({"run", workspace.study()});

  CHECK(run.exit_code == 3);
  CHECK_THAT(run.err, Contains("nodes is 2, and this run has 1"));
}
