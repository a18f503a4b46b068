// Readers of the small texts below /proc and /sys. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/host/machine.h"

namespace scalestudy {

// Sums of the lines of `cpus` in /proc/stat: "cpu0 ..." for 0. Guest time is part of user time
// there. The sum over all CPUs when one of them has no line: a container may number its own. Zeros
// without any line. source: proc(5).
CpuTimes parse_cpu_times(const std::string& stat, const std::vector<int>& cpus, double ticks_per_s);

// Of /proc/PID/stat: name, user and system time; absent when it is none. The name may hold blanks
// and parentheses.
std::optional<ProcessTime> parse_process(const std::string& stat, double ticks_per_s);

// "0-2,5" -> 0 1 2 5; what cannot be read is left out.
std::vector<int> parse_cpu_list(const std::string& text);

// CPUs' worth of a cgroup v2 cpu.max ("150000 100000" -> 1.5); absent for "max".
std::optional<double> parse_cpu_max(const std::string& text);

// Value behind the first "key<blanks>:" or "key=" line, without quotes; absent when there is none.
std::optional<std::string> find_value(const std::string& text, const std::string& key);

// Number behind "key " in lines like those of memory.events; absent when there is none.
std::optional<std::int64_t> find_count(const std::string& text, const std::string& key);

// Path of this process in a cgroup hierarchy, from /proc/self/cgroup.
//   controller  "memory", "cpu" (v1); "" for v2.
std::optional<std::string> find_cgroup(const std::string& text, const std::string& controller);

}  // namespace scalestudy
