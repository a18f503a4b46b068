// The table of the two parameters, and their units.
#include "harness/study/parameters/interconnect.h"

#include <algorithm>
#include <array>

#include "harness/study/declared/value.h"
#include "harness/text/quantity.h"

namespace scalestudy {
namespace {

using protocol::ParameterInfo;

constexpr auto kParameters = std::to_array<ParameterInfo>({
    {.name = kInterconnectBandwidth,
     .kind = protocol::ParameterKind::kReal,
     .default_value = "0",
     .allowed = "[0, 1000000]",
     .unit = "Mbit/s",
     .help =
         "Emulates a network: each rank, or node of virtual_node_ranks, is in a network namespace "
         "of its own, and MPI goes over TCP and links of this rate (1Gbit), headers counted. none: "
         "no links. CPU only; numbers are emulated.",
     .communication = true},
    {.name = kInterconnectDelay,
     .kind = protocol::ParameterKind::kReal,
     .default_value = "0",
     .allowed = "[0, 10000]",
     .unit = "ms",
     .help = "With interconnect.bandwidth, additional delay of a packet from node to node (50us); "
             "needs netem in the kernel.",
     .communication = true},
});

constexpr double kBitPerMbit = 1e6;
constexpr double kMsPerS = 1e3;

}  // namespace

std::span<const ParameterInfo> interconnect_parameters() {
  return kParameters;
}

const ParameterInfo* find_interconnect_parameter(std::string_view name) {
  const auto* found = std::ranges::find(kParameters, name, &ParameterInfo::name);
  return found == kParameters.end() ? nullptr : found;
}

std::string interconnect_number(const ParameterInfo& parameter, const std::string& text) {
  const bool is_rate = parameter.name == kInterconnectBandwidth;
  if (is_rate && text == "none") {
    return "0";
  }
  const Quantity written = is_rate ? parse_bit_rate(text) : parse_duration_s(text);
  if (!written.value) {
    return text;
  }
  return format_value(is_rate ? *written.value / kBitPerMbit : *written.value * kMsPerS);
}

}  // namespace scalestudy
