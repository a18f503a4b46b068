// nccl-tests -J: one object with `args`, `config`, `results` and a footer.
#include <algorithm>
#include <cstdlib>
#include <set>

#include <fmt/format.h>

#include "harness/import/json_members.h"
#include "harness/import/nccl_table.h"

namespace scalestudy {
namespace {

using Kind = JsonValue::Kind;

int whole_number(const JsonValue* value, int otherwise) {
  return value == nullptr || value->kind != Kind::kNumber
             ? otherwise
             : static_cast<int>(std::strtol(value->at.text.c_str(), nullptr, 10));
}

std::string text_of(const JsonValue* value) {
  return value == nullptr ? "" : value->at.text;
}

// Version 1 of the file lists the first device of each process only: then the ranks in the list are
// as far apart as a process has devices.
std::optional<int> count_devices(const JsonValue& config, const std::vector<JsonValue>& devices) {
  if (devices.empty()) {
    return std::nullopt;
  }
  const int listed = static_cast<int>(devices.size());
  const int per_process =
      whole_number(config.find("nthreads"), 1) * whole_number(config.find("ngpus"), 1);
  const int step = listed == 1 ? per_process : whole_number(devices[1].find("rank"), 1);
  return step == per_process ? listed * per_process : listed;
}

void read_devices(const JsonValue& config, NcclRun& run) {
  const JsonValue* devices = config.find("devices");
  if (devices == nullptr || devices->items.empty()) {
    return;
  }
  std::set<std::string> hosts;
  std::set<std::string> names;
  for (const JsonValue& device : devices->items) {
    hosts.insert(text_of(device.find("hostname")));
    names.insert(text_of(device.find("device_info")));
  }
  run.devices = count_devices(config, devices->items);
  run.nodes = static_cast<int>(hosts.size());
  run.hardware = names.size() == 1 ? *names.begin() : "";
}

// null where the run had no such part.
NcclLine::Place read_place(const JsonValue& result, const std::string& name, Reading& reading) {
  const JsonValue* found = result.find(name);
  if (found != nullptr && found->kind == Kind::kNull) {
    return {};
  }
  const JsonValue* place = JsonMembers(result, reading.problems).require(name, Kind::kMap);
  if (place == nullptr) {
    return {};
  }
  JsonMembers members(*place, reading.problems);
  return {members.number(place->find("cpu_time") != nullptr ? "cpu_time" : "time"),
          members.number("alg_bw"),
          members.number("bus_bw"),
          members.optional_number("nwrong")};
}

NcclLine read_result(const JsonValue& result, Reading& reading) {
  JsonMembers members(result, reading.problems);
  NcclLine line;
  line.size = members.number("size");
  line.type = members.text("type");
  line.redop = members.text("redop");
  line.root = members.text("root");
  line.root.text.erase(0, line.root.text.find_last_of(' ') + 1);  // written with blanks in front
  line.out_of_place = read_place(result, "out_of_place", reading);
  line.in_place = read_place(result, "in_place", reading);
  return line;
}

void note_wrong_results(const JsonValue& root, std::vector<std::string>& notes) {
  const JsonValue* bounds = root.find("out_of_bounds");
  const int wrong = bounds == nullptr ? 0 : whole_number(bounds->find("count"), 0);
  if (wrong > 0) {
    notes.push_back(fmt::format("line {}: nccl-tests found wrong results: {} values out of bounds",
                                bounds->at.line,
                                wrong));
  }
}

bool times_cpu(const JsonValue& result) {
  return std::any_of(result.items.begin(), result.items.end(), [](const JsonValue& item) {
    return item.find("cpu_time") != nullptr;
  });
}

}  // namespace

void read_nccl_json(const std::string& text, Reading& reading) {
  const std::optional<JsonValue> root = parse_json(text, reading.problems);
  if (!root) {
    return;
  }
  JsonMembers members(*root, reading.problems);
  const JsonValue* config = members.require("config", Kind::kMap);
  const JsonValue* results = members.require("results", Kind::kList);
  const JsonValue* average = members.require("average_bus_bandwidth", Kind::kMap);
  if (config == nullptr || results == nullptr || average == nullptr) {
    return;
  }
  if (results->items.empty()) {
    members.fail(*results, "\"results\" is empty: the run measured nothing");
    return;
  }
  NcclRun run;
  const JsonValue* arguments = root->find("args");
  if (arguments != nullptr && !arguments->items.empty()) {
    run.operation = nccl_operation(arguments->items.front().at.text);
  }
  run.is_cpu_time = times_cpu(results->items.front());
  read_devices(*config, run);
  note_wrong_results(*root, reading.notes);
  audit::Table& table = add_nccl_table(run, "results", reading);
  for (const JsonValue& result : results->items) {
    const NcclLine line = read_result(result, reading);
    if (reading.problems.empty()) {
      add_nccl_line(line, table, reading);
    }
  }
  const PlacedText bandwidth = JsonMembers(*average, reading.problems).number("bandwidth");
  if (reading.problems.empty()) {
    add_nccl_average(bandwidth, table, reading);
  }
}

}  // namespace scalestudy
