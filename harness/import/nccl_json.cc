// nccl-tests -J: one object with `args`, `config`, `results` and a footer.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "harness/import/json_members.h"
#include "harness/import/nccl_checks.h"
#include "harness/import/nccl_table.h"
#include "harness/text/text.h"

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

constexpr std::int64_t kMostPerProcess = 4096;  // devices; more are no machine's
const std::array<std::string, 2> kPlaces{"out_of_place", "in_place"};
const std::string kPerIteration = "_per_iter";

// nullptr if the result has no such number. Bits that differ are in the place itself.
const JsonValue* find_statistic(const JsonValue& result,
                                const std::string& place,
                                const NcclStatistic& statistic) {
  if (statistic.member.empty()) {
    const JsonValue* found = result.find(place);
    const JsonValue* bitwise = found == nullptr ? nullptr : found->find("bitwise");
    return bitwise == nullptr ? nullptr : bitwise->find("different_bits");
  }
  const JsonValue* found = result.find(place + kPerIteration);
  return found == nullptr ? nullptr : found->find(std::string(statistic.member));
}

// The file lists only the first device of each process: the ranks in the list are as far apart as a
// process has devices. A file that lists all devices is read as well.
int ranks_each(const JsonValue& config, const std::vector<JsonValue>& devices) {
  const std::int64_t per_process = std::int64_t{whole_number(config.find("nthreads"), 1)} *
                                   whole_number(config.find("ngpus"), 1);
  const bool is_first_of_process =
      devices.size() == 1 || whole_number(devices[1].find("rank"), 1) == per_process;
  return is_first_of_process && per_process > 0 && per_process <= kMostPerProcess
             ? static_cast<int>(per_process)
             : 1;
}

void read_devices(const JsonValue& config, NcclRun& run, ImportReading& reading) {
  const JsonValue* devices = config.find("devices");
  if (devices == nullptr || devices->items.empty()) {
    return;
  }
  std::vector<NcclDevice> listed;
  for (const JsonValue& device : devices->items) {
    listed.push_back({device.at,
                      whole_number(device.find("rank"), 0),
                      text_of(device.find("group")),
                      text_of(device.find("hostname")),
                      text_of(device.find("device_info"))});
  }
  describe_nccl_devices(listed,
                        ranks_each(config, devices->items),
                        fmt::format("line {}", devices->at.line),
                        run,
                        reading);
}

// The statistics of this kind of place that any result has, in the order of nccl_statistics().
void find_statistics(const std::vector<JsonValue>& results, NcclRun& run) {
  const auto has = [&](const NcclStatistic& statistic) {
    return std::ranges::any_of(results, [&](const JsonValue& result) {
      return std::ranges::any_of(kPlaces, [&](const std::string& place) {
        return find_statistic(result, place, statistic) != nullptr;
      });
    });
  };
  for (const NcclStatistic& statistic : nccl_statistics()) {
    if (has(statistic)) {
      run.statistics.push_back(&statistic);
    }
  }
}

// What NCCL chose for at least one of the results.
void find_tuning(const std::vector<JsonValue>& results, NcclRun& run, ImportReading& reading) {
  std::set<std::string> seen;
  for (const JsonValue& result : results) {
    const JsonValue* tuning = result.find("tuning");
    for (std::size_t i = 0; tuning != nullptr && i < tuning->names.size(); ++i) {
      if (!seen.insert(tuning->names[i]).second) {
        continue;
      }
      if (const std::optional<std::string> condition = nccl_tuning(tuning->names[i])) {
        if (std::ranges::find(run.tuning, *condition) == run.tuning.end()) {
          run.tuning.push_back(*condition);
        }
      } else {
        reading.notes.push_back(
            fmt::format("line {}: \"{}\" of \"tuning\" is left out: its meaning "
                        "is not known",
                        tuning->items[i].at.line,
                        printable(tuning->names[i])));
      }
    }
  }
}

void read_iterations(const JsonValue& per_iteration,
                     NcclLine::Place& place,
                     ImportReading& reading) {
  place.skipped_iterations = whole_number(per_iteration.find("skipped_iterations"), 0);
  const JsonValue* times = per_iteration.find("times_us");
  for (std::size_t i = 0; times != nullptr && i < times->items.size(); ++i) {
    if (times->items[i].kind != Kind::kNumber) {
      JsonMembers(per_iteration, reading.problems)
          .fail(times->items[i], "\"times_us\" may hold numbers only");
      return;
    }
    place.iterations.push_back(times->items[i].at);
  }
}

// null where the run had no such part.
NcclLine::Place read_place(const JsonValue& result,
                           const std::string& name,
                           const NcclRun& run,
                           ImportReading& reading) {
  NcclLine::Place read;
  read.statistics.resize(run.statistics.size());
  const JsonValue* found = result.find(name);
  if (found != nullptr && found->kind == Kind::kNull) {
    return read;
  }
  const JsonValue* place = JsonMembers(result, reading.problems).require(name, Kind::kMap);
  if (place == nullptr) {
    return read;
  }
  JsonMembers members(*place, reading.problems);
  read.time = members.number(place->find("cpu_time") != nullptr ? "cpu_time" : "time");
  read.algbw = members.number("alg_bw");
  read.busbw = members.number("bus_bw");
  read.wrong = members.optional_number("nwrong");
  for (std::size_t i = 0; i < run.statistics.size(); ++i) {
    const JsonValue* value = find_statistic(result, name, *run.statistics[i]);
    if (value != nullptr && value->kind == Kind::kNumber) {
      read.statistics[i] = value->at;
    }
  }
  if (const JsonValue* per_iteration = result.find(name + kPerIteration)) {
    read_iterations(*per_iteration, read, reading);
  }
  return read;
}

NcclLine read_result(const JsonValue& result, const NcclRun& run, ImportReading& reading) {
  JsonMembers members(result, reading.problems);
  NcclLine line;
  line.size = members.number("size");
  line.type = members.text("type");
  line.redop = members.text("redop");
  line.root = members.text("root");
  line.root.text.erase(0, line.root.text.find_last_of(' ') + 1);  // written with blanks in front
  line.out_of_place = read_place(result, "out_of_place", run, reading);
  line.in_place = read_place(result, "in_place", run, reading);
  line.tuning.resize(run.tuning.size());
  const JsonValue* tuning = result.find("tuning");
  for (std::size_t i = 0; tuning != nullptr && i < tuning->names.size(); ++i) {
    const auto chosen = std::ranges::find(run.tuning, nccl_tuning(tuning->names[i]));
    if (chosen != run.tuning.end()) {
      line.tuning[static_cast<std::size_t>(chosen - run.tuning.begin())] = tuning->items[i].at;
    }
  }
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

// "times_us" has the slowest process of each iteration.
void note_process_times(const std::vector<JsonValue>& results, std::vector<std::string>& notes) {
  for (const JsonValue& result : results) {
    for (const std::string& place : kPlaces) {
      const JsonValue* found = result.find(place + kPerIteration);
      const JsonValue* times = found == nullptr ? nullptr : found->find("per_process_max_times_us");
      if (times != nullptr) {
        notes.push_back(
            fmt::format("line {}: times of single processes are left out; those of the "
                        "slowest process in each iteration are read",
                        times->at.line));
        return;
      }
    }
  }
}

bool times_cpu(const JsonValue& result) {
  return std::any_of(result.items.begin(), result.items.end(), [](const JsonValue& item) {
    return item.find("cpu_time") != nullptr;
  });
}

}  // namespace

void read_nccl_json(const std::string& text, ImportReading& reading) {
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
  read_devices(*config, run, reading);
  find_statistics(results->items, run);
  find_tuning(results->items, run, reading);
  note_wrong_results(*root, reading.notes);
  note_process_times(results->items, reading.notes);
  audit::Table& table = add_nccl_table(run, "results", reading);
  std::vector<NcclLine> lines;
  for (const JsonValue& result : results->items) {
    lines.push_back(read_result(result, run, reading));
    if (reading.problems.empty()) {
      add_nccl_line(lines.back(), table, reading);
    }
  }
  const PlacedText bandwidth = JsonMembers(*average, reading.problems).number("bandwidth");
  if (reading.problems.empty()) {
    finish_nccl_table(bandwidth, table, reading);
    add_nccl_iterations(lines, table, reading);
  }
}

}  // namespace scalestudy
