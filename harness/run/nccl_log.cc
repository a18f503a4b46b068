#include "harness/run/nccl_log.h"

#include <algorithm>
#include <array>
#include <functional>
#include <sstream>

#include <fmt/format.h>
#include <re2/re2.h>

#include "harness/base/text.h"

namespace scalestudy {
namespace {

using re2::RE2;

// Before 2.25 NCCL printed the numbers of its enumerations (nccl_tuner.h).
constexpr std::array<const char*, 7> kAlgorithms = {
    "TREE", "RING", "COLLNET_DIRECT", "COLLNET_CHAIN", "NVLS", "NVLS_TREE", "PAT"};
constexpr std::array<const char*, 3> kProtocols = {"LL", "LL128", "SIMPLE"};

template <std::size_t n>
std::string word_of(const std::string& text, const std::array<const char*, n>& words) {
  const bool is_number = text.size() == 1 && text[0] >= '0' && text[0] <= '9';
  const auto number = is_number ? static_cast<std::size_t>(text[0] - '0') : n;
  return number < n ? words.at(number) : text;
}

// "NVLS_TREE" and "NVLSTree" are one word.
std::string plain(std::string text) {
  std::erase(text, '_');
  std::ranges::transform(text, text.begin(), [](char c) {
    return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  });
  return text;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) {
    parts.push_back(part);
  }
  return parts;
}

// Whether NCCL's grammar ("ring,tree"; "^tree"; "allreduce:tree;broadcast:ring") lets a function go
// by `word`. One that is not named goes by the list without a name, else by what it likes.
bool allows(const std::string& asked, const std::string& function, const std::string& word) {
  std::optional<std::string> list;
  for (const std::string& part : split(asked, ';')) {
    const std::size_t colon = part.find(':');
    if (colon == std::string::npos) {
      list = list.value_or(part);
    } else if (plain(part.substr(0, colon)) == plain(function)) {
      list = part.substr(colon + 1);
    }
  }
  if (!list) {
    return true;
  }
  const bool is_excluding = list->starts_with('^');
  const std::vector<std::string> words = split(is_excluding ? list->substr(1) : *list, ',');
  const bool is_named = std::ranges::any_of(
      words, [&](const std::string& each) { return plain(each) == plain(word); });
  return is_named != is_excluding;
}

FoundSetting applied(const std::string& how) {
  return {1.0, "applied: " + how};
}
FoundSetting overridden(const std::string& how) {
  return {0.0, "overridden: " + how};
}

// What each collective went by; nothing where none left a trace.
std::optional<FoundSetting> find_choice(const NcclLog& log,
                                        const std::string& asked,
                                        std::string NcclLog::Collective::*choice) {
  std::vector<std::string> as_asked;
  std::vector<std::string> others;
  for (const NcclLog::Collective& collective : log.collectives) {
    const bool is_allowed =
        !(collective.*choice).empty() && allows(asked, collective.function, collective.*choice);
    (is_allowed ? as_asked : others)
        .push_back(
            collective.algorithm.empty()
                ? collective.function + " by a symmetric kernel"
                : fmt::format(
                      "{} {} {}", collective.function, collective.algorithm, collective.protocol));
  }
  if (!others.empty()) {
    return overridden(join(others, ", "));
  }
  return as_asked.empty() ? std::nullopt : std::optional(applied(join(as_asked, ", ")));
}

std::optional<FoundSetting> find_channels(const NcclLog& log,
                                          const std::string& asked,
                                          const std::function<bool(int, int)>& holds) {
  int number = 0;
  if (log.channels.empty() || !RE2::FullMatch(asked, "(\\d{1,6})", &number)) {
    return std::nullopt;
  }
  std::vector<std::string> counts;
  bool is_held = true;
  for (const int channels : log.channels) {
    counts.push_back(std::to_string(channels));
    is_held = is_held && holds(channels, number);
  }
  const std::string how = join(counts, ", ") + " channels";
  return is_held ? applied(how) : overridden(how);
}

// Whether messages left the node: else nothing shows what a setting of the network does.
bool uses_network(const NcclLog& log) {
  return std::ranges::any_of(log.transports,
                             [](const std::string& used) { return used.starts_with("NET/"); });
}

// Of a setting that asks for no transport whose name begins so, or for that network alone.
std::optional<FoundSetting> find_transport(const NcclLog& log,
                                           const std::function<bool(const std::string&)>& may_be) {
  if (log.transports.empty()) {
    return std::nullopt;
  }
  std::vector<std::string> others;
  std::ranges::copy_if(log.transports, std::back_inserter(others), std::not_fn(may_be));
  const std::string all =
      join(std::vector<std::string>(log.transports.begin(), log.transports.end()), ", ");
  return others.empty() ? applied("via " + all) : overridden("via " + join(others, ", "));
}

// By what the variable's effect leaves in the log; nothing where it leaves none.
std::optional<FoundSetting> find_effect(const NcclLog& log,
                                        const std::string& variable,
                                        const std::string& asked) {
  if (variable == "NCCL_ALGO") {
    return find_choice(log, asked, &NcclLog::Collective::algorithm);
  }
  if (variable == "NCCL_PROTO") {
    return find_choice(log, asked, &NcclLog::Collective::protocol);
  }
  if (variable == "NCCL_MIN_NCHANNELS" || variable == "NCCL_MIN_CTAS") {
    return find_channels(log, asked, std::greater_equal<>());
  }
  if (variable == "NCCL_MAX_NCHANNELS" || variable == "NCCL_MAX_CTAS") {
    return find_channels(log, asked, std::less_equal<>());
  }
  if ((variable == "NCCL_IB_DISABLE" || variable == "NCCL_NET") && !uses_network(log)) {
    return std::nullopt;
  }
  for (const auto& [name, transport] : {std::pair("NCCL_P2P_DISABLE", "P2P"),
                                        std::pair("NCCL_SHM_DISABLE", "SHM"),
                                        std::pair("NCCL_IB_DISABLE", "NET/IB")}) {
    if (variable == name && asked == "1") {
      return find_transport(log, [transport = std::string(transport)](const std::string& used) {
        return !used.starts_with(transport);
      });
    }
  }
  if (variable == "NCCL_NET") {
    return find_transport(log, [&](const std::string& used) {
      return !used.starts_with("NET/") || plain(used) == plain("NET/" + asked);
    });
  }
  return std::nullopt;
}

}  // namespace

void read_nccl_log(std::istream& lines, NcclLog& log) {
  static const RE2 kLine(R"(NCCL (?:INFO|WARN) (.*))");
  static const RE2 kChoice(R"((\w+): \d+ Bytes -> Algo (\w+) proto (\w+).*)");
  static const RE2 kSymmetric(R"((\w+) \[Symmetric\]: \d+ Bytes -> Kernel .*)");
  static const RE2 kTaken(R"((NCCL_\w+) set by environment to (.*?)\.?)");
  static const RE2 kRefused(R"(Invalid .*?(NCCL_[A-Z0-9_]+).*)");
  static const RE2 kChannels(R"((\d{1,6}) coll channels.*)");
  static const RE2 kTransport(R"(Channel \d+(?:/\d+)? : .* via (NET/\w+|\w+).*)");
  static const RE2 kName(R"(\b(NCCL_[A-Z0-9_]+))");
  for (std::string line; std::getline(lines, line);) {
    std::string text;
    if (!RE2::PartialMatch(line, kLine, &text)) {
      continue;
    }
    log.has_started = true;
    NcclLog::Collective collective;
    std::string name;
    std::string value;
    int channels = 0;
    if (RE2::FullMatch(text, kChoice, &collective.function, &name, &value)) {
      collective.algorithm = word_of(name, kAlgorithms);
      collective.protocol = word_of(value, kProtocols);
      log.collectives.insert(std::move(collective));
    } else if (RE2::FullMatch(text, kSymmetric, &collective.function)) {
      log.collectives.insert(std::move(collective));
    } else if (RE2::FullMatch(text, kTaken, &name, &value)) {
      log.taken[name] = value;
    } else if (RE2::FullMatch(text, kRefused, &name)) {
      log.refused[name] = text;
    } else if (RE2::FullMatch(text, kChannels, &channels)) {
      log.channels.insert(channels);
    } else if (RE2::FullMatch(text, kTransport, &name)) {
      log.transports.insert(name);
    }
    re2::StringPiece rest(text);
    while (RE2::FindAndConsume(&rest, kName, &name)) {
      log.named.insert(name);
    }
  }
}

FoundSetting find_setting(const NcclLog& log,
                          const std::string& variable,
                          const std::string& asked) {
  if (!log.has_started) {
    return {std::nullopt, "unconfirmed: the run left no line of NCCL's"};
  }
  if (const auto refused = log.refused.find(variable); refused != log.refused.end()) {
    return overridden(refused->second);
  }
  if (!log.named.contains(variable)) {
    return {-1.0, "not_seen: NCCL names no such variable"};
  }
  const auto taken = log.taken.find(variable);
  std::int64_t wanted = 0;
  std::int64_t held = 0;
  if (taken != log.taken.end() && RE2::FullMatch(asked, "(-?\\d+)", &wanted) &&
      RE2::FullMatch(taken->second, "(-?\\d+)", &held) && wanted != held) {
    return overridden("NCCL read " + taken->second);
  }
  if (auto effect = find_effect(log, variable, asked)) {
    return *effect;
  }
  return {std::nullopt,
          taken == log.taken.end()
              ? "unconfirmed: NCCL names it, and nothing shows what came of it"
              : "unconfirmed: NCCL read " + taken->second + ", and nothing shows what came of it"};
}

}  // namespace scalestudy
