// Commands of ranks with emulated links, and what tc said of these. No process is started.
#include "harness/run/command/interconnect.h"

#include <sstream>

#include "harness/run/command/launch_command.h"
#include "tests/run/launched_cells.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::test;
using Catch::Contains;

namespace {

Cell linked_cell(std::int64_t devices, double mbit_per_s, Parameters more = {}) {
  more["interconnect.bandwidth"] = mbit_per_s;
  return cell_on(devices, std::move(more));
}

LaunchResources with_script() {
  LaunchResources resources = kTwoCores;
  resources.link_script = "/opt/interconnect.sh";
  return resources;
}

// As `tc -s -j qdisc show` of iproute2 6.1 printed it of a link of 1 Gbit/s.
std::string bucket(const std::string& device, std::int64_t bytes_per_s, std::int64_t bytes) {
  return R"({"kind":"tbf","handle":"1:","dev":")" + device +
         R"(","root":true,"refcnt":3,"options":{"rate":)" + std::to_string(bytes_per_s) +
         R"(,"burst":125000,"lat":58000},"bytes":)" + std::to_string(bytes) +
         R"(,"packets":234674,"drops":1,"overlimits":15467,"requeues":0,"backlog":0,"qlen":0})";
}

const std::string kLoopback =
    R"([{"kind":"noqueue","handle":"0:","dev":"lo","root":true,"refcnt":2,"options":{},"bytes":9,)"
    R"("packets":0,"drops":0,"overlimits":0,"requeues":0,"backlog":0,"qlen":0},)";

// Two nodes; the second one's own end has that rate.
std::string told(std::int64_t last_bytes_per_s) {
  constexpr std::int64_t rate = 125'000'000;
  return kLoopback + bucket("port1", rate, 7) + "," + bucket("port2", rate, 8) + "]\n" +  //
         kLoopback + bucket("eth0", rate, 349'341'018) + "]\n" +                          //
         kLoopback + bucket("eth0", last_bytes_per_s, 349'340'973) + "]\n";
}

constexpr EmulatedLinks kGigabit{
    .nodes = 2, .ranks_per_node = 1, .bits_per_s = 1'000'000'000, .delay_us = 0};

double reading(const FoundLinks& found, const std::string& name) {
  for (const TelemetryRow& row : found.telemetry) {
    if (row.name == name) {
      return row.value;
    }
  }
  FAIL("no " << name);
  return 0.0;
}

FoundLinks find(const std::string& text, const EmulatedLinks& links) {
  std::istringstream lines(text);
  return find_links(lines, links);
}

constexpr const char* kState = "setting.interconnect.bandwidth";

}  // namespace

TEST_CASE("each rank with links is a node, bound by its cores, which MPI reaches by TCP alone",
          "[run]") {
  const LaunchCommand command =
      launch_command(train_study(), linked_cell(2, 1000.0), with_script());

  CHECK(command.argv == Words{"sh",
                              "/opt/interconnect.sh",
                              "2",
                              "1000000000",
                              "125000",  // bytes of a millisecond
                              "0",
                              "1",
                              "mpirun",
                              "-n",
                              "2",
                              "--host",
                              "10.0.0.1:1,10.0.0.2:1",
                              "--map-by",
                              "ppr:1:node",
                              "--bind-to",
                              "none",
                              "/opt/train"});
  CHECK(command.environment.at("OMPI_MCA_btl") == "self,tcp");
  CHECK(command.environment.at("OMPI_MCA_btl_tcp_if_include") == "10.0.0.0/16");
  CHECK(command.environment.at("OMPI_ALLOW_RUN_AS_ROOT") == "1");
  CHECK_FALSE(command.environment.contains("OMPI_MCA_plm_rsh_agent"));  // the script's to say
  CHECK(command.cores_per_rank == 1);
  CHECK(command.links->nodes == 2);
  CHECK_FALSE(command.is_elsewhere);
  CHECK_FALSE(command.oversubscribed);
  CHECK(command.unsupported.empty());
}

TEST_CASE("ranks of a virtual node share it, its memory and its cores", "[run]") {
  LaunchResources resources = with_script();
  resources.cores = 8;
  const Parameters nodes = {{"allreduce", "hierarchical"},
                            {"virtual_node_ranks", std::int64_t{2}},
                            {"interconnect.delay", 0.05}};

  const LaunchCommand command =
      launch_command(train_study(), linked_cell(4, 100.0, nodes), resources);

  CHECK(Words(command.argv.begin() + 2, command.argv.begin() + 7) ==
        Words{"2", "100000000", "16000", "50", "2"});
  CHECK(command.argv.at(11) == "10.0.0.1:2,10.0.0.2:2");
  CHECK(command.argv.at(13) == "ppr:2:node");
  CHECK(command.environment.at("OMPI_MCA_btl") == "self,vader,tcp");
}

// 50 ms of the rate, a megabyte and a burst are 0.06 s of a gigabit, and 8.2 s of a megabit.
TEST_CASE("a launcher asks over links that are to fail, as often as they let it", "[run]") {
  const auto variable = [](double mbit, const std::string& failure, const std::string& name) {
    const Parameters more = {{"failure", failure}, {"failure_step", std::int64_t{5}}};
    const auto environment =
        launch_command(train_study(), linked_cell(2, mbit, more), with_script()).environment;
    const auto found = environment.find("OMPI_MCA_oob_tcp_keepalive_" + name);
    return found == environment.end() ? "" : found->second;
  };

  CHECK(variable(1000.0, "link_down", "time") == "1");
  CHECK(variable(1000.0, "link_down", "intvl") == "1");
  CHECK(variable(1000.0, "link_down", "probes") == "3");
  CHECK(variable(1.0, "link_down", "time") == "9");
  CHECK(variable(1000.0, "kill_rank", "time").empty());
}

TEST_CASE("more linked ranks than cores share all of them", "[run]") {
  const LaunchCommand command = launch_command(train_study(), linked_cell(4, 100.0), with_script());

  CHECK(command.oversubscribed);
  CHECK(command.argv.at(6) == "0");
  CHECK(std::ranges::count(command.argv, "--oversubscribe") == 1);
}

TEST_CASE("a rank alone and cells without bandwidth have no links", "[run]") {
  for (const Cell& cell : {linked_cell(1, 1000.0), linked_cell(2, 0.0), cell_on(2)}) {
    const LaunchCommand command = launch_command(train_study(), cell, with_script());
    CHECK_FALSE(command.links);
    CHECK(command.argv.front() == "mpirun");
  }
}

TEST_CASE("the workload is not told of links", "[run]") {
  const Parameters parameters = trial_parameters(train_study(), linked_cell(2, 1000.0));

  CHECK_FALSE(parameters.contains("interconnect.bandwidth"));
  CHECK(parameters.contains("devices"));
}

TEST_CASE("links are of one machine: a hostfile or a Slurm job is unsupported", "[run]") {
  LaunchResources resources = with_script();
  resources.nodes.hosts = {"n0"};
  resources.nodes.hostfile = "hosts";
  CHECK_THAT(launch_command(train_study(), linked_cell(2, 1000.0), resources).unsupported,
             Contains("one machine alone"));
  resources.nodes.hostfile.clear();
  resources.nodes.is_slurm_job = true;
  CHECK_THAT(launch_command(train_study(), linked_cell(2, 1000.0), resources).unsupported,
             Contains("one machine alone"));
}

TEST_CASE("a burst is a millisecond of the rate within its limits", "[run]") {
  EmulatedLinks links = kGigabit;
  CHECK(burst_bytes(links) == 125'000);
  links.bits_per_s = 10'000'000;
  CHECK(burst_bytes(links) == 16'000);
  links.bits_per_s = 10'000'000'000;
  CHECK(burst_bytes(links) == 131'072);
}

TEST_CASE("links whose both ends have the rate were applied, and their bytes are added", "[run]") {
  const FoundLinks found = find(told(125'000'000), kGigabit);

  CHECK(reading(found, kState) == 1.0);
  CHECK(reading(found, "link_sent_bytes") == 349'341'018.0 + 349'340'973.0);
  CHECK(reading(found, "link_dropped_packets") == 4.0);  // one of each end
  CHECK(found.text ==
        "interconnect.bandwidth 125000000 bytes/s: applied (tc, of both ends of 2 links: "
        "125000000); sent 698681991 bytes");
}

TEST_CASE("a link of another rate was overridden, one without a bucket not seen", "[run]") {
  const FoundLinks faster = find(told(1'250'000'000), kGigabit);
  CHECK(reading(faster, kState) == 0.0);
  CHECK_THAT(faster.text, Contains("overridden") && Contains("125000000, 1250000000"));

  const std::string text = told(125'000'000);
  const std::string without = text.substr(0, text.rfind(kLoopback)) +
                              R"([{"kind":"noqueue","dev":"eth0","options":{},"bytes":5}])" + "\n";
  CHECK(reading(find(without, kGigabit), kState) == -1.0);
  CHECK_THAT(find(without, kGigabit).text, Contains("not seen") && Contains("none"));
  std::string one_way = text;
  one_way.replace(one_way.find("port2"), 5, "port9");  // of what the bridge sends to a node
  CHECK(reading(find(one_way, kGigabit), kState) == -1.0);
  // Nothing was told at all: the trial ended before, or wrote something else there.
  const std::string deep = std::string(200'000, '[') + std::string(200'000, ']');
  for (const std::string& other : {std::string(),
                                   std::string("null\n7\n\"x\"\n"),
                                   std::string("[{\"dev\": 5}, 3]\n"),
                                   std::string("[{\"dev\"\n"),
                                   deep + "\n",
                                   "[{\"dev\": " + deep + "}]\n" + text,
                                   std::string(std::size_t{2} << 20U, ' ') + text}) {
    CAPTURE(other.substr(0, 50));
    CHECK(reading(find(other, kGigabit), kState) == -1.0);
  }
}

// The shape of netem's options: iproute2, tc/q_netem.c; no kernel of a test need have it.
TEST_CASE("a delay is looked for beside the rate, at each node's own end", "[run]") {
  EmulatedLinks links = kGigabit;
  links.delay_us = 1500;
  std::string text = told(125'000'000);
  CHECK(reading(find(text, links), "setting.interconnect.delay") == -1.0);

  for (std::size_t at = text.find("\"eth0\""); at != std::string::npos;
       at = text.find("\"eth0\"", at + 200)) {
    const std::size_t line_end = text.find("]\n", at);
    text.insert(
        line_end,
        R"(,{"kind":"netem","handle":"2:","dev":"eth0","parent":"1:1","options":)"
        R"({"limit":100000,"delay":{"delay":0.0015,"jitter":0,"correlation":0}},"bytes":1})");
  }
  const FoundLinks found = find(text, links);
  CHECK(reading(found, "setting.interconnect.delay") == 1.0);
  CHECK(reading(found, kState) == 1.0);
  CHECK(reading(found, "link_sent_bytes") == 349'341'018.0 + 349'340'973.0);
  links.delay_us = 2000;
  CHECK(reading(find(text, links), "setting.interconnect.delay") == 0.0);
}
