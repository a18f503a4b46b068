// What pairs of devices can send to each other: ping-pongs of a study that gives `pair`.
#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "harness/report/input/cell_names.h"
#include "harness/report/input/estimates.h"
#include "harness/report/input/groups.h"
#include "harness/report/sections/group_tables.h"
#include "harness/report/sections/sections.h"
#include "harness/report/template/table.h"
#include "harness/store/cell_name.h"
#include "harness/text/measure.h"
#include "harness/text/number.h"
#include "harness/text/quantity.h"
#include "workloads/names/names.h"

namespace scalestudy::report {
namespace {

constexpr double kMicro = 1e6;
constexpr double kGiga = 1e-9;
constexpr std::int64_t kMostRanks = 16;  // of a matrix that a page can hold

// A pair with its cells of the smallest and the largest message of all pairs; nullptr for one that
// was not sent between this one.
struct DevicePair {
  std::string name;  // "0-1", "halves"
  const CellRow* small = nullptr;
  const CellRow* large = nullptr;

  const CellRow& any() const { return large != nullptr ? *large : *small; }
};

// 0 and 2 of "0-2"; absent of halves.
std::optional<std::pair<std::int64_t, std::int64_t>> ranks_of(const DevicePair& pair) {
  const std::size_t dash = std::min(pair.name.find('-'), pair.name.size());
  const auto lower = parse_number(pair.name.substr(0, dash));
  const auto upper = parse_number(pair.name.substr(std::min(dash + 1, pair.name.size())));
  return lower && upper ? std::optional(std::pair(static_cast<std::int64_t>(*lower),
                                                  static_cast<std::int64_t>(*upper)))
                        : std::nullopt;
}

// The pair that the cell gives, varied or fixed; "" for another operation.
std::string pair_of(const CellRow& cell) {
  const auto value_of = [&](const char* name) {
    const auto found = std::ranges::find(cell.parameters, name, &CellRow::Parameter::name);
    return found == cell.parameters.end() ? std::string() : found->value;
  };
  const std::string operation = value_of(names::kOperation);
  return operation.empty() || operation == "ping_pong" ? value_of(names::kPair) : "";
}

// Numbers of one size of message stand below one heading.
void keep_common_sizes(std::vector<DevicePair>& pairs) {
  const auto small = [](const DevicePair& pair) { return message_bytes(*pair.small); };
  const auto large = [](const DevicePair& pair) { return message_bytes(*pair.large); };
  const auto least = small(*std::ranges::min_element(pairs, {}, small));
  const auto most = large(*std::ranges::max_element(pairs, {}, large));
  for (DevicePair& pair : pairs) {
    pair.small = small(pair) == least ? pair.small : nullptr;
    pair.large = large(pair) == most ? pair.large : nullptr;
  }
  std::erase_if(
      pairs, [](const DevicePair& pair) { return pair.small == nullptr && pair.large == nullptr; });
}

// By all else that varies: "2 devices, env.NCCL_P2P_DISABLE=1".
std::map<std::string, std::vector<DevicePair>> device_pairs(const ReportInput& input) {
  std::map<std::string, std::vector<DevicePair>> tables;
  for (const Group& group : group_cells(input)) {
    for (const CellRow* cell : group.cells) {
      const std::string name = pair_of(*cell);
      if (name.empty() || input.estimate(cell->id, names::kStepTime) == nullptr) {
        continue;
      }
      const std::string rest = name_parameters(
          *cell,
          [](const CellRow::Parameter& parameter) {
            return parameter.name != names::kPair && parameter.name != names::kMessageBytes &&
                   parameter.name != names::kOperation;
          },
          input.declared.labels);
      std::vector<DevicePair>& pairs = tables[rest];
      auto found = std::ranges::find(pairs, name, &DevicePair::name);
      if (found == pairs.end()) {
        found = pairs.insert(pairs.end(), {name, cell, cell});
      }
      found->small = message_bytes(*cell) < message_bytes(*found->small) ? cell : found->small;
      found->large = message_bytes(*cell) > message_bytes(*found->large) ? cell : found->large;
    }
  }
  for (auto& [rest, pairs] : tables) {
    keep_common_sizes(pairs);
  }
  return tables;
}

// " of 8 B"; nothing where the size does not vary.
std::string of_size(const CellRow* cell) {
  const std::optional<std::int64_t> bytes = cell == nullptr ? std::nullopt : message_bytes(*cell);
  return bytes ? " of " + format_bytes(*bytes) : "";
}

std::string interval(const ReportInput& input,
                     const CellRow* cell,
                     const char* metric,
                     double factor) {
  return format_interval(measure_of(cell == nullptr ? nullptr : input.estimate(cell->id, metric)),
                         {.factor = factor});
}

// Of ranks that had no cores of their own.
std::string mark_of(const CellRow& cell) {
  return cell.oversubscribed ? " †" : "";
}

std::vector<Column<DevicePair>> columns_of(const ReportInput& input,
                                           const std::vector<DevicePair>& pairs) {
  DevicePair first;  // of those with the sizes that the headings name
  for (const DevicePair& pair : pairs) {
    first.small = first.small == nullptr ? pair.small : first.small;
    first.large = first.large == nullptr ? pair.large : first.large;
  }
  const auto column = [&input](const char* metric,
                               double factor,
                               const CellRow* DevicePair::*cell,
                               const ColumnHead& head) {
    return Column<DevicePair>{head, [&input, metric, factor, cell](const DevicePair& pair) {
                                return interval(input, pair.*cell, metric, factor);
                              }};
  };
  return {
      {{"pair", "Pair", "two ranks, or halves; † where they were oversubscribed", Align::kText},
       [](const DevicePair& pair) { return pair.name + mark_of(pair.any()); }},
      column(names::kStepTime,
             kMicro,
             &DevicePair::small,
             {"latency",
              "Latency" + of_size(first.small) + " (µs)",
              "time of the smallest message, one way [interval]"}),
      column(names::kBusBandwidth,
             kGiga,
             &DevicePair::large,
             {"bandwidth",
              "Bandwidth" + of_size(first.large) + " (GB/s)",
              "of the largest message, one way, over all pairs at once [interval]"}),
      {{"link", "Link", "what the pair's link is, and could carry one way", Align::kText},
       [&input](const DevicePair& pair) {
         const VolumeRow* link = pair.large == nullptr ? nullptr : link_of(input, *pair.large);
         return link == nullptr ? "not known" : link->formula;
       }},
      {{"link_share",
        "Share of it (%)",
        "bandwidth over what the link could carry [interval]",
        Align::kNumber,
        Shown::kPresent},
       [&input](const DevicePair& pair) {
         return pair.large == nullptr ? kAbsent : link_share_text(input, *pair.large);
       }},
      column("copy_bandwidth_bytes_per_s",
             kGiga,
             &DevicePair::large,
             {"copy", "Copy (GB/s)", "memory copied by the same ranks [interval]"}),
      {{"n", "n", "trials used / planned, of the largest message"},
       [&input](const DevicePair& pair) {
         return trials_used(input.estimate(pair.any().id, names::kStepTime));
       }},
  };
}

// ---- the matrix

// Row by row: a rank, and the bandwidth with each rank above it.
View::List matrix_of(const ReportInput& input, const std::vector<DevicePair>& pairs) {
  std::map<std::pair<std::int64_t, std::int64_t>, const CellRow*> cells;
  std::int64_t last = 0;
  for (const DevicePair& pair : pairs) {
    if (const auto ranks = ranks_of(pair); ranks && pair.large != nullptr) {
      cells[*ranks] = pair.large;
      last = std::max(last, ranks->second);
    }
  }
  std::vector<Column<std::int64_t>> columns = {
      {{"rank", "Rank", "the lower rank of its pairs"},
       [](const std::int64_t& rank) { return std::to_string(rank); }}};
  for (std::int64_t other = 1; other <= last; ++other) {
    columns.push_back({{"bandwidth",
                        fmt::format("{} (GB/s)", other),
                        "with the last rank; values has those with all"},
                       [&input, &cells, other](const std::int64_t& rank) {
                         const auto cell = cells.find({rank, other});
                         return cell == cells.end()
                                    ? std::string()
                                    : interval(input, cell->second, names::kBusBandwidth, kGiga) +
                                          mark_of(*cell->second);
                       }});
  }
  std::vector<std::int64_t> ranks;
  for (std::int64_t rank = 0; rank < last; ++rank) {
    ranks.push_back(rank);
  }
  return cells.size() < 3 || last >= kMostRanks ? View::List() : one_table(columns, ranks);
}

// ---- sentences

// "Lowest bandwidth of a pair: 0-2, 5.1 [5.0, 5.2] GB/s; highest: 0-1, 20 [19, 21] GB/s"; nothing
// of fewer than two pairs with cores of their own.
std::string extremes(const ReportInput& input,
                     std::vector<DevicePair> pairs,
                     const CellRow* DevicePair::*cell,
                     const char* metric,
                     double factor,
                     const char* unit,
                     const char* what) {
  std::erase_if(pairs, [&](const DevicePair& pair) {
    const EstimateRow* row =
        pair.*cell == nullptr ? nullptr : input.estimate((pair.*cell)->id, metric);
    return !ranks_of(pair) || row == nullptr || !row->value || !input.has_claim(*(pair.*cell));
  });
  if (pairs.size() < 2) {
    return "";
  }
  const auto value = [&](const DevicePair& pair) {
    return *input.estimate((pair.*cell)->id, metric)->value;
  };
  const DevicePair& least = *std::ranges::min_element(pairs, {}, value);
  const DevicePair& most = *std::ranges::max_element(pairs, {}, value);
  const auto said = [&](const DevicePair& pair) {
    return fmt::format("{}, {} {}", pair.name, interval(input, pair.*cell, metric, factor), unit);
  };
  return fmt::format("Lowest {}: {}; highest: {}", what, said(least), said(most));
}

View::List findings_of(const ReportInput& input, const std::vector<DevicePair>& pairs) {
  View::List findings;
  for (const std::string& text : {extremes(input,
                                           pairs,
                                           &DevicePair::large,
                                           names::kBusBandwidth,
                                           kGiga,
                                           "GB/s",
                                           "bandwidth of a pair"),
                                  extremes(input,
                                           pairs,
                                           &DevicePair::small,
                                           names::kStepTime,
                                           kMicro,
                                           "µs",
                                           "latency of a pair")}) {
    if (!text.empty()) {
      findings.emplace_back();
      findings.back().set_text("finding", text);
    }
  }
  return findings;
}

void fill_pairs(View& view, const ReportInput& input, const Figures& /*figures*/) {
  View::List tables;
  for (const auto& [rest, pairs] : device_pairs(input)) {
    for (View& table : one_table(columns_of(input, pairs), pairs)) {
      table.set_text("label", rest);
      table.set_text("heading", begin_line(input, rest));
      table.set_list("findings", findings_of(input, pairs));
      table.set_list("matrix", matrix_of(input, pairs));
      tables.push_back(std::move(table));
    }
  }
  view.set_list("device_pairs", std::move(tables));
}

}  // namespace

Section pairs_section() {
  using enum TagKind;
  const std::vector<ColumnHead> matrix = {
      {"rank", "", "the lower rank of its pairs"},
      {"bandwidth", "", "with the last rank; values has those with all"}};
  return {
      table_tags("device_pairs", "pairs of devices", heads_of(columns_of(empty_input(), {}))) +
          Tags{{"device_pairs.label", kText, "4 devices; absent where nothing else varies"},
               {"device_pairs.heading", kText, "the same with a capital"},
               {"device_pairs.findings", kList, "which pair is the slowest"},
               {"device_pairs.findings.finding", kText, "a sentence"}} +
          table_tags("device_pairs.matrix", "bandwidths by rank, of three pairs or more", matrix),
      fill_pairs};
}

}  // namespace scalestudy::report
