#include "harness/store/cell_name.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <vector>

#include "harness/study/parameters/interconnect.h"
#include "harness/study/parameters/measured_axis.h"
#include "harness/study/parameters/parameter_rules.h"
#include "harness/text/number.h"
#include "harness/text/quantity.h"
#include "harness/text/text.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

// From Mbit/s: "1 Gbit/s"; "none" of 0.
std::string bandwidth_text(double mbit) {
  constexpr double giga = 1000.0;
  if (!(mbit > 0.0)) {
    return "none";
  }
  return mbit < giga ? format_axis_value(mbit) + " Mbit/s"
                     : format_axis_value(mbit / giga) + " Gbit/s";
}

// "strategy fsdp", "first bucket 1 MiB". A name that is no word is typed as in the study file:
// "lr_scale=linear", "env.NCCL_ALGO=Ring", "lr=0.1"; "allreduce flat" would read as a verb.
std::string name_setting(const std::string& name, const std::string& value) {
  constexpr std::size_t shortest_word = 3;
  const auto [word, unit] =
      parse_number(value) ? setting_words(name) : SettingWords{.name = name, .unit = ""};
  const bool is_word = word.size() >= shortest_word &&
                       word.find_first_of("_.") == std::string::npos && word != "allreduce";
  return is_word ? word + " " + value + unit : name + "=" + value;
}

// The parts of that size that hold so many devices; or the largest of so many parts.
std::int64_t share_out(std::int64_t devices, std::int64_t parts) {
  return devices / parts + (devices % parts == 0 ? 0 : 1);
}

// How many devices fit a node: the most with which some cell of each number of devices has the
// nodes that follow. Absent if one number of nodes has all numbers of devices.
std::optional<std::int64_t> devices_that_fit(const std::vector<const CellRow*>& cells) {
  std::set<std::int64_t> counts;
  std::set<std::int64_t> sizes;
  std::map<std::int64_t, std::set<std::int64_t>> by_nodes;  // numbers of devices
  for (const CellRow* cell : cells) {
    if (cell->devices < 1 || cell->nodes < 1) {
      continue;  // of a damaged store
    }
    counts.insert(cell->devices);
    sizes.insert(share_out(cell->devices, cell->nodes));
    by_nodes[cell->nodes].insert(cell->devices);
  }
  const bool is_on_one =
      std::ranges::any_of(by_nodes, [&](const auto& entry) { return entry.second == counts; });
  const auto found = std::find_if(sizes.rbegin(), sizes.rend(), [&](std::int64_t size) {
    return std::ranges::all_of(counts, [&](std::int64_t devices) {
      const auto entry = by_nodes.find(share_out(devices, size));
      return entry != by_nodes.end() && entry->second.contains(devices);
    });
  });
  return is_on_one || found == sizes.rend() ? std::nullopt : std::optional(*found);
}

}  // namespace

SettingWords setting_words(const std::string& name) {
  static const std::map<std::string, std::string> kUnits = {
      {"_mb", " MB"}, {"_gb", " GB"}, {"_us", " µs"}, {"_ms", " ms"}, {"_s", " s"}};
  const std::size_t end = name.rfind('_');
  const auto unit = end == std::string::npos ? kUnits.end() : kUnits.find(name.substr(end));
  if (unit == kUnits.end() || name.ends_with("_per_s") || name.find('.') != std::string::npos) {
    return {.name = name, .unit = ""};
  }
  const bool is_mebi = parameter_unit(Workload::kTrain, name) == "MiB";
  return {.name = in_words(name.substr(0, end)), .unit = is_mebi ? " MiB" : unit->second};
}

std::string name_value(const std::string& name, const std::string& value) {
  const bool has_own_words =
      name == kInterconnectBandwidth || name == kInterconnectDelay || name == names::kMessageBytes;
  const std::optional<double> number = has_own_words ? parse_number(value) : std::nullopt;
  return number ? name_value(name, *number) : value;
}

std::string name_value(const std::string& name, double value) {
  if (name == kInterconnectBandwidth) {
    return bandwidth_text(value);
  }
  const std::optional<std::int64_t> bytes =
      name == names::kMessageBytes ? whole_number(value) : std::nullopt;
  return bytes ? format_bytes(*bytes)
               : format_axis_value(value) + (name == kInterconnectDelay ? " ms" : "");
}

std::string name_parameter(const CellRow::Parameter& parameter, const ParameterLabels& labels) {
  const std::string& name = parameter.name;
  const std::string value =
      parameter.number() ? name_value(name, parameter.value) : parameter.value;
  if (name == names::kDevices) {
    return value + (value == "1" ? " device" : " devices");
  }
  if (name == names::kNodes && !labels.contains(name)) {
    return value + (value == "1" ? " node" : " nodes");
  }
  if (const auto label = labels.find(name); label != labels.end()) {
    return label->second + "=" + value;
  }
  if (name == "command") {  // a command line names itself
    return value;
  }
  if (name == names::kBatchGlobal) {
    return "batch " + value;
  }
  if (name == names::kBatchPerDevice) {
    return "batch " + value + " per device";
  }
  if (name == kInterconnectBandwidth) {
    return value == "none" ? "no links" : "links of " + value;
  }
  if (name == kOnDevice) {
    return "on device " + value;
  }
  if (name == kInterconnectDelay) {
    return "delay " + value;
  }
  return value == parameter.value ? name_setting(name, value) : value;
}

std::string name_axis(const std::string& name, const ParameterLabels& labels) {
  if (const auto label = labels.find(name); label != labels.end()) {
    return label->second;
  }
  static const std::map<std::string, std::string> in_words = {
      {names::kBatchGlobal, "global batch"},
      {names::kBatchPerDevice, "batch per device"},
      {names::kMessageBytes, "message size"},
      {kInterconnectBandwidth, "bandwidth of links"},
      {kInterconnectDelay, "delay of links"},
      {names::kParameterCount, "parameters of the model"},
      {kComputationTime, "computation time"}};
  const auto found = in_words.find(name);
  return found == in_words.end() ? name : found->second;
}

std::string name_curve(const std::string& group_label,
                       const ParameterLabels& labels,
                       const std::string& left_out) {
  std::vector<CellRow::Parameter> parameters;
  std::istringstream parts(group_label);
  for (std::string part; std::getline(parts, part, ' ');) {
    const std::size_t equal = part.find('=');
    if (equal != std::string::npos) {
      // A label does not say the kind: what reads as a number is taken for one.
      parameters.push_back({part.substr(0, equal), part.substr(equal + 1), ValueKind::kReal});
    } else if (!parameters.empty()) {
      parameters.back().value += " " + part;  // of a value of several words
    }
  }
  std::vector<std::string> names;
  for (const CellRow::Parameter& parameter : parameters) {
    if (parameter.name == left_out) {
      continue;
    }
    const bool is_first = parameter.name == names::kDevices;
    names.insert(is_first ? names.begin() : names.end(), name_parameter(parameter, labels));
  }
  return parameters.empty() ? group_label : join(names, ", ");
}

std::string name_parameters(const CellRow& cell,
                            const std::function<bool(const CellRow::Parameter&)>& is_named,
                            const ParameterLabels& labels) {
  std::vector<std::string> names;
  for (const CellRow::Parameter& parameter : cell.parameters) {
    if (parameter.varied && is_named(parameter)) {
      const bool is_first = parameter.name == names::kDevices;
      names.insert(is_first ? names.begin() : names.end(), name_parameter(parameter, labels));
    }
  }
  return join(names, ", ");
}

std::string describe_cell(const CellRow& cell, const ParameterLabels& labels) {
  const std::string names = name_parameters(
      cell, [](const auto&) { return true; }, labels);
  return (names.empty() ? format_count(cell.devices, "device") : names) +
         (cell.role == CellRole::kMeasured ? "" : ", control " + to_word(cell.role));
}

std::string describe_against(const CellRow& named,
                             const CellRow& other,
                             const ParameterLabels& labels) {
  if (other.role == CellRole::kDeviceMatch && other.control_of == named.hash) {
    return "device 0";
  }
  const bool says_devices = named.devices != other.devices;
  const std::string rest = name_parameters(
      named,
      [&](const CellRow::Parameter& parameter) {
        const CellRow::Parameter* theirs = find_varied(other, parameter.name);
        return parameter.name != names::kDevices &&
               !(says_devices && follows_devices(parameter.name, {&named, &other})) &&
               (theirs == nullptr || theirs->value != parameter.value);
      },
      labels);
  const std::string devices = format_count(named.devices, "device");
  return rest.empty() ? devices : (says_devices ? devices + ", " : "") + rest;
}

bool follows_devices(const std::string& name, const std::vector<const CellRow*>& cells) {
  const auto are_alike = [&](const auto& value_of) {
    return std::ranges::all_of(
        cells, [&](const CellRow* cell) { return value_of(*cell) == value_of(*cells.front()); });
  };
  if (name == names::kBatchGlobal || name == names::kBatchPerDevice) {
    return are_alike([](const CellRow& cell) { return cell.batch_global; }) ||
           are_alike([](const CellRow& cell) { return cell.batch_per_device; });
  }
  std::map<std::int64_t, std::int64_t> nodes;  // by devices
  return name == names::kNodes && std::ranges::all_of(cells, [&](const CellRow* cell) {
           return nodes.emplace(cell->devices, cell->nodes).first->second == cell->nodes;
         });
}

std::map<std::int64_t, std::string> spans_of_nodes(
    const std::map<std::string, std::vector<const CellRow*>>& alike) {
  std::map<std::int64_t, std::string> spans;
  for (const auto& entry : alike) {
    const std::optional<std::int64_t> fit = devices_that_fit(entry.second);
    std::set<std::int64_t> ids;
    std::set<std::int64_t> nodes;
    for (const CellRow* cell : entry.second) {
      if (fit && cell->nodes > 0 && cell->nodes == share_out(cell->devices, *fit)) {
        ids.insert(cell->id);
        nodes.insert(cell->nodes);
      }
    }
    for (const std::int64_t id : ids) {
      spans[id] = std::to_string(*nodes.begin()) + " to " + std::to_string(*nodes.rbegin());
    }
  }
  return spans;
}

std::optional<double> axis_number(const CellRow& cell, const std::string& name) {
  const auto found = std::ranges::find(cell.parameters, name, &CellRow::Parameter::name);
  if (found != cell.parameters.end()) {
    return found->number();
  }
  const std::optional<std::int64_t> own = name == names::kDevices          ? cell.devices
                                          : name == names::kNodes          ? cell.nodes
                                          : name == names::kBatchGlobal    ? cell.batch_global
                                          : name == names::kBatchPerDevice ? cell.batch_per_device
                                                                           : std::nullopt;
  return own ? std::optional(static_cast<double>(*own)) : std::nullopt;
}

const CellRow::Parameter* find_varied(const CellRow& cell, const std::string& name) {
  const auto found =
      std::ranges::find_if(cell.parameters, [&](const CellRow::Parameter& parameter) {
        return parameter.varied && parameter.name == name;
      });
  return found == cell.parameters.end() ? nullptr : &*found;
}

}  // namespace scalestudy
