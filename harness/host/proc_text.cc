#include "harness/host/proc_text.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <sstream>

namespace scalestudy {
namespace {

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\"");
  const std::size_t end = text.find_last_not_of(" \t\r\n\"");
  return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

std::optional<std::int64_t> to_integer(const std::string& text) {
  std::int64_t value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc{} || result.ptr == text.data()) {
    return std::nullopt;
  }
  return value;
}

// The columns of one CPU's line, behind its name.
CpuTimes parse_ticks(const std::string& columns, double ticks_per_s) {
  std::istringstream fields(columns);
  double user = 0.0;
  double nice = 0.0;
  double system = 0.0;
  double idle = 0.0;
  double iowait = 0.0;
  double irq = 0.0;
  double softirq = 0.0;
  double steal = 0.0;
  fields >> user >> nice >> system >> idle >> iowait >> irq >> softirq >> steal;
  return CpuTimes{.busy_s = (user + nice + system + irq + softirq) / ticks_per_s,
                  .steal_s = steal / ticks_per_s,
                  .system_s = (system + irq + softirq) / ticks_per_s,
                  .softirq_s = softirq / ticks_per_s};
}

}  // namespace

CpuTimes parse_cpu_times(const std::string& stat,
                         const std::vector<int>& cpus,
                         double ticks_per_s) {
  std::map<std::string, CpuTimes> times;  // by the line's name: "cpu", "cpu0" ...
  std::istringstream lines(stat);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("cpu")) {
      const std::size_t end = line.find(' ');
      times[line.substr(0, end)] =
          parse_ticks(line.substr(std::min(end, line.size())), ticks_per_s);
    }
  }
  CpuTimes sum;
  for (const int cpu : cpus) {
    const auto found = times.find("cpu" + std::to_string(cpu));
    if (found == times.end()) {
      return times["cpu"];
    }
    sum.busy_s += found->second.busy_s;
    sum.steal_s += found->second.steal_s;
    sum.system_s += found->second.system_s;
    sum.softirq_s += found->second.softirq_s;
  }
  return cpus.empty() ? times["cpu"] : sum;
}

std::optional<ProcessTime> parse_process(const std::string& stat, double ticks_per_s) {
  const std::size_t open = stat.find('(');
  const std::size_t close = stat.rfind(')');
  if (open == std::string::npos || close == std::string::npos || close < open) {
    return std::nullopt;
  }
  std::istringstream rest(stat.substr(close + 1));
  std::string skipped;
  for (int field = 3; field <= 13; ++field) {  // source: proc(5); 14 and 15 are the times
    rest >> skipped;
  }
  double user = 0.0;
  double system = 0.0;
  rest >> user >> system;
  return rest ? std::optional(ProcessTime{.name = stat.substr(open + 1, close - open - 1),
                                          .cpu_s = (user + system) / ticks_per_s})
              : std::nullopt;
}

std::vector<int> parse_cpu_list(const std::string& text) {
  constexpr std::int64_t most = 65'536;  // Linux has 8192 at most
  std::vector<int> cpus;
  std::istringstream ranges(text);
  for (std::string range; std::getline(ranges, range, ',');) {
    const std::size_t dash = range.find('-');
    const auto first = to_integer(range.substr(0, dash));
    const auto last = dash == std::string::npos ? first : to_integer(range.substr(dash + 1));
    if (!first || !last || *last > most) {
      continue;
    }
    for (std::int64_t cpu = *first; cpu <= *last; ++cpu) {
      cpus.push_back(static_cast<int>(cpu));
    }
  }
  return cpus;
}

std::optional<double> parse_cpu_max(const std::string& text) {
  std::istringstream fields(text);
  std::string quota;
  double period = 0.0;
  fields >> quota >> period;
  const auto quota_us = to_integer(quota);
  if (!quota_us || *quota_us <= 0 || !(period > 0.0)) {
    return std::nullopt;
  }
  return static_cast<double>(*quota_us) / period;
}

std::optional<std::string> find_value(const std::string& text, const std::string& key) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t separator = line.find_first_of(":=");
    if (separator != std::string::npos && trimmed(line.substr(0, separator)) == key) {
      return trimmed(line.substr(separator + 1));
    }
  }
  return std::nullopt;
}

std::optional<std::int64_t> find_count(const std::string& text, const std::string& key) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(key + " ")) {
      return to_integer(line.substr(key.size() + 1));
    }
  }
  return std::nullopt;
}

std::optional<std::string> find_cgroup(const std::string& text, const std::string& controller) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {  // "4:memory,x:/path" (v1), "0::/path" (v2)
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) {
      continue;
    }
    std::istringstream names(line.substr(first + 1, second - first - 1) + ",");
    for (std::string name; std::getline(names, name, ',');) {
      if (name == controller) {
        return line.substr(second + 1);
      }
    }
  }
  return std::nullopt;
}

}  // namespace scalestudy
