// Takes unit texts apart: multiplier, word, "per".
#include "harness/audit/figure/unit.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <utility>

#include "harness/audit/figure/figure_text.h"
#include "harness/text/quantity.h"
#include "harness/text/text.h"

namespace scalestudy::audit {
namespace {

using Scale = std::optional<double>;
using Entry = std::pair<std::string_view, double>;

template <std::size_t n>
Scale look_up(const std::array<Entry, n>& table, std::string_view word) {
  const auto found = std::find_if(
      table.begin(), table.end(), [&](const Entry& entry) { return entry.first == word; });
  return found == table.end() ? Scale() : Scale(found->second);
}

constexpr double kMinute = 60.0;
constexpr double kHour = kSecondsAnHour;
constexpr double kDay = 86400.0;

constexpr auto kTimes = std::to_array<Entry>({
    {"ns", 1e-9},        {"us", 1e-6},         {"µs", 1e-6},     {"μs", 1e-6},
    {"ms", 1e-3},        {"s", 1.0},           {"sec", 1.0},     {"secs", 1.0},
    {"second", 1.0},     {"seconds", 1.0},     {"min", kMinute}, {"mins", kMinute},
    {"minute", kMinute}, {"minutes", kMinute}, {"h", kHour},     {"hr", kHour},
    {"hrs", kHour},      {"hour", kHour},      {"hours", kHour}, {"d", kDay},
    {"day", kDay},       {"days", kDay},
});

constexpr auto kSizes = std::to_array<Entry>({
    {"B", 1.0},
    {"bytes", 1.0},
    {"kB", 1e3},
    {"KB", 1e3},
    {"MB", 1e6},
    {"GB", 1e9},
    {"TB", 1e12},
    {"PB", 1e15},
    {"KiB", 1024.0},
    {"MiB", 0x1p20},
    {"GiB", 0x1p30},
    {"TiB", 0x1p40},
});

constexpr auto kMultipliers = std::to_array<Entry>({
    {"k", 1e3},
    {"K", 1e3},
    {"M", 1e6},
    {"G", 1e9},
    {"B", 1e9},
    {"T", 1e12},
    {"P", 1e15},
    {"thousand", 1e3},
    {"million", 1e6},
    {"billion", 1e9},
    {"trillion", 1e12},
});

constexpr auto kPowers = std::to_array<Entry>({{"W", 1.0}, {"kW", 1e3}, {"MW", 1e6}});

constexpr auto kEnergies =
    std::to_array<Entry>({{"J", 1.0}, {"kJ", 1e3}, {"Wh", kHour}, {"kWh", 3.6e6}});

// Whose rate it is, in lower case.
constexpr auto kOwners = std::to_array<std::string_view>(
    {"gpu", "device", "accelerator", "chip", "tpu", "npu", "card", "rank", "node"});

constexpr auto kFlopPrefixes = std::to_array<Entry>({
    {"", 1.0},
    {"K", 1e3},
    {"M", 1e6},
    {"G", 1e9},
    {"T", 1e12},
    {"P", 1e15},
    {"E", 1e18},
});

constexpr auto kBitPrefixes = std::to_array<Entry>(
    {{"", 0.125}, {"k", 125.0}, {"K", 125.0}, {"M", 125e3}, {"G", 125e6}, {"T", 125e9}});

// What a multiplier may be glued to, in lower case and singular: "5 Mtok" is five million.
constexpr auto kNouns = std::to_array<std::string_view>(
    {"tok",      "token", "img",  "image",     "sample", "param",   "parameter",
     "seq",      "it",    "iter", "iteration", "step",   "batch",   "example",
     "sentence", "item",  "word", "frame",     "record", "request", "sequence"});

constexpr auto kCurrencies = std::to_array<std::string_view>({"$", "€", "£", "USD", "EUR", "GBP"});

// Before and after the last `separator`; the second is empty when there is none.
std::pair<std::string_view, std::string_view> split_last(std::string_view text, char separator) {
  const std::size_t at = text.rfind(separator);
  return at == std::string_view::npos
             ? std::pair(text, std::string_view())
             : std::pair(trimmed(text.substr(0, at)), trimmed(text.substr(at + 1)));
}

bool is_word(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == ' ' || c == '-' || c == '_' ||
           c == '/';
  });
}

// "iter" of "iters", "batch" of "batches".
std::string singular(const std::string& noun) {
  const std::size_t ending = noun.ends_with("ches") ? 2 : noun.ends_with('s') ? 1 : 0;
  return noun.substr(0, noun.size() - ending);
}

template <std::size_t n>
bool is_one_of(const std::array<std::string_view, n>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

Scale time_scale(std::string_view unit) {
  static constexpr auto kPer =
      std::to_array<std::string_view>({"epoch", "step", "iter", "iteration", "batch"});
  const std::size_t slash = unit.find('/');
  if (slash != std::string_view::npos) {
    if (std::find(kPer.begin(), kPer.end(), trimmed(unit.substr(slash + 1))) == kPer.end()) {
      return std::nullopt;
    }
    unit = trimmed(unit.substr(0, slash));
  }
  return look_up(kTimes, unit);
}

Scale flop_scale(std::string_view unit, bool is_rate) {
  static constexpr auto kRates = std::to_array<std::string_view>({"FLOPS", "FLOP/s", "FLOPs/s"});
  static constexpr auto kCounts = std::to_array<std::string_view>({"FLOP", "FLOPs"});
  const auto scale_with = [&](const auto& endings) {
    for (const std::string_view ending : endings) {
      if (unit.ends_with(ending)) {
        return look_up(kFlopPrefixes, trimmed(unit.substr(0, unit.size() - ending.size())));
      }
    }
    return Scale();
  };
  return is_rate ? scale_with(kRates) : scale_with(kCounts);
}

Scale bandwidth_scale(std::string_view unit) {
  for (const std::string_view ending : {"bps", "bit/s", "b/s"}) {
    if (unit.ends_with(ending)) {
      return look_up(kBitPrefixes, unit.substr(0, unit.size() - ending.size()));
    }
  }
  if (unit.ends_with("Bps")) {
    return look_up(kSizes, unit.substr(0, unit.size() - 2));
  }
  const auto [size, per] = split_last(unit, '/');
  return per == "s" || per == "sec" ? look_up(kSizes, size) : Scale();
}

// Whether a word that stands behind a count is in truth a unit of something else.
bool is_foreign_unit(std::string_view word) {
  return time_scale(word) || (word != "B" && look_up(kSizes, word)) || look_up(kPowers, word) ||
         flop_scale(word, true) || flop_scale(word, false) || bandwidth_scale(word) ||
         look_up(kTimes, split_last(word, '/').second) || word == "x" || word == "X";
}

Scale count_scale(std::string_view unit) {
  if (unit.empty()) {
    return 1.0;
  }
  const std::size_t blank = unit.find(' ');
  const std::string_view first = unit.substr(0, blank);
  if (const Scale multiplier = look_up(kMultipliers, first)) {
    const std::string_view word =
        blank == std::string_view::npos ? std::string_view() : trimmed(unit.substr(blank));
    return is_word(word) && !is_foreign_unit(word) ? multiplier : Scale();
  }
  const bool is_bit = unit == "Bit" || unit == "Bits";  // and no billion iterations
  if (is_one_of(kNouns, singular(lowered(std::string(unit.substr(1))))) && !is_bit) {
    if (const Scale glued = look_up(kMultipliers, unit.substr(0, 1))) {
      return glued;
    }
  }
  return is_word(unit) && !is_foreign_unit(unit) ? Scale(1.0) : Scale();
}

Scale rate_scale(std::string_view unit) {
  if (unit.empty()) {
    return 1.0;
  }
  const std::size_t slash = unit.find('/');
  if (slash == std::string_view::npos) {
    return look_up(kMultipliers, unit);
  }
  std::string_view per = trimmed(unit.substr(slash + 1));
  const auto [first, last] = split_last(per, '/');  // "s/GPU", "GPU/s"
  per = is_one_of(kOwners, lowered(std::string(last)))    ? first
        : is_one_of(kOwners, lowered(std::string(first))) ? last
                                                          : per;
  const Scale count = count_scale(trimmed(unit.substr(0, slash)));
  const Scale seconds = look_up(kTimes, per);
  return count && seconds ? Scale(*count / *seconds) : Scale();
}

Scale money_scale(std::string_view unit) {
  for (const std::string_view currency : kCurrencies) {
    if (unit.starts_with(currency)) {
      const std::string_view rest = trimmed(unit.substr(currency.size()));
      return rest.empty() ? Scale(1.0) : look_up(kMultipliers, rest);
    }
    if (unit.ends_with(currency)) {
      return look_up(kMultipliers, trimmed(unit.substr(0, unit.size() - currency.size())));
    }
  }
  return std::nullopt;
}

// "GPU-hr", "hour": seconds of the time unit at the end.
Scale device_time_scale(std::string_view unit) {
  const char separator = unit.find('-') == std::string_view::npos ? ' ' : '-';
  const auto [whose, time] = split_last(unit, separator);
  return !time.empty() && is_word(whose) ? look_up(kTimes, time) : Scale();
}

Scale price_scale(std::string_view unit) {
  const auto [whole, per] = split_last(unit, '/');
  const auto [money, whose] = split_last(whole, '/');  // "$/GPU/h"
  const bool is_of_one = whose == "GPU" || whose == "gpu" || whose == "device";
  const Scale amount = money_scale(is_of_one ? money : whole);
  const Scale seconds = look_up(kTimes, per) ? look_up(kTimes, per) : device_time_scale(per);
  return amount && seconds ? Scale(*amount / *seconds) : Scale();
}

Scale rate_per_power_scale(std::string_view unit) {
  const auto [rate, power] = split_last(unit, '/');
  if (const Scale joules = look_up(kEnergies, power)) {
    const Scale count = count_scale(rate);
    return count ? Scale(*count / *joules) : Scale();
  }
  const Scale per_second = rate.empty() ? Scale() : rate_scale(rate);
  const Scale watts = look_up(kPowers, power);
  return per_second && watts ? Scale(*per_second / *watts) : Scale();
}

Scale ratio_scale(std::string_view unit) {
  // The last is "×" of a document that was read as Windows-1252 and written as UTF-8.
  static constexpr auto kRatios = std::to_array<Entry>(
      {{"", 1.0}, {"%", 0.01}, {"x", 1.0}, {"X", 1.0}, {"×", 1.0}, {"Ã—", 1.0}});
  return look_up(kRatios, unit);
}

}  // namespace

std::string_view base_unit(Dimension dimension) {
  switch (dimension) {
    case Dimension::kLabel:
    case Dimension::kOther:
      return "";
    case Dimension::kRatio:
    case Dimension::kCount:
      return "1";
    case Dimension::kTime:
      return "s";
    case Dimension::kBytes:
      return "B";
    case Dimension::kBandwidth:
      return "B/s";
    case Dimension::kRate:
      return "1/s";
    case Dimension::kMoney:
      return "currency";
    case Dimension::kPrice:
      return "currency/s";
    case Dimension::kDeviceTime:
      return "device s";
    case Dimension::kFlop:
      return "FLOP";
    case Dimension::kFlopRate:
      return "FLOP/s";
    case Dimension::kPower:
      return "W";
    case Dimension::kRatePerPower:
      return "1/s/W";
  }
  return "";
}

std::optional<double> unit_scale(std::string_view unit, Dimension dimension) {
  unit = trimmed(unit);
  switch (dimension) {
    case Dimension::kLabel:
      return std::nullopt;
    case Dimension::kRatio:
      return ratio_scale(unit);
    case Dimension::kCount:
      return count_scale(unit);
    case Dimension::kTime:
      return time_scale(unit);
    case Dimension::kBytes:
      return look_up(kSizes, unit);
    case Dimension::kBandwidth:
      return bandwidth_scale(unit);
    case Dimension::kRate:
      return rate_scale(unit);
    case Dimension::kMoney:
      return money_scale(unit);
    case Dimension::kPrice:
      return price_scale(unit);
    case Dimension::kDeviceTime:
      return device_time_scale(unit);
    case Dimension::kFlop:
      return flop_scale(unit, false);
    case Dimension::kFlopRate:
      return flop_scale(unit, true);
    case Dimension::kPower:
      return look_up(kPowers, unit);
    case Dimension::kRatePerPower:
      return rate_per_power_scale(unit);
    case Dimension::kOther:
      return 1.0;
  }
  return std::nullopt;
}

double binary_excess(double unit_size) {
  static constexpr auto kPairs = std::to_array<std::pair<double, double>>(
      {{1e3, 0x1p10}, {1e6, 0x1p20}, {1e9, 0x1p30}, {1e12, 0x1p40}});
  const auto* const found = std::find_if(
      kPairs.begin(), kPairs.end(), [&](const auto& pair) { return pair.first == unit_size; });
  return found == kPairs.end() ? 1.0 : found->second / found->first;
}

}  // namespace scalestudy::audit
