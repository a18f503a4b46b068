#include "harness/run/nccl/nccl_transports.h"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <set>
#include <string_view>
#include <vector>

#include <re2/re2.h>

#include "harness/text/text.h"

namespace scalestudy {
namespace {

using Transports = std::set<std::string>;

FoundSetting judge(bool is_as_asked, const Transports& seen) {
  const std::string text = "via " + join(std::vector(seen.begin(), seen.end()), ", ");
  return is_as_asked ? FoundSetting{1.0, "applied: " + text}
                     : FoundSetting{0.0, "overridden: " + text};
}

// "P2P" of "P2P/CUMEM/read", "NET/IB" of "NET/IB/0/GDRDMA".
std::string kind_of(const std::string& transport) {
  const std::size_t first = transport.find('/');
  return transport.starts_with("NET/") ? transport.substr(0, transport.find('/', first + 1))
                                       : transport.substr(0, first);
}

bool uses_network(const Transports& kinds) {
  return std::ranges::any_of(kinds,
                             [](const std::string& kind) { return kind.starts_with("NET/"); });
}

// ---- a transport, on or off

// The kinds that may not be, if some are; else all.
std::optional<FoundSetting> find_kinds(const Transports& kinds,
                                       const std::function<bool(const std::string&)>& may_be) {
  if (kinds.empty()) {
    return std::nullopt;
  }
  Transports others;
  std::ranges::copy_if(kinds, std::inserter(others, others.end()), std::not_fn(may_be));
  return judge(others.empty(), others.empty() ? kinds : others);
}

std::optional<FoundSetting> find_kind(const Transports& kinds,
                                      const std::string& variable,
                                      const std::string& asked) {
  if ((variable == "NCCL_IB_DISABLE" || variable == "NCCL_NET") && !uses_network(kinds)) {
    return std::nullopt;
  }
  if (variable == "NCCL_NET") {
    return find_kinds(kinds, [&](const std::string& kind) {
      return !kind.starts_with("NET/") || lowered(kind) == lowered("NET/" + asked);
    });
  }
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> off_switches = {{
      {"NCCL_P2P_DISABLE", "P2P"},
      {"NCCL_SHM_DISABLE", "SHM"},
      {"NCCL_IB_DISABLE", "NET/IB"},
  }};
  const auto* off = std::ranges::find(
      off_switches, variable, &std::pair<std::string_view, std::string_view>::first);
  if (off == off_switches.end() || asked != "1") {
    return std::nullopt;
  }
  return find_kinds(kinds, [off](const std::string& kind) { return kind != off->second; });
}

// ---- how a transport moves data

// Of the channels of one transport, whether all or none of them do something.
struct Manner {
  std::string_view variable;
  std::string_view value;
  std::string_view transport;  // how theirs begin
  const char* mark;            // what NCCL writes behind, as a regular expression
  bool is_there;               // of a value that asks for it
  std::string_view silent{};   // one with this in its name says nothing of it
};

// source: NCCL 2.28.9, src/transport/p2p.cc, shm.cc, net.cc: "P2P/IPC/read/CE", "SHM/CE/direct",
// "NET/IB/0(2)/GDRDMA", where 2 is the rank that sends for this one (PXN), and
// "NET/IB/0/GDRDMA(PCI)".
constexpr std::array<Manner, 10> kManners = {{
    {"NCCL_P2P_READ_ENABLE", "1", "P2P/", "/read", true},
    {"NCCL_P2P_READ_ENABLE", "0", "P2P/", "/read", false},
    {"NCCL_P2P_USE_CUDA_MEMCPY", "1", "P2P/", "/CE", true},
    {"NCCL_P2P_USE_CUDA_MEMCPY", "0", "P2P/", "/CE", false},
    {"NCCL_P2P_DIRECT_DISABLE", "1", "P2P/", "direct pointer", false},
    {"NCCL_SHM_USE_CUDA_MEMCPY", "1", "SHM/", "CE", true},
    {"NCCL_SHM_USE_CUDA_MEMCPY", "0", "SHM/", "CE", false},
    {"NCCL_PXN_DISABLE", "1", "NET/", R"(/\d+\()", false},
    {"NCCL_CUMEM_ENABLE", "1", "P2P/", "CUMEM", true, "direct"},
    {"NCCL_CUMEM_ENABLE", "0", "P2P/", "CUMEM", false, "direct"},
}};

std::optional<FoundSetting> find_manner(const NcclTrace& trace,
                                        const std::string& variable,
                                        const std::string& asked) {
  const auto* manner = std::ranges::find_if(kManners, [&](const Manner& each) {
    return each.variable == variable && each.value == asked;
  });
  if (manner == kManners.end()) {
    return std::nullopt;
  }
  Transports seen;
  bool is_as_asked = true;
  for (const std::string& transport : trace.transports) {
    const bool is_silent =
        !manner->silent.empty() && transport.find(manner->silent) != std::string::npos;
    if (transport.starts_with(manner->transport) && !is_silent) {
      seen.insert(transport);
      const bool is_there = re2::RE2::PartialMatch(transport, manner->mark);
      is_as_asked = is_as_asked && is_there == manner->is_there;
    }
  }
  return seen.empty() ? std::nullopt : std::optional(judge(is_as_asked, seen));
}

// ---- how far apart two GPUs may be for direct access

// Nearest first. source: NCCL 2.28.9, src/include/graph.h, PATH_LOC ... PATH_SYS.
constexpr std::array<std::string_view, 10> kPaths = {
    "LOC", "NVL", "NVB", "C2C", "PIX", "PXB", "P2C", "PXN", "PHB", "SYS"};

std::optional<FoundSetting> find_level(const NcclTrace& trace, const std::string& asked) {
  const auto rank_of = [](std::string_view path) { return std::ranges::find(kPaths, path); };
  if (trace.edges.empty() || rank_of(asked) == kPaths.end()) {
    return std::nullopt;
  }
  Transports seen;
  Transports others;
  for (const NcclTrace::Edge& edge : trace.edges) {
    const auto from = trace.buses.find({edge.host, edge.from});
    const auto to = trace.buses.find({edge.host, edge.to});
    const auto path = from == trace.buses.end() || to == trace.buses.end()
                          ? trace.paths.end()
                          : trace.paths.find({edge.host, from->second, to->second});
    if (path == trace.paths.end() || rank_of(path->second) == kPaths.end()) {
      return std::nullopt;
    }
    const bool is_direct = edge.transport.starts_with("P2P/");
    const std::string text = kind_of(edge.transport) + " over " + path->second;
    seen.insert(text);
    if (is_direct != (rank_of(path->second) <= rank_of(asked))) {
      others.insert(text);
    }
  }
  return judge(others.empty(), others.empty() ? seen : others);
}

}  // namespace

std::optional<FoundSetting> find_transport(const NcclTrace& trace,
                                           const std::string& variable,
                                           const std::string& asked) {
  if (variable == "NCCL_P2P_LEVEL") {
    return find_level(trace, asked);
  }
  if (auto manner = find_manner(trace, variable, asked)) {
    return manner;
  }
  Transports kinds;
  std::ranges::transform(trace.transports, std::inserter(kinds, kinds.end()), &kind_of);
  return find_kind(kinds, variable, asked);
}

}  // namespace scalestudy
