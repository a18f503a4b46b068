#include "harness/run/nccl/nccl_settings.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <re2/re2.h>

#include "harness/run/nccl/nccl_transports.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

using re2::RE2;
using Collective = NcclTrace::Collective;

// "NVLS_TREE" and "NVLSTree" are one word.
std::string plain(std::string text) {
  std::erase(text, '_');
  return lowered(std::move(text));
}

FoundSetting applied(const std::string& how) {
  return {1.0, "applied: " + how};
}
FoundSetting overridden(const std::string& how) {
  return {0.0, "overridden: " + how};
}

std::string list(const std::set<std::string>& texts) {
  return join(std::vector(texts.begin(), texts.end()), ", ");
}

std::string list(const std::set<int>& numbers) {
  std::vector<std::string> texts;
  std::ranges::transform(
      numbers, std::back_inserter(texts), [](int number) { return std::to_string(number); });
  return join(texts, ", ");
}

std::optional<int> number_of(const std::string& text) {
  int number = 0;
  return RE2::FullMatch(text, R"((\d{1,9}))", &number) ? std::optional(number) : std::nullopt;
}

// "AllReduce TREE SIMPLE".
std::string name_of(const Collective& collective) {
  return collective.algorithm.empty()
             ? collective.function + " by a symmetric kernel"
             : fmt::format(
                   "{} {} {}", collective.function, collective.algorithm, collective.protocol);
}

// ---- algorithm and protocol

// Whether NCCL's grammar ("ring,tree"; "^tree"; "allreduce:tree;broadcast:ring") lets a function go
// by `word`. One that is not named goes by the list without a name, else by what it likes.
bool allows(const std::string& asked, const std::string& function, const std::string& word) {
  std::optional<std::string> list;
  std::vector<std::string> parts = split(asked, ";");
  if (parts.back().empty()) {
    parts.pop_back();
  }
  for (const std::string& part : parts) {
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
  const std::vector<std::string> words = split(is_excluding ? list->substr(1) : *list, ",");
  const bool is_named = std::ranges::any_of(
      words, [&](const std::string& each) { return plain(each) == plain(word); });
  return is_named != is_excluding;
}

// What each collective went by; nothing where none left a trace.
std::optional<FoundSetting> find_choice(const NcclTrace& trace,
                                        const std::string& asked,
                                        std::string Collective::*choice) {
  std::set<std::string> as_asked;
  std::set<std::string> others;
  for (const Collective& collective : trace.collectives) {
    const bool is_allowed =
        !(collective.*choice).empty() && allows(asked, collective.function, collective.*choice);
    (is_allowed ? as_asked : others).insert(name_of(collective));
  }
  if (!others.empty()) {
    return overridden(list(others));
  }
  return as_asked.empty() ? std::nullopt : std::optional(applied(list(as_asked)));
}

// Of a variable that forbids (0) or allows (1) algorithms whose names begin so; 2 leaves it to
// NCCL.
std::optional<FoundSetting> find_algorithm(const NcclTrace& trace,
                                           const std::string& asked,
                                           std::string_view algorithm) {
  if (trace.collectives.empty()) {
    return std::nullopt;
  }
  std::set<std::string> all;
  bool is_used = false;
  for (const Collective& collective : trace.collectives) {
    all.insert(name_of(collective));
    is_used = is_used || collective.algorithm.starts_with(algorithm);
  }
  if (asked == "2") {
    return applied("NCCL chose, " + list(all));
  }
  return is_used == (asked == "1") ? applied(list(all)) : overridden(list(all));
}

// ---- channels, threads, chunks

// What operations were given, else what communicators have. Of fewer channels than a communicator
// has are small messages: the most counts for a lower bound.
std::optional<FoundSetting> find_channels(const NcclTrace& trace, int asked, bool is_least) {
  std::set<int> given = trace.message_channels;
  for (const Collective& collective : trace.collectives) {
    given.insert(collective.channels);
  }
  given.erase(0);
  if (given.empty() && trace.channels.empty()) {
    return std::nullopt;
  }
  const std::set<int>& channels = given.empty() ? trace.channels : given;
  const int least = given.empty() ? *channels.begin() : *channels.rbegin();
  const bool is_held = is_least ? least >= asked : *channels.rbegin() <= asked;
  const std::string how = (given.empty() ? "" : "operations of ") + list(channels) + " channels";
  return is_held ? applied(how) : overridden(how);
}

// All channels of NVLS; the count alone where it is asked for.
std::optional<FoundSetting> find_nvls(const NcclTrace& trace,
                                      const std::string& variable,
                                      int asked) {
  if (trace.nvls_channels.empty()) {
    return std::nullopt;
  }
  const std::string how = list(trace.nvls_channels) + " channels of NVLS";
  const bool is_own_choice = variable == "NCCL_NVLS_ENABLE" && asked == 2;
  const bool is_held = std::ranges::all_of(trace.nvls_channels, [&](int channels) {
    return variable == "NCCL_NVLS_NCHANNELS" ? channels == asked : (channels > 0) == (asked == 1);
  });
  return is_own_choice ? applied("NCCL chose, " + how) : is_held ? applied(how) : overridden(how);
}

// The most threads of NCCL's table for the algorithm and protocol; absent where it printed none.
std::optional<int> limit_of(const NcclTrace& trace, const Collective& collective) {
  for (const auto& [key, threads] : trace.most_threads) {
    if (plain(key.first) == plain(collective.algorithm) && key.second == collective.protocol) {
      return *threads.rbegin();
    }
  }
  return std::nullopt;
}

// Whether threads of a block of that collective are what this variable sets.
bool goes_by(const std::string& variable, const Collective& collective) {
  return !collective.algorithm.empty() && collective.algorithm != "TREE" &&
         collective.algorithm != "PAT" &&
         (collective.protocol == "LL128") == (variable == "NCCL_LL128_NTHREADS");
}

enum class Threads { kAsAsked, kFewer, kOthers };

// What a collective's threads are beside those asked for, and how many. `counted` (the plugin) or
// its limit (the log) is known.
//   source  NCCL 2.28.9, src/graph/tuning.cc, ncclTopoTuneModel, and src/enqueue.cc,
//   topoGetAlgoInfo
std::pair<Threads, std::string> judge_threads(const Collective& collective,
                                              std::optional<int> limit,
                                              int asked) {
  constexpr int warp = 32;
  const bool is_counted = collective.threads > 0;
  const bool is_simple_ring = collective.algorithm == "RING" && collective.protocol == "SIMPLE";
  const int threads =
      is_counted ? collective.threads - (is_simple_ring ? warp : 0) : limit.value_or(0);
  const bool is_other = threads > asked || limit.value_or(asked) != asked;
  return {is_other           ? Threads::kOthers
          : threads == asked ? Threads::kAsAsked
                             : Threads::kFewer,
          fmt::format(
              "{} with {} threads{}", name_of(collective), threads, is_counted ? "" : " at most")};
}

// Threads of a block. NCCL takes those of its table, fewer for small messages, and a warp more in a
// ring of SIMPLE; a tree and PAT take all there are.
std::optional<FoundSetting> find_threads(const NcclTrace& trace,
                                         const std::string& variable,
                                         int asked) {
  const bool is_counted = std::ranges::any_of(
      trace.collectives, [](const Collective& each) { return each.threads > 0; });
  std::map<Threads, std::set<std::string>> found;
  for (const Collective& collective : trace.collectives) {
    const std::optional<int> limit = limit_of(trace, collective);
    if (is_counted && collective.threads == 0) {
      continue;  // the log's line of one that is here with its threads
    }
    if (!goes_by(variable, collective)) {
      found[Threads::kOthers].insert(name_of(collective) + ", which does not go by it");
    } else if (!is_counted && !limit) {
      return std::nullopt;
    } else {
      const auto [kind, text] = judge_threads(collective, limit, asked);
      found[kind].insert(text);
    }
  }
  if (found.contains(Threads::kOthers)) {
    return overridden(list(found[Threads::kOthers]));
  }
  if (found.contains(Threads::kAsAsked)) {
    return applied(list(found[Threads::kAsAsked]));
  }
  return found.empty() ? std::nullopt
                       : std::optional(FoundSetting{std::nullopt,
                                                    "unconfirmed: " + list(found[Threads::kFewer]) +
                                                        ", as for small messages"});
}

// Chunks of send and receive are those of the kind of link, and no more than an eighth of a buffer:
// one of a size that no kind has by default shows what set it.
//   source  NCCL 2.28.9, src/init.cc, computeBuffSizes; src/include/device.h, NCCL_STEPS
std::optional<FoundSetting> find_chunks(const NcclTrace& trace,
                                        const std::string& variable,
                                        std::int64_t asked) {
  constexpr std::int64_t steps = 8;
  constexpr std::array<int, 2> defaults = {131072, 524288};
  if (trace.chunk_bytes.empty()) {
    return std::nullopt;
  }
  const bool is_buffer = variable == "NCCL_BUFFSIZE";
  const std::int64_t wanted = is_buffer ? asked / steps : asked;
  const std::string how = "chunks of " + list(trace.chunk_bytes) + " bytes";
  if (*trace.chunk_bytes.rbegin() > wanted || (!is_buffer && *trace.chunk_bytes.begin() < wanted)) {
    return overridden(how);
  }
  const bool is_default = std::ranges::find(defaults, wanted) != defaults.end();
  const bool is_its_own = *trace.chunk_bytes.begin() == wanted && !is_default &&
                          (!is_buffer || std::ranges::none_of(trace.taken, [](const auto& taken) {
                            return taken.first.ends_with("_CHUNKSIZE");
                          }));
  return is_its_own ? applied(how)
                    : FoundSetting{std::nullopt,
                                   "unconfirmed: " + how + ", which does not show what set them"};
}

// By what the variable's effect leaves behind; nothing where it leaves nothing.
std::optional<FoundSetting> find_effect(const NcclTrace& trace,
                                        const std::string& variable,
                                        const std::string& asked) {
  if (variable == "NCCL_ALGO") {
    return find_choice(trace, asked, &Collective::algorithm);
  }
  if (variable == "NCCL_PROTO") {
    return find_choice(trace, asked, &Collective::protocol);
  }
  if (variable == "NCCL_PAT_ENABLE") {
    return find_algorithm(trace, asked, "PAT");
  }
  if (variable == "NCCL_COLLNET_ENABLE") {
    return find_algorithm(trace, asked, "COLLNET");
  }
  const std::optional<int> number = number_of(asked);
  const bool is_least = variable == "NCCL_MIN_NCHANNELS" || variable == "NCCL_MIN_CTAS";
  if (number && (is_least || variable == "NCCL_MAX_NCHANNELS" || variable == "NCCL_MAX_CTAS")) {
    return find_channels(trace, *number, is_least);
  }
  if (number && (variable == "NCCL_NTHREADS" || variable == "NCCL_LL128_NTHREADS")) {
    return find_threads(trace, variable, *number);
  }
  if (number && (variable == "NCCL_NVLS_ENABLE" || variable == "NCCL_NVLS_NCHANNELS")) {
    return find_nvls(trace, variable, *number);
  }
  const bool is_chunk = variable.starts_with("NCCL_P2P_") && variable.ends_with("_CHUNKSIZE");
  if (number && (is_chunk || variable == "NCCL_BUFFSIZE")) {
    return find_chunks(trace, variable, *number);
  }
  return find_transport(trace, variable, asked);
}

}  // namespace

FoundSetting find_setting(const NcclTrace& trace,
                          const std::string& variable,
                          const std::string& asked) {
  if (!trace.has_started && !trace.has_profile) {
    return {std::nullopt, "unconfirmed: the run left no line of NCCL's"};
  }
  if (const auto refused = trace.refused.find(variable); refused != trace.refused.end()) {
    return overridden(refused->second);
  }
  if (trace.has_started && !trace.named.contains(variable)) {
    return {-1.0, "not_seen: NCCL names no such variable"};
  }
  const auto taken = trace.taken.find(variable);
  std::int64_t wanted = 0;
  std::int64_t held = 0;
  if (taken != trace.taken.end() && RE2::FullMatch(asked, "(-?\\d+)", &wanted) &&
      RE2::FullMatch(taken->second, "(-?\\d+)", &held) && wanted != held) {
    return overridden("NCCL read " + taken->second);
  }
  if (auto effect = find_effect(trace, variable, asked)) {
    return *effect;
  }
  const auto configured = trace.configured.find(variable);
  const std::string read = configured != trace.configured.end() ? configured->second
                           : taken != trace.taken.end()         ? "NCCL read " + taken->second
                           : trace.has_started                  ? "NCCL names it"
                                                                : "NCCL left no log";
  return {std::nullopt, "unconfirmed: " + read + ", and nothing shows what came of it"};
}

}  // namespace scalestudy
