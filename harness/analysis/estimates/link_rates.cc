#include "harness/analysis/estimates/link_rates.h"

#include <algorithm>
#include <array>
#include <optional>
#include <sstream>
#include <string_view>

#include "harness/analysis/cells/groups.h"
#include "harness/analysis/observe/observe_machine.h"
#include "harness/base/device_link.h"
#include "harness/store/cell_name.h"
#include "harness/study/parameters/interconnect.h"
#include "harness/text/quantity.h"
#include "workloads/names/names.h"
#include "workloads/names/operations.h"

namespace scalestudy {
namespace {

using Facts = std::map<std::string, std::string>;

constexpr const char* kRates = "gpu_link_rates";
constexpr const char* kVisible = "cuda_visible_devices";
constexpr std::array<std::string_view, 3> kFacts = {kRates, "gpu_model", kVisible};

std::optional<int> whole_number(std::string_view text) {
  const std::optional<int> number = parse_whole<int>(text);
  return number >= 0 ? number : std::nullopt;
}

// Ranks that send to each other at once: of "0-2" one pair, of "0-2+1-3" two, of halves all; none
// of other text.
std::vector<DevicePair> pairs_of(const std::string& pair, std::int64_t devices) {
  if (pair == "halves") {
    std::vector<DevicePair> pairs;
    const int half = static_cast<int>(devices / 2);
    pairs.reserve(static_cast<std::size_t>(half));
    for (int rank = 0; rank < half; ++rank) {
      pairs.emplace_back(rank, rank + half);
    }
    return pairs;
  }
  std::vector<DevicePair> pairs;
  std::istringstream links(pair);
  for (std::string link; std::getline(links, link, '+');) {
    const std::size_t dash = std::min(link.find('-'), link.size());
    const auto lower = whole_number(std::string_view(link).substr(0, dash));
    const auto upper = whole_number(std::string_view(link).substr(std::min(dash + 1, link.size())));
    if (!lower || !upper) {
      return {};
    }
    pairs.emplace_back(*lower, *upper);
  }
  return pairs;
}

// NVML's index of each rank's GPU. CUDA counts GPUs of one model as NVML does; of several it may
// put the fastest first. Absent where it is not known.
std::optional<std::vector<int>> gpus_of_ranks(const CellRow& cell,
                                              const Study& study,
                                              const Facts& gpus) {
  const auto fact = [&](const char* name) {
    const auto found = gpus.find(name);
    return found == gpus.end() ? std::string() : found->second;
  };
  const std::string model = fact("gpu_model");
  if (model.empty() || model.find(", ") != std::string::npos) {
    return std::nullopt;
  }
  std::string visible = fact(kVisible);
  if (const auto declared = study.environment.find("CUDA_VISIBLE_DEVICES");
      declared != study.environment.end()) {
    visible = declared->second;
  }
  if (const std::string varied = parameter_text(cell, "env.CUDA_VISIBLE_DEVICES");
      !varied.empty()) {
    visible = varied;
  }
  std::vector<int> indices;
  std::istringstream entries(visible);
  for (std::string entry; std::getline(entries, entry, ',');) {
    const auto index = whole_number(entry);
    if (!index) {
      return std::nullopt;
    }
    indices.push_back(*index);
  }
  for (int rank = 0; visible.empty() && rank < cell.devices; ++rank) {
    indices.push_back(rank);
  }
  return std::ssize(indices) < cell.devices ? std::nullopt : std::optional(indices);
}

std::optional<DeviceLink> declared_link(const CellRow& cell) {
  constexpr double bytes_per_mbit = 1e6 / 8.0;
  const double mbit = axis_number(cell, kInterconnectBandwidth).value_or(0.0);
  return mbit > 0.0 ? std::optional(DeviceLink{.kind = "emulated link",
                                               .bytes_per_s = mbit * bytes_per_mbit,
                                               .by = "its declared rate"})
                    : std::nullopt;
}

std::optional<DeviceLink> link_of(const CellRow& cell,
                                  const Study& study,
                                  const Facts& gpus,
                                  const DevicePair& ranks) {
  if (auto declared = declared_link(cell)) {
    return declared;
  }
  const auto rates = gpus.find(kRates);
  if (rates == gpus.end() || parameter_text(cell, names::kBackend) != "cuda" ||
      cell.oversubscribed) {
    return std::nullopt;
  }
  const auto indices = gpus_of_ranks(cell, study, gpus);
  if (!indices) {
    return find_device_link(rates->second, std::nullopt);
  }
  const int a = indices->at(static_cast<std::size_t>(ranks.first));
  const int b = indices->at(static_cast<std::size_t>(ranks.second));
  return find_device_link(rates->second, DevicePair(std::min(a, b), std::max(a, b)));
}

// Of all pairs that send at once: "2 at once: PCIe 4.0 x16, 63.02 GB/s by its specification".
std::optional<DeviceLink> link_of_pairs(const CellRow& cell,
                                        const Study& study,
                                        const Facts& gpus) {
  const std::vector<DevicePair> pairs = pairs_of(parameter_text(cell, names::kPair), cell.devices);
  std::optional<DeviceLink> all;
  for (const DevicePair& ranks : pairs) {
    if (ranks.first >= cell.devices || ranks.second >= cell.devices) {
      return std::nullopt;
    }
    const auto link = link_of(cell, study, gpus, ranks);
    if (!link || !(link->bytes_per_s > 0.0) || (all && all->by != link->by)) {
      return std::nullopt;
    }
    all =
        DeviceLink{.kind = !all || all->kind == link->kind ? link->kind : "links of several kinds",
                   .bytes_per_s = (all ? all->bytes_per_s : 0.0) + link->bytes_per_s,
                   .by = link->by};
  }
  if (all && pairs.size() > 1) {
    all->kind = std::to_string(pairs.size()) + " at once: " + all->kind;
  }
  return all;
}

// The link that each rank of a collective operation sends over. Three GPUs or more that are joined
// directly by NVLink have links of their own to each other: what one sends over all of them is not
// known.
std::optional<DeviceLink> link_of_all(const CellRow& cell, const Study& study, const Facts& gpus) {
  std::optional<DeviceLink> common;
  for (int a = 0; a < cell.devices; ++a) {
    for (int b = a + 1; b < cell.devices; ++b) {
      const auto link = link_of(cell, study, gpus, {a, b});
      if (!link || !(link->bytes_per_s > 0.0) ||
          (common && describe_link(*common) != describe_link(*link))) {
        return std::nullopt;
      }
      common = link;
    }
  }
  const bool has_several = common && cell.devices > 2 && common->is_direct_nvlink();
  return has_several ? std::nullopt : common;
}

}  // namespace

std::map<std::string, std::string> common_gpu_facts(const Store& store, std::int64_t study_id) {
  std::optional<Facts> common;
  for (const SessionRow& session : store.sessions(study_id)) {
    Facts facts;
    for (const EnvironmentRow& fact : store.environment(session.id)) {
      if (std::ranges::find(kFacts, fact.name) != kFacts.end()) {
        facts[fact.name] = fact.value;
      }
    }
    if (!common) {
      common = facts;
    } else if (*common != facts) {
      return {};
    }
  }
  return common.value_or(Facts());
}

namespace {

// The metric's mean by the id of its cell.
std::map<std::int64_t, double> means_of(const std::vector<EstimateRow>& estimates,
                                        std::string_view metric) {
  std::map<std::int64_t, double> means;
  for (const EstimateRow& row : estimates) {
    if (row.metric == metric && row.statistic == Statistic::kMean && row.variant == Variant::kAll &&
        row.value) {
      means.emplace(row.cell_id, *row.value);
    }
  }
  return means;
}

// What joins the nodes of a collective operation, by what the network of one of them could carry.
// In a ring, one rank of a node sends to another node. In an all-to-all every rank does, so the bus
// bandwidth of a rank is not that of the network.
std::optional<DeviceLink> link_of_nodes(const std::map<std::int64_t, double>& network_rates,
                                        const CellRow& cell) {
  const auto rate = network_rates.find(cell.id);
  const auto* operation = names::find_operation(parameter_text(cell, names::kOperation));
  const bool is_of_each =
      operation != nullptr && operation->operation == names::Operation::kAllToAll;
  return rate == network_rates.end() || (is_of_each && cell.devices > cell.nodes)
             ? std::nullopt
             : std::optional(DeviceLink{.kind = "network of a node",
                                        .bytes_per_s = rate->second,
                                        .by = "the system's speed of its links"});
}

}  // namespace

std::vector<VolumeRow> link_volumes(const StudyObservation& observation,
                                    const Study& study,
                                    const std::vector<EstimateRow>& estimates,
                                    const Facts& gpus) {
  const std::map<std::int64_t, double> measured_means = means_of(estimates, names::kBusBandwidth);
  const std::map<std::int64_t, double> network_rates = means_of(estimates, kNetworkRate);
  std::vector<VolumeRow> rows;
  for (const CellObservation& cell : observation.cells) {
    const std::string operation = parameter_text(cell.row, names::kOperation);
    const bool is_of_pairs =  // stores of older versions lack parameters that are defaults
        operation == "ping_pong" ||
        (operation.empty() && !parameter_text(cell.row, names::kPair).empty());
    const auto measured = measured_means.find(cell.row.id);
    if (measured == measured_means.end() || (is_of_pairs && cell.row.nodes > 1)) {
      continue;
    }
    if (const auto link = is_of_pairs          ? link_of_pairs(cell.row, study, gpus)
                          : cell.row.nodes > 1 ? link_of_nodes(network_rates, cell.row)
                                               : link_of_all(cell.row, study, gpus)) {
      rows.push_back({.cell_id = cell.row.id,
                      .quantity = kLinkRate,
                      .unit = "bytes/s",
                      .calculated = link->bytes_per_s,
                      .measured = measured->second,
                      .ratio = measured->second / link->bytes_per_s,
                      .formula = describe_link(*link)});
    }
  }
  return rows;
}

}  // namespace scalestudy
