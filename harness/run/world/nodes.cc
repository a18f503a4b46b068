#include "harness/run/world/nodes.h"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>
#include <netdb.h>
#include <unistd.h>

#include "harness/base/error.h"
#include "harness/base/read_file.h"

namespace scalestudy {
namespace {

constexpr std::size_t kMostNodes = 65'536;
constexpr std::size_t kLongestName = 255;  // of a host (RFC 1123)

// Appends each number of "0-1,03" followed by each of `tails`; false for what is no such range.
bool expand_range(const std::string& range,
                  const std::vector<std::string>& tails,
                  std::vector<std::string>& names) {
  const std::size_t dash = range.find('-');
  const std::string first = range.substr(0, dash);
  const std::string last = dash == std::string::npos ? first : range.substr(dash + 1);
  const auto is_number = [](const std::string& text) {
    return !text.empty() && text.size() < 10 &&
           text.find_first_not_of("0123456789") == std::string::npos;
  };
  if (!is_number(first) || !is_number(last) || std::stoi(last) < std::stoi(first)) {
    return false;
  }
  const int end = std::stoi(last);
  for (int number = std::stoi(first); number <= end; ++number) {
    for (const std::string& tail : tails) {
      if (names.size() == kMostNodes) {
        return false;
      }
      names.push_back(fmt::format("{:0{}}{}", number, first.size(), tail));
    }
  }
  return true;
}

// "n[0-1]-ib", from its end: no comma outside of brackets.
std::optional<std::vector<std::string>> expand_entry(std::string entry) {
  std::vector<std::string> names{""};
  while (true) {
    const std::size_t close = entry.rfind(']');
    const std::size_t text = close == std::string::npos ? 0 : close + 1;
    const std::size_t open = close == std::string::npos ? close : entry.rfind('[', close);
    if (entry.find('[', text) != std::string::npos ||
        names.front().size() + entry.size() - text > kLongestName) {
      return std::nullopt;
    }
    for (std::string& name : names) {
      name.insert(0, entry, text);
    }
    if (close == std::string::npos) {
      return names.front().empty() ? std::nullopt : std::optional(names);
    }
    if (open == std::string::npos) {
      return std::nullopt;
    }
    std::istringstream ranges(entry.substr(open + 1, close - open - 1) + ",");
    std::vector<std::string> longer;
    for (std::string range; std::getline(ranges, range, ',');) {
      if (!expand_range(range, names, longer)) {
        return std::nullopt;
      }
    }
    names = std::move(longer);
    entry.resize(open);
  }
}

bool resolves(const std::string& host) {
  addrinfo* found = nullptr;
  const bool is_known = getaddrinfo(host.c_str(), nullptr, nullptr, &found) == 0;
  if (is_known) {
    freeaddrinfo(found);
  }
  return is_known;
}

}  // namespace

std::optional<std::vector<std::string>> expand_node_list(const std::string& text) {
  std::vector<std::string> names;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    const char c = at < text.size() ? text[at] : ',';
    depth += c == '[' ? 1 : 0;
    depth -= c == ']' ? 1 : 0;
    if (c == ',' && depth == 0) {
      const auto entry = expand_entry(text.substr(begin, at - begin));
      if (!entry || names.size() + entry->size() > kMostNodes) {
        return std::nullopt;
      }
      names.insert(names.end(), entry->begin(), entry->end());
      begin = at + 1;
    }
  }
  return depth == 0 ? std::optional(names) : std::nullopt;
}

std::vector<std::string> read_hostfile(const std::string& text) {
  std::vector<std::string> hosts;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    if (std::string host; words >> host && std::ranges::find(hosts, host) == hosts.end()) {
      hosts.push_back(host);
    }
  }
  return hosts;
}

Nodes find_nodes(const MachineProfile& machine,
                 const std::map<std::string, std::string>& environment,
                 const std::string& own_host) {
  Nodes nodes;
  nodes.launcher = machine.launcher;
  if (const auto list = environment.find("SLURM_JOB_NODELIST"); list != environment.end()) {
    const auto hosts = expand_node_list(list->second);
    if (!hosts) {
      throw Error(
          ErrorKind::kUsage,
          fmt::format("SLURM_JOB_NODELIST is \"{}\", which is not a list of nodes", list->second));
    }
    nodes.hosts = *hosts;
    nodes.is_slurm_job = true;
  } else if (machine.launcher == RankLauncher::kSrun) {
    throw Error(ErrorKind::kUsage,
                fmt::format("machine {} has launcher: srun, and this is no Slurm job; run it in "
                            "one (salloc, sbatch), or by `scalestudy submit`",
                            machine.name));
  } else if (!machine.hostfile.empty()) {
    nodes.hosts = read_hostfile(read_file(machine.hostfile).value_or(""));
    nodes.hostfile = machine.hostfile;
    if (nodes.hosts.empty()) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("hostfile {} of machine {} cannot be read, or names no node",
                              machine.hostfile,
                              machine.name));
    }
  }
  if (nodes.hosts.size() > 1) {
    // In a Slurm job this machine is the first node, whose name there need not be one of the net.
    nodes.master_addr = resolves(nodes.hosts.front()) ? nodes.hosts.front() : own_host;
  }
  return nodes;
}

std::map<std::string, std::string> inherited_variables() {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::size_t end = std::min(text.find('='), text.size());
    variables[text.substr(0, end)] = end < text.size() ? text.substr(end + 1) : "";
  }
  return variables;
}

}  // namespace scalestudy
