// What pairs of devices could send by their links, beside what they sent.
#include "harness/analysis/estimates/link_rates.h"

#include "tests/analysis/by_hand.h"
#include "tests/support/catch.h"

using namespace scalestudy;

namespace {

using Facts = std::map<std::string, std::string>;

const Facts kTwoKinds = {
    {"gpu_model", "4 x Fake GPU"},
    {"gpu_link_rates",
     "NVLink x4, 100 GB/s by NVML's speed of each link: 0-1, 2-3; PCIe 4.0 x16, 32 GB/s by its "
     "specification: 0-2, 0-3, 1-2, 1-3"}};
const Facts kOneKind = {
    {"gpu_model", "2 x Fake GPU, 2 x Other GPU"},
    {"gpu_link_rates", "PCIe 4.0 x16, 32 GB/s by its specification: all pairs"}};

CellObservation ping_pong(const std::string& pair) {
  CellRow row;
  row.id = 7;
  row.devices = 4;
  row.parameters = {{"operation", "ping_pong", ValueKind::kText, false},
                    {"backend", "cuda", ValueKind::kText, false},
                    {"pair", pair, ValueKind::kText, true}};
  return test::observe_cell(row, {1.0, 1.0});
}

// The rows of one cell that sent 8 GB/s.
std::vector<VolumeRow> volumes(CellObservation cell, const Facts& gpus, const Study& study = {}) {
  EstimateRow bandwidth;
  bandwidth.cell_id = cell.row.id;
  bandwidth.metric = "busbw_bytes_per_s";
  bandwidth.value = 8e9;
  EstimateRow other = bandwidth;
  other.statistic = Statistic::kP50;
  other.value = 1.0;
  return link_volumes(
      test::make_observation({std::move(cell)}, Scaling::kNone), study, {other, bandwidth}, gpus);
}

std::string formula(const std::vector<VolumeRow>& rows) {
  return rows.empty() ? "not known" : rows.at(0).formula;
}

void set(CellObservation& cell,
         const std::string& name,
         const std::string& value,
         ValueKind kind = ValueKind::kText) {
  cell.row.parameters.push_back({name, value, kind, true});
}

}  // namespace

TEST_CASE("a pair's bandwidth stands beside what its link could carry", "[analysis]") {
  const auto rows = volumes(ping_pong("0-2"), kTwoKinds);

  REQUIRE(rows.size() == 1);
  CHECK(rows[0].cell_id == 7);
  CHECK(rows[0].quantity == "link_bytes_per_s");
  CHECK(rows[0].calculated == Approx(32e9));
  CHECK(rows[0].measured == Approx(8e9));
  CHECK(rows[0].ratio == Approx(0.25));  // 8/32
  CHECK(rows[0].formula == "PCIe 4.0 x16, 32 GB/s by its specification");
  CHECK(formula(volumes(ping_pong("2-3"), kTwoKinds)) ==
        "NVLink x4, 100 GB/s by NVML's speed of each link");
}

TEST_CASE("halves have the links of all their pairs at once", "[analysis]") {
  const auto rows = volumes(ping_pong("halves"), kTwoKinds);  // 0-2 and 1-3

  REQUIRE(rows.size() == 1);
  CHECK(rows[0].calculated == Approx(64e9));
  CHECK(rows[0].formula == "2 at once: PCIe 4.0 x16, 64 GB/s by its specification");
  CHECK(formula(volumes(ping_pong("0-2+1-3"), kTwoKinds)) == rows[0].formula);
}

TEST_CASE("which GPUs ranks use is by CUDA_VISIBLE_DEVICES", "[analysis]") {
  Facts hidden = kTwoKinds;
  hidden["cuda_visible_devices"] = "2,0,1,3";
  CHECK(formula(volumes(ping_pong("0-1"), hidden)) ==  // GPUs 2 and 0
        "PCIe 4.0 x16, 32 GB/s by its specification");
  const std::string nvlink = "NVLink x4, 100 GB/s by NVML's speed of each link";
  Study study;
  study.environment["CUDA_VISIBLE_DEVICES"] = "0,1,2,3";
  CHECK(formula(volumes(ping_pong("0-1"), hidden, study)) == nvlink);
  CellObservation cell = ping_pong("0-3");
  set(cell, "env.CUDA_VISIBLE_DEVICES", "3,0,1,2");
  CHECK(formula(volumes(cell, hidden, study)) == nvlink);

  hidden["cuda_visible_devices"] = "GPU-6f1c,0,1,2";
  CHECK(formula(volumes(ping_pong("1-2"), hidden)) == "not known");
  hidden["cuda_visible_devices"] = "0,1";
  CHECK(formula(volumes(ping_pong("0-1"), hidden)) == "not known");
}

TEST_CASE("GPUs of several models are known where all pairs are alike", "[analysis]") {
  CHECK(formula(volumes(ping_pong("1-3"), kOneKind)) ==
        "PCIe 4.0 x16, 32 GB/s by its specification");
  Facts mixed = kTwoKinds;
  mixed["gpu_model"] = "2 x Fake GPU, 2 x Other GPU";
  CHECK(formula(volumes(ping_pong("1-3"), mixed)) == "not known");
}

TEST_CASE("an emulated link carries what was declared", "[analysis]") {
  CellObservation cell = ping_pong("0-1");
  cell.row.parameters[1].value = "cpu";
  set(cell, "interconnect.bandwidth", "1000", ValueKind::kReal);  // Mbit/s

  const auto rows = volumes(cell, {});

  REQUIRE(rows.size() == 1);
  CHECK(rows[0].calculated == Approx(125e6));  // 1e9 bit/s over 8
  CHECK(rows[0].formula == "emulated link, 0.125 GB/s by its declared rate");

  cell.row.parameters.back() = {"interconnect.bandwidth", "1000 at best", ValueKind::kText, true};
  CHECK(volumes(cell, {}).empty());
}

TEST_CASE("ranks of a collective that are joined alike have the link of each", "[analysis]") {
  const auto all_reduce = [](std::int64_t devices) {
    CellObservation cell = ping_pong("0-1");  // the default, which an all-reduce ignores
    cell.row.parameters[0].value = "all_reduce";
    cell.row.devices = devices;
    return cell;
  };
  const auto rows = volumes(all_reduce(4), kOneKind);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].calculated == Approx(32e9));
  CHECK(rows[0].ratio == Approx(0.25));  // 8/32: ports of PCIe are not counted together
  CHECK(rows[0].formula == "PCIe 4.0 x16, 32 GB/s by its specification");

  CHECK(formula(volumes(all_reduce(4), kTwoKinds)) == "not known");
  CHECK(formula(volumes(all_reduce(2), kTwoKinds)) ==
        "NVLink x4, 100 GB/s by NVML's speed of each link");
  CHECK(formula(volumes(all_reduce(1), kTwoKinds)) == "not known");

  // Without a switch each of four GPUs has such links to three others.
  Facts nvlink = {
      {"gpu_model", "4 x Fake GPU"},
      {"gpu_link_rates", "NVLink x4, 100 GB/s by NVML's speed of each link: all pairs"}};
  CHECK(formula(volumes(all_reduce(4), nvlink)) == "not known");
  nvlink["gpu_link_rates"] =
      "NVLink x18 by a switch, 450 GB/s by NVML's speed of each link: all pairs";
  CHECK(formula(volumes(all_reduce(4), nvlink)) ==
        "NVLink x18 by a switch, 450 GB/s by NVML's speed of each link");

  CellObservation emulated = all_reduce(3);
  emulated.row.parameters[1].value = "cpu";
  set(emulated, "interconnect.bandwidth", "80000", ValueKind::kReal);
  CHECK(volumes(emulated, {}).at(0).ratio == Approx(0.8));  // 8 GB/s of 10
}

TEST_CASE("nodes are joined by what the network of one could carry", "[analysis]") {
  CellObservation cell = ping_pong("0-1");
  cell.row.parameters[0].value = "all_reduce";
  cell.row.nodes = 2;
  EstimateRow bandwidth;
  bandwidth.cell_id = cell.row.id;
  bandwidth.metric = "busbw_bytes_per_s";
  bandwidth.value = 8e9;
  const auto rows = [&](const std::vector<EstimateRow>& estimates) {
    return link_volumes(test::make_observation({cell}, Scaling::kNone), {}, estimates, kOneKind);
  };
  CHECK(rows({bandwidth}).empty());

  EstimateRow network = bandwidth;
  network.metric = "network_bytes_per_s";
  network.value = 25e9;
  REQUIRE(rows({bandwidth, network}).size() == 1);
  CHECK(rows({bandwidth, network})[0].ratio == Approx(0.32));  // 8/25, not of the 32 of PCIe
  CHECK(formula(rows({bandwidth, network})) ==
        "network of a node, 25 GB/s by the system's speed of its links");

  // Of an all-to-all of two ranks a node, each sends 2/3 of what it sends to the other node.
  cell.row.parameters[0].value = "all_to_all";
  CHECK(rows({bandwidth, network}).empty());
  cell.row.devices = 2;  // one a node
  CHECK(rows({bandwidth, network})[0].ratio == Approx(0.32));
}

TEST_CASE("links of shared memory, nodes and shared GPUs are not known", "[analysis]") {
  CHECK(volumes(ping_pong("0-1"), {}).empty());
  CellObservation cpu = ping_pong("0-1");
  cpu.row.parameters[1].value = "cpu";
  set(cpu, "interconnect.bandwidth", "0", ValueKind::kReal);
  CHECK(volumes(cpu, kOneKind).empty());
  CellObservation nodes = ping_pong("0-1");
  nodes.row.nodes = 2;
  CHECK(volumes(nodes, kOneKind).empty());
  CellObservation shared = ping_pong("0-1");
  shared.row.oversubscribed = true;
  CHECK(volumes(shared, kOneKind).empty());
  for (const char* pair : {"", "0", "0-9", "-1-2", "x-y"}) {
    INFO(pair);
    CHECK(volumes(ping_pong(pair), kOneKind).empty());
  }
  const Facts no_rate = {{"gpu_model", "2 x Fake GPU"}, {"gpu_link_rates", "NVLink: all pairs"}};
  CHECK(volumes(ping_pong("0-1"), no_rate).empty());
}
