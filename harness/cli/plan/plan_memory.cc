#include "harness/cli/plan/plan_memory.h"

#include <algorithm>

#include <fmt/format.h>

#include "harness/store/cell_name.h"
#include "harness/text/measure.h"

namespace scalestudy {
namespace {

// Of a device: "79.65 GiB"; as a study file declares it "16 GB (14.9 GiB)".
std::string device_text(const MemoryNeed& need, double bytes) {
  return need.is_device_declared ? format_declared_amount(bytes, "bytes") : format_size(bytes);
}

// What is beside the memory that ranks compute in.
std::string host_text(const MemoryNeed& need) {
  if (!need.host_available_bytes || need.host_bytes() == 0.0) {
    return "";
  }
  return fmt::format(
      "; of the host's memory at most {}{}{}; the host has {} available now",
      format_size(need.host_bytes()),
      need.host_bytes_per_rank > 0.0
          ? fmt::format(" ({} per rank, pinned)", format_size(need.host_bytes_per_rank))
          : "",
      need.checkpoint_bytes > 0.0
          ? fmt::format(", {} of it checkpoints", format_size(need.checkpoint_bytes))
          : "",
      format_size(*need.host_available_bytes));
}

// "zero1" of "zero1.checkpoint_every.offload"; and how a study file asks for the rest:
// " checkpoint_every=1 offload=optimizer".
struct Name {
  std::string strategy;
  std::string techniques;
};

Name name_of(const std::string& name) {
  const auto has = [&](const char* part) { return name.find(part) != std::string::npos; };
  return {name.substr(0, name.find('.')),
          std::string(has(".checkpoint_every") ? " checkpoint_every=1" : "") +
              (has(".offload") ? " offload=optimizer" : "")};
}

constexpr double kMostLayers = 64.0;  // model.layers

// "ddp 16, with checkpoint_every=1 25; fsdp 30"
std::string models_text(const MemoryNeed& need) {
  std::string text;
  std::string strategy;
  for (const auto& [name, layers] : need.largest_layers) {
    const Name parts = name_of(name);
    text += text.empty()                 ? parts.strategy
            : parts.strategy == strategy ? ","
                                         : "; " + parts.strategy;
    strategy = parts.strategy;
    const auto host = need.largest_host_bytes.find(name);
    text += parts.techniques.empty() ? "" : " with" + parts.techniques;
    text += layers > 0.0
                ? fmt::format(" {}{:.0f}", layers >= kMostLayers ? "at least " : "", layers)
                : std::string(" none");
    text += layers > 0.0 && host != need.largest_host_bytes.end()
                ? fmt::format(" ({} of the host's a rank)", format_size(host->second))
                : "";
  }
  return text;
}

}  // namespace

std::string memory_text(const MemoryNeed& need) {
  const std::string text = fmt::format(
      "memory: at most {}, {} rank{} of {} each{} (estimate, {}){}{}{}",
      format_size(need.total_bytes()),
      need.ranks,
      need.ranks == 1 ? "" : "s",
      format_size(need.bytes_per_rank),
      need.checkpoint_bytes > 0.0 && !need.host_available_bytes
          ? fmt::format(" and {} of checkpoints", format_size(need.checkpoint_bytes))
          : "",
      name_curve(need.label),
      need.available_bytes ? fmt::format("; {} available now", format_size(*need.available_bytes))
      : need.device_bytes  ? ""
                           : "; not compared with a GPU's, of which this machine shows none",
      need.device_bytes ? fmt::format("; a {} has {}, of which a rank needs {:.0f} %",
                                      need.is_device_declared ? "device" : "GPU of this machine",
                                      device_text(need, *need.device_bytes),
                                      100.0 * need.bytes_per_rank / *need.device_bytes)
                        : "",
      host_text(need));
  return need.exceeds() ? text + (need.exceeds_host() ? ": the host has too little, and" : ":") +
                              " trials of this cell will end as oom"
                        : text;
}

std::string largest_models_text(const MemoryNeed& need) {
  if (!need.fit_bytes) {
    return need.available_bytes ? ""
                                : "declare device_memory_gb to be told the largest models that fit";
  }
  const std::string text = models_text(need);
  const std::string device =
      fmt::format("{} a rank ({})",
                  device_text(need, *need.fit_bytes),
                  need.is_device_declared ? "device_memory_gb"
                  : need.device_bytes     ? "a GPU of this machine"
                                          : "a rank's share of what is available");
  const auto is_most = [](const auto& entry) { return entry.second >= kMostLayers; };
  if (std::ranges::all_of(need.largest_layers, is_most)) {
    return text.empty() ? ""
                        : fmt::format(
                              "64 model.layers, the most that are tried, fit {} with every "
                              "strategy and the settings of {}, calculated",
                              device,
                              name_curve(need.label));
  }
  return fmt::format(
      "the most model.layers that fit {} with the settings of {}, calculated: {}{}",
      device,
      name_curve(need.label),
      text,
      std::ranges::any_of(need.largest_layers, is_most) ? "; more than 64 are not tried" : "");
}

}  // namespace scalestudy
