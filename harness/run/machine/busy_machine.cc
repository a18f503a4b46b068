#include "harness/run/machine/busy_machine.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "harness/run/machine/idle_gate.h"
#include "harness/study/declared/validity.h"
#include "harness/text/number.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

constexpr double kLookS = 0.35;
constexpr std::size_t kNamed = 3;

using Processes = std::map<int, ProcessTime>;

// "cc1plus 1.2, python3 0.4": programs by the cores' worth that their processes took, most first.
std::string biggest(const Processes& before, const Processes& after, double elapsed_s) {
  std::map<std::string, double> cores;
  for (const auto& [id, process] : after) {
    const auto known = before.find(id);
    const double earlier_s = known == before.end() ? 0.0 : known->second.cpu_s;
    if (id != getpid() && process.cpu_s > earlier_s) {
      cores[printable(process.name)] += (process.cpu_s - earlier_s) / elapsed_s;
    }
  }
  std::vector<std::pair<double, std::string>> ordered;
  for (const auto& [name, worth] : cores) {
    ordered.emplace_back(worth, name);
  }
  std::ranges::sort(ordered, std::greater());
  ordered.resize(std::min(ordered.size(), kNamed));
  std::vector<std::string> texts;
  for (const auto& [worth, name] : ordered) {
    texts.push_back(fmt::format("{} {:.1f}", name, worth));
  }
  return join(texts, ", ");
}

}  // namespace

std::string busy_machine(const RunWorld& world) {
  const Processes before = world.machine.processes();
  const double started_s = world.clock.monotonic_s();
  const MachineLook seen = look_at(world.machine, world.clock, world.sleep, kLookS);
  const double elapsed_s = world.clock.monotonic_s() - started_s;
  const std::int64_t cores = world.machine.cores();
  const auto count = static_cast<double>(cores);
  const double foreign = seen.load.foreign.value_or(0.0);
  const double steal = seen.load.steal.value_or(0.0);
  std::vector<std::string> texts;
  if (foreign > kHeavyLoadShare * count) {
    const std::string most = biggest(before, world.machine.processes(), elapsed_s);
    texts.push_back(fmt::format("other processes take {:.1f} of {}{}",
                                foreign,
                                format_count(cores, "core"),
                                most.empty() ? "" : " (most: " + most + ")"));
  }
  if (steal > kLoadShare * count) {
    texts.push_back(fmt::format("other virtual machines of the host {:.1f}", steal));
  }
  const auto waiting = std::ranges::find(seen.readings, "cpu_pressure", &Reading::name);
  if (!texts.empty() && waiting != seen.readings.end()) {
    texts.push_back(fmt::format("some task waits for a CPU {:.0f} % of the time",
                                100.0 * std::min(waiting->value, 1.0)));
  }
  return join(texts, ", ");
}

}  // namespace scalestudy
