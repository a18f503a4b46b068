// Projections as a user meets them: a program that follows a ring's law with noise, on emulated
// counts of devices. It waits for nothing: its times are printed, not measured, and devices are
// names of a hostfile.
#include <filesystem>

#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

using namespace scalestudy;
using namespace scalestudy::test;
using Catch::Contains;

namespace {

// 20 ms and a ring of 50 us a hop and 4 ms for the gradients, each trial off by about 0.05 %: of
// four counts Gustafson's law is 0.8 % off by itself, and nearer by chance where trials scatter
// more.
constexpr const char* kProgram = R"(#!/bin/sh
LC_ALL=C awk -v n="$1" -v seed="$SCALESTUDY_TRIAL" 'BEGIN {
  srand(seed); off = 0; for (k = 0; k < 12; k++) off += rand()
  ms = (20 + 2 * (n - 1) * 0.05 + 2 * (n - 1) / n * 4) * (1 + 0.0005 * (off - 6))
  for (i = 0; i < 6; i++) printf "step %d: %.9f ms\n", i, ms }'
)";

std::string ring_study(const std::string& program, const std::string& counts) {
  return "version: 1\nstudy: demo\nworkload: command\n"
         "command: [" +
         program +
         ", \"{devices}\"]\n"
         "extract: [{metric: step_time_s, unit: ms, regex: 'step \\d+: (\\S+) ms'}]\n"
         "parameters: {batch_per_device: 32}\n"
         "zip: [" +
         counts +
         "]\n"
         "steps: {warmup: 1, measured: 5}\ntrials: {count: 5}\n"
         "limits: {timeout: 20s, retries: 0}\nvalidity: {calibration: none, foreign_load: 100%}\n"
         "analysis:\n  laws: [gustafson]\n  projection: {to: [16, 32, 128]}\n";
}

const std::string kFour =
    "{devices: 1, nodes: 1}, {devices: 2, nodes: 1}, {devices: 4, nodes: 4}, "
    "{devices: 8, nodes: 8}";

struct Cluster {
  Cluster() : workspace("") {
    write_file(workspace.file("ring.sh"), kProgram);
    std::filesystem::permissions(workspace.file("ring.sh"), std::filesystem::perms::owner_all);
    std::string hosts;
    for (int node = 0; node < 16; ++node) {
      hosts += "n" + std::to_string(node) + " slots=2\n";
    }
    write_file(workspace.file("hosts"), hosts);
    write_file(workspace.file("machines.yaml"),
               "machines: {many: {hostfile: \"" + workspace.file("hosts") + "\"}}\n");
  }

  // Runs the study with these counts, and makes its report.
  void measure(const std::string& counts) const {
    write_file(workspace.study(), ring_study(workspace.file("ring.sh"), counts));
    const ProgramResult run = workspace.run({"run",
                                             workspace.study(),
                                             "--machine",
                                             workspace.file("machines.yaml"),
                                             "--accept-changes"});
    INFO(run.err);
    REQUIRE(run.exit_code == 0);
    const ProgramResult report = workspace.run({"report", "demo"});
    INFO(report.err);
    REQUIRE(report.exit_code == 0);
  }
  std::string query(const std::string& sql) const {
    return workspace.run({"query", "--format", "csv", sql}).out;
  }
  std::string report() const { return read_pages(workspace.results() + "/reports/demo/report.md"); }

  Workspace workspace;
};

}  // namespace

TEST_CASE("a projection fitted to half of the devices is scored by those measured later", "[cli]") {
  skip_on_one_core();
  const Cluster cluster;
  cluster.measure(kFour);

  CHECK(cluster.query("SELECT devices, status, step_time_s IS NULL AS none, made_at <> '' AS dated "
                      "FROM projections ORDER BY devices") ==
        "devices,status,none,dated\n16,ok,0,1\n32,extrapolated,1,1\n128,extrapolated,1,1\n");
  // By hand: 20 + 30 x 0.05 + 30/16 x 4 = 29.0 ms.
  CHECK(cluster.query("SELECT abs(step_time_s/0.029 - 1) < 0.05 AS near, step_time_s_lo < "
                      "step_time_s AND step_time_s < step_time_s_hi AS inside, held_out_error < "
                      "rival_error AS better FROM projections WHERE devices = 16") ==
        "near,inside,better\n1,1,1\n");
  CHECK_THAT(cluster.report(),
             Contains("## Projection") && Contains("◇ 16") &&
                 Contains("8 held out of the fit; projected, not measured: ") &&
                 Contains("](figures/projection.svg)"));
  CHECK_THAT(cluster.report(),
             Contains("No law may be chosen: 4 distinct device counts, 5 needed"));
  const std::string projected =
      cluster.query("SELECT step_time_s, made_at FROM projections WHERE devices = 16");

  cluster.measure(kFour + ", {devices: 16, nodes: 16}");

  CHECK(cluster.query("SELECT step_time_s, made_at FROM projections WHERE devices = 16") ==
        projected);
  CHECK(cluster.query("SELECT measured_s IS NOT NULL AS measured, abs(measured_s/0.029 - 1) < 0.02 "
                      "AS near, abs(step_time_s/measured_s - 1 - error) < 1e-12 AS scored "
                      "FROM projections WHERE devices = 16") == "measured,near,scored\n1,1,1\n");
  CHECK_THAT(cluster.report(), Contains("Measured since"));

  const std::string scored =
      "SELECT step_time_s, made_at, measured_s, error FROM projections WHERE devices = 16";
  const std::string exported = cluster.workspace.file("exported");
  REQUIRE(cluster.workspace.run({"export", "demo", exported}).exit_code == 0);
  const Workspace other("");
  REQUIRE(other.run({"import", exported}).exit_code == 0);
  CHECK(other.run({"query", "--format", "csv", scored}).out == cluster.query(scored));

  // What a job projects from its part of a plan is no projection of the study.
  const Workspace gathered("");
  std::filesystem::create_directories(gathered.results() + "/jobs/demo");
  std::filesystem::copy(cluster.workspace.results(),
                        gathered.results() + "/jobs/demo/job1",
                        std::filesystem::copy_options::recursive);
  REQUIRE(gathered.run({"submit", cluster.workspace.study(), "--gather"}).exit_code == 0);
  CHECK(gathered.run({"query", "--format", "csv", scored}).out ==
        "step_time_s,made_at,measured_s,error\n");
}

TEST_CASE("of one and two devices nothing is projected", "[cli]") {
  const Cluster cluster;
  cluster.measure("{devices: 1, nodes: 1}, {devices: 2, nodes: 2}");

  CHECK(cluster.query("SELECT devices, step_time_s, throughput, status FROM projections") ==
        "devices,step_time_s,throughput,status\n16,,,refused\n32,,,refused\n128,,,refused\n");
  CHECK_THAT(
      cluster.report(),
      Contains("16, 32 and 128 devices: refused, because there are 2 distinct device counts, 1 of "
               "them held out"));
}
