// Readers of the small texts below /proc and /sys. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/host/machine.h"

namespace scalestudy {

// CPU time of `cpus`, summed over their lines in /proc/stat: "cpu0 ..." for 0. Guest time is part
// of user time there. If a CPU has no line, since containers may number their own: the sum over all
// CPUs. Zeros if there is no line at all.
// - source: proc(5).
CpuTimes parse_cpu_times(const std::string& stat, const std::vector<int>& cpus, double ticks_per_s);

// Name, user and system time from /proc/PID/stat; absent when the text is none. The name may hold
// blanks and parentheses.
std::optional<ProcessTime> parse_process(const std::string& stat, double ticks_per_s);

// The CPUs of a list, "0-2,5" -> 0 1 2 5; entries that cannot be read are left out.
std::vector<int> parse_cpu_list(const std::string& text);

// The number of CPUs that a cgroup v2 cpu.max allows ("150000 100000" -> 1.5); absent for "max".
std::optional<double> parse_cpu_max(const std::string& text);

// The value in the first line "key<blanks>:" or "key=", without quotes; absent if there is none.
std::optional<std::string> find_value(const std::string& text, const std::string& key);

// The number after "key " in lines like those of memory.events; absent if there is none.
std::optional<std::int64_t> find_count(const std::string& text, const std::string& key);

// The path of this process in a cgroup hierarchy, from /proc/self/cgroup; absent if it is in none.
// - controller: "memory", "cpu" (v1); "" for v2.
std::optional<std::string> find_cgroup(const std::string& text, const std::string& controller);

}  // namespace scalestudy
