// The machine's own clocks.
#include "harness/base/clock.h"

#include <array>
#include <chrono>
#include <ctime>

namespace scalestudy {
namespace {

std::optional<std::time_t> parse_utc(const std::string& text) {
  std::tm parts{};
  const char* end = strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return end != nullptr && *end == '\0' ? std::optional(timegm(&parts)) : std::nullopt;
}

}  // namespace

double SystemClock::monotonic_s() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string SystemClock::utc_now() const {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  const std::size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text.data(), length};
}

std::optional<double> seconds_between(const std::string& from, const std::string& to) {
  const auto begin = parse_utc(from);
  const auto end = parse_utc(to);
  return begin && end ? std::optional(std::difftime(*end, *begin)) : std::nullopt;
}

}  // namespace scalestudy
