#include "harness/base/device_link.h"

#include <charconv>
#include <string_view>
#include <vector>

#include "harness/text/number.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

constexpr std::string_view kBetween = "; ";
constexpr std::string_view kOf = ": ";
constexpr std::string_view kRate = " GB/s by ";
constexpr const char* kAll = "all pairs";
constexpr double kGiga = 1e9;

DeviceLink read_description(std::string_view text) {
  const std::size_t rate = text.rfind(kRate);
  const std::size_t comma = rate == std::string_view::npos ? rate : text.rfind(", ", rate);
  if (comma == std::string_view::npos) {
    return {.kind = std::string(text), .bytes_per_s = 0.0, .by = {}};
  }
  const std::string_view number = text.substr(comma + 2, rate - comma - 2);
  double gigabytes = 0.0;
  std::from_chars(number.data(), number.data() + number.size(), gigabytes);
  return {.kind = std::string(text.substr(0, comma)),
          .bytes_per_s = gigabytes * kGiga,
          .by = std::string(text.substr(rate + kRate.size()))};
}

}  // namespace

bool DeviceLink::is_direct_nvlink() const {
  return kind.starts_with("NVLink") && !kind.ends_with(kBySwitch);
}

std::string describe_link(const DeviceLink& link) {
  return link.bytes_per_s > 0.0 ? link.kind + ", " + format_number(link.bytes_per_s / kGiga) +
                                      std::string(kRate) + link.by
                                : link.kind;
}

std::string format_device_links(const std::map<DevicePair, DeviceLink>& links,
                                std::size_t devices) {
  std::map<std::string, std::vector<std::string>> pairs;
  for (const auto& [pair, link] : links) {
    pairs[describe_link(link)].push_back(std::to_string(pair.first) + "-" +
                                         std::to_string(pair.second));
  }
  const bool are_all = pairs.size() == 1 && links.size() == devices * (devices - 1) / 2;
  std::vector<std::string> kinds;
  kinds.reserve(pairs.size());
  for (const auto& [description, names] : pairs) {
    kinds.push_back(description + std::string(kOf) +
                    (are_all ? std::string(kAll) : join(names, ", ")));
  }
  return join(kinds, kBetween);
}

std::optional<DeviceLink> find_device_link(const std::string& text,
                                           const std::optional<DevicePair>& pair) {
  const std::string name =
      pair ? std::to_string(pair->first) + "-" + std::to_string(pair->second) : kAll;
  for (const std::string& kind : split(text, kBetween)) {
    const std::size_t colon = kind.rfind(kOf);
    if (colon == std::string::npos) {
      continue;
    }
    for (const std::string& each : split(kind.substr(colon + kOf.size()), ", ")) {
      if (each == name || each == kAll) {
        return read_description(kind.substr(0, colon));
      }
    }
  }
  return std::nullopt;
}

}  // namespace scalestudy
