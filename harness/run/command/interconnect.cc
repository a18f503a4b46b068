#include "harness/run/command/interconnect.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/study/parameters/interconnect.h"
#include "harness/text/text.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

using Json = nlohmann::json;

constexpr double kBitsPerMbit = 1e6;
constexpr double kUsPerMs = 1e3;
constexpr double kUsPerS = 1e6;
constexpr double kBitsPerByte = 8.0;

// All nodes, and the bridge's own end for mpirun.
constexpr const char* kNetwork = "10.0.0.0/16";

double number_in(const Cell& cell, const char* name) {
  const auto value = effective_value(cell.effective, name);
  return (value ? number_of(*value) : std::nullopt).value_or(0.0);
}

double bytes_per_s(const EmulatedLinks& links) {
  return static_cast<double>(links.bits_per_s) / kBitsPerByte;
}

// 0 where the cell has no such parameter.
std::int64_t virtual_node_ranks(const Cell& cell) {
  const auto value = effective_value(cell.effective, names::kVirtualNodeRanks);
  const auto* ranks = value ? std::get_if<std::int64_t>(&*value) : nullptr;
  return ranks == nullptr ? 0 : *ranks;
}

// "10.0.0.1:2,10.0.0.2:2": node ranks from 1.
std::string addresses(const EmulatedLinks& links) {
  constexpr std::int64_t byte_values = 256;
  std::vector<std::string> texts;
  for (std::int64_t node = 1; node <= links.nodes; ++node) {
    texts.push_back(
        fmt::format("10.0.{}.{}:{}", node / byte_values, node % byte_values, links.ranks_per_node));
  }
  return join(texts, ",");
}

// One end of a link, as tc told of it.
struct LinkEnd {
  std::optional<double> bytes_per_s;  // absent: no token bucket
  std::optional<double> delay_s;      // absent: no netem
  double sent_bytes = 0.0;
  double dropped_packets = 0.0;
};

double number_at(const Json& json, const char* pointer) {
  const Json::json_pointer at(pointer);
  return json.contains(at) && json.at(at).is_number() ? json.at(at).get<double>() : std::nan("");
}

std::optional<double> known(double value) {
  return std::isnan(value) ? std::nullopt : std::optional(value);
}

std::string text_at(const Json& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

// Of one namespace, by the name of the device that sends. What is no such text has no ends. Nothing
// is copied: a trial can write here what nests without end.
std::map<std::string, LinkEnd> read_ends(const std::string& line) {
  std::map<std::string, LinkEnd> ends;
  const Json disciplines = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  for (const Json& one : disciplines) {
    const std::string device = text_at(one, "dev");
    if (device.empty()) {
      continue;
    }
    LinkEnd& end = ends[device];
    const std::string kind = text_at(one, "kind");
    if (kind == "tbf") {
      end.bytes_per_s = known(number_at(one, "/options/rate"));
      end.sent_bytes = known(number_at(one, "/bytes")).value_or(0.0);
      end.dropped_packets = known(number_at(one, "/drops")).value_or(0.0);
    } else if (kind == "netem") {
      end.delay_s = known(number_at(one, "/options/delay/delay"));
    }
  }
  return ends;
}

// Of several found values: 1 all are as asked, 0 one is not, -1 one is missing.
double state_of(const std::vector<std::optional<double>>& found, double asked) {
  constexpr double rounding = 0.01;  // tc keeps whole bytes, and ticks of time
  double state = 1.0;
  for (const std::optional<double>& value : found) {
    const double one = !value ? -1.0 : std::abs(*value - asked) <= rounding * asked ? 1.0 : 0.0;
    state = std::min(state, one);
  }
  return state;
}

const char* word_of(double state) {
  return state > 0.0 ? "applied" : state < 0.0 ? "not seen" : "overridden";
}

// "125000000, none": each value once.
std::string said_values(const std::vector<std::optional<double>>& found) {
  std::set<std::string> texts;
  for (const std::optional<double>& value : found) {
    texts.insert(value ? fmt::format("{:.10g}", *value) : "none");
  }
  return join(std::vector<std::string>(texts.begin(), texts.end()), ", ");
}

}  // namespace

std::int64_t burst_bytes(const EmulatedLinks& links) {
  constexpr std::int64_t bits_a_ms = 8'000;
  return std::clamp<std::int64_t>(links.bits_per_s / bits_a_ms, 16'000, 131'072);
}

std::optional<EmulatedLinks> links_of(const Cell& cell) {
  EmulatedLinks links;
  links.ranks_per_node = std::max<std::int64_t>(virtual_node_ranks(cell), 1);
  links.nodes = cell.devices / links.ranks_per_node;
  links.bits_per_s = std::llround(number_in(cell, kInterconnectBandwidth) * kBitsPerMbit);
  links.delay_us = std::llround(number_in(cell, kInterconnectDelay) * kUsPerMs);
  links.is_to_fail = effective_value(cell.effective, "failure") == Value(std::string("link_down"));
  return links.bits_per_s > 0 && links.nodes > 1 ? std::optional(links) : std::nullopt;
}

std::vector<std::string> linked_launcher(const EmulatedLinks& links,
                                         std::int64_t cores_per_rank,
                                         const std::string& script) {
  std::vector<std::string> arguments{"sh",
                                     script,
                                     std::to_string(links.nodes),
                                     std::to_string(links.bits_per_s),
                                     std::to_string(burst_bytes(links)),
                                     std::to_string(links.delay_us),
                                     std::to_string(links.ranks_per_node * cores_per_rank),
                                     "mpirun",
                                     "-n",
                                     std::to_string(links.nodes * links.ranks_per_node),
                                     "--host",
                                     addresses(links),
                                     "--map-by",
                                     fmt::format("ppr:{}:node", links.ranks_per_node),
                                     "--bind-to",
                                     "none"};
  if (cores_per_rank == 0) {
    arguments.emplace_back("--oversubscribe");
  }
  return arguments;
}

std::map<std::string, std::string> linked_environment(const EmulatedLinks& links) {
  std::map<std::string, std::string> environment = {
      {"OMPI_MCA_pml", "ob1"},
      {"OMPI_MCA_btl", links.ranks_per_node > 1 ? "self,vader,tcp" : "self,tcp"},
      {"OMPI_MCA_btl_tcp_if_include", kNetwork},
      {"OMPI_MCA_oob_tcp_if_include", kNetwork},
      {"OMPI_MCA_plm_rsh_no_tree_spawn", "1"},  // nodes cannot start each other's daemons
      // Of a user without root, who is root in a namespace of his own.
      {"OMPI_ALLOW_RUN_AS_ROOT", "1"},
      {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}};
  if (links.is_to_fail) {
    // What interconnect.sh lets wait for a link: 50 ms of its rate, a megabyte and a burst.
    const double waiting_bytes =
        1e6 + static_cast<double>(burst_bytes(links)) + 0.05 * bytes_per_s(links);
    const double interval_s = std::ceil(waiting_bytes / bytes_per_s(links));
    for (const char* name : {"time", "intvl"}) {
      environment[std::string("OMPI_MCA_oob_tcp_keepalive_") + name] =
          fmt::format("{:.0f}", interval_s);
    }
    environment["OMPI_MCA_oob_tcp_keepalive_probes"] = "3";
  }
  return environment;
}

FoundLinks find_links(std::istream& lines, const EmulatedLinks& links) {
  std::vector<char> line(std::size_t{1} << 20U);  // more than tc says of a thousand links
  const auto next_ends = [&] {
    line.front() = '\0';
    lines.getline(line.data(), std::ssize(line));
    return read_ends(line.data());
  };
  std::map<std::string, LinkEnd> bridge = next_ends();
  std::vector<std::optional<double>> rates;
  std::vector<std::optional<double>> delays;
  double sent_bytes = 0.0;
  double dropped = 0.0;
  for (std::int64_t node = 1; node <= links.nodes; ++node) {
    const LinkEnd own = next_ends()["eth0"];
    const LinkEnd other = bridge[fmt::format("port{}", node)];
    rates.insert(rates.end(), {own.bytes_per_s, other.bytes_per_s});
    delays.push_back(own.delay_s);
    sent_bytes += own.sent_bytes;
    dropped += own.dropped_packets + other.dropped_packets;
  }
  const double asked_bytes_per_s = bytes_per_s(links);
  const double rate_state = state_of(rates, asked_bytes_per_s);
  FoundLinks found;
  found.telemetry = {{std::string("setting.") + kInterconnectBandwidth, rate_state, ""},
                     {"link_sent_bytes", sent_bytes, "bytes"},
                     {"link_dropped_packets", dropped, ""}};
  found.text =
      fmt::format("{} {:.10g} bytes/s: {} (tc, of both ends of {} links: {}); sent {:.0f} bytes",
                  kInterconnectBandwidth,
                  asked_bytes_per_s,
                  word_of(rate_state),
                  links.nodes,
                  said_values(rates),
                  sent_bytes);
  if (links.delay_us > 0) {
    const double asked_s = static_cast<double>(links.delay_us) / kUsPerS;
    const double state = state_of(delays, asked_s);
    found.telemetry.push_back({std::string("setting.") + kInterconnectDelay, state, ""});
    found.text += fmt::format("; {} {:.10g} s: {} (tc: {})",
                              kInterconnectDelay,
                              asked_s,
                              word_of(state),
                              said_values(delays));
  }
  return found;
}

}  // namespace scalestudy
