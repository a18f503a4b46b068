// Reads the figures of the columns that scale.
#include "harness/audit/draft/guess_scaling.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <re2/re2.h>

#include "harness/text/yaml_text.h"

namespace scalestudy::audit {
namespace {

// A base that a heading names: "Speedup vs 1 GPU", "over one node", "vs 1x V100".
constexpr const char* kSaidBase =
    R"((?i)(?:^|[^a-z])(?:vs\.?|versus|over|against|to)[\s_]+(?:an?[\s_]+|the[\s_]+)?)"
    R"((\d+|one|single)[\s_x×-]*(gpu|device|node|[avh]\d))";
// A base that is no number of devices: "vs NCCL 2.18", "vs. previous".
constexpr const char* kOtherBase =
    R"((?i)(?:^|[^a-z])(?:vs|versus|over|against|relative[\s_]+to|compared[\s_]+(?:to|with)|)"
    R"(of[\s_]+(?:the[\s_]+)?baseline|previous)(?:[^a-z]|$))";
// None of them after all: "vs. linear", "vs 1", "over 3 runs".
constexpr const char* kNoBase =
    R"((?i)(?:vs\.?|versus|over|against|to)[\s_]+(?:linear|ideal|perfect|1$|1[)\]]|)"
    R"(\d+[\s_]+(?:runs|trials|seeds)))";
// What speedups are computed from.
constexpr auto kScalingBases = std::to_array<std::string_view>(
    {"throughput", "throughput_per_device", "step_time", "epoch_time", "total_time"});

bool is_scaling_column(const Guess& guess) {
  return guess.quantity == "speedup" || guess.quantity == "efficiency";
}

// Whether the figure is printed as 1; 0.01 is "1.00" in a column of percentages.
bool is_one(const Figure& figure) {
  return figure.value == 1.0 || figure.value == 0.01;
}

// What a heading says that its figures are relative to.
struct SaidBase {
  double count = 0.0;
  bool is_of_nodes = false;
};

std::optional<SaidBase> said_base(const std::string& heading) {
  std::string count;
  std::string unit;
  if (!RE2::PartialMatch(heading, kSaidBase, &count, &unit)) {
    return std::nullopt;
  }
  double number = 1.0;  // "one", "single"
  RE2::FullMatch(count, R"((\d+))", &number);
  return SaidBase{number, RE2::FullMatch(unit, "(?i)node")};
}

// Whether the heading says that its figures are relative to something else than devices or nodes.
bool has_other_base(const std::string& heading) {
  return RE2::PartialMatch(heading, kOtherBase) && !said_base(heading) &&
         !RE2::PartialMatch(heading, kNoBase);
}

// The numbers of devices (or nodes) of the rows that print 1.
std::set<double> ones_of(const std::vector<ParsedFigure>& scales,
                         const std::vector<ParsedFigure>& ratios) {
  std::set<double> counts;
  for (std::size_t r = 0; r < scales.size(); ++r) {
    const std::optional<Figure>& scale = scales[r].figure;
    if (scale && scale->value && ratios[r].figure && is_one(*ratios[r].figure)) {
      counts.insert(*scale->value);
    }
  }
  return counts;
}

// The fewest devices (or nodes) of a row that prints 1; 1 when none does. Absent if half of the
// rows with as many devices print something else: they are relative to something else. So are
// speedups of 1 at several numbers of devices; percentages none of which is 100 may be gains.
std::optional<double> base_of(const std::vector<ParsedFigure>& scales,
                              const std::vector<ParsedFigure>& ratios,
                              bool is_speedup) {
  const std::set<double> counts = ones_of(scales, ratios);
  const bool is_percent = std::any_of(ratios.begin(), ratios.end(), [](const ParsedFigure& parsed) {
    return parsed.figure && parsed.figure->unit == "%";
  });
  if (is_speedup && (counts.size() > 1 || (counts.empty() && is_percent))) {
    return std::nullopt;
  }
  const double base = counts.empty() ? 1.0 : *counts.begin();
  std::size_t ones = 0;
  std::size_t others = 0;
  for (std::size_t r = 0; r < scales.size(); ++r) {
    const std::optional<Figure>& ratio = ratios[r].figure;
    if (scales[r].figure && scales[r].figure->value == base && ratio && ratio->range) {
      const bool can_be_one = is_one(*ratio) || meet(*ratio->range, {1.0, 1.0});
      ++(can_be_one ? ones : others);
    }
  }
  return others > 0 && others >= ones ? std::nullopt : std::optional(base);
}

// The fewest devices (or nodes), if speedups start there with that number: 8.0 at 8 GPUs. Absent if
// a row prints 1, or one with as few devices something else.
std::optional<double> linear_base_of(const std::vector<ParsedFigure>& scales,
                                     const std::vector<ParsedFigure>& ratios) {
  std::optional<double> fewest;
  for (const ParsedFigure& scale : scales) {
    if (scale.figure && scale.figure->value) {
      fewest = std::min(fewest.value_or(*scale.figure->value), *scale.figure->value);
    }
  }
  bool is_printed = false;
  for (std::size_t r = 0; r < scales.size(); ++r) {
    const std::optional<Figure>& ratio = ratios[r].figure;
    if (!ratio || !ratio->range) {
      continue;
    }
    const bool is_first = scales[r].figure && scales[r].figure->value == fewest;
    if (is_one(*ratio) || (is_first && ratio->value != fewest)) {
      return std::nullopt;
    }
    is_printed = is_printed || is_first;
  }
  return is_printed ? fewest : std::nullopt;
}

// The first column of the quantity; absent if there is none.
std::optional<std::size_t> column_of(const std::vector<Guess>& guesses, std::string_view quantity) {
  const auto found = std::find_if(
      guesses.begin(), guesses.end(), [&](const Guess& g) { return g.quantity == quantity; });
  return found == guesses.end() ? std::nullopt
                                : std::optional(static_cast<std::size_t>(found - guesses.begin()));
}

bool prints_one(const DocumentTable& table, const std::vector<Guess>& guesses, std::size_t column) {
  const std::vector<ParsedFigure> figures = figures_of(table, guesses, column);
  return std::any_of(figures.begin(), figures.end(), [](const ParsedFigure& parsed) {
    return parsed.figure && is_one(*parsed.figure);
  });
}

// The first columns of groups that each hold one column of `base` and then a speedup or efficiency;
// empty if the table has no two such groups.
std::vector<std::size_t> groups_of(const DocumentTable& table,
                                   const std::vector<Guess>& guesses,
                                   std::string_view base) {
  std::vector<std::size_t> starts;
  std::vector<bool> is_complete;
  for (std::size_t c = 0; c < guesses.size(); ++c) {
    if (guesses[c].quantity == base) {
      starts.push_back(c);
      is_complete.push_back(false);
      if (!guesses[c].at.empty()) {
        return {};
      }
    } else if (!starts.empty() && is_scaling_column(guesses[c]) && prints_one(table, guesses, c)) {
      is_complete.back() = true;
    }
  }
  const bool are_complete =
      std::all_of(is_complete.begin(), is_complete.end(), [](bool one) { return one; });
  return starts.size() > 1 && are_complete ? starts : std::vector<std::size_t>();
}

// Speedups that start with n at n devices, or nodes.
void tell_linear_bases(const DocumentTable& table, std::vector<Guess>& guesses) {
  for (const char* scale : {"devices", "nodes"}) {
    const std::optional<std::size_t> column = column_of(guesses, scale);
    for (std::size_t c = 0; column && c < guesses.size(); ++c) {
      Guess& guess = guesses[c];
      if (guess.quantity != "speedup" || !guess.follows.empty() || !guess.baseline.empty() ||
          said_base(table.head[c])) {
        continue;
      }
      const std::optional<double> base =
          linear_base_of(figures_of(table, guesses, *column), figures_of(table, guesses, c));
      if (base) {
        guess.baseline = fmt::format("{}: {:g}", scale, *base);
        guess.reason += fmt::format("; starts with {:g} at {:g} {}", *base, *base, scale);
      }
    }
  }
}

// What is relative to something else than devices is no speedup or efficiency of scaling.
void tell_other_bases(const DocumentTable& table, std::vector<Guess>& guesses) {
  for (std::size_t c = 0; c < guesses.size(); ++c) {
    Guess& guess = guesses[c];
    if (is_scaling_column(guess) && guess.follows.empty() && has_other_base(table.head[c])) {
      guess.quantity = "ratio";
      guess.reason += "; relative to no number of devices";
    }
  }
}

// The column's base on that scale; absent if it has none there. A heading that names nodes says
// nothing of devices: there a row must print 1.
std::optional<double> base_on(const std::string& scale,
                              const std::string& heading,
                              const std::vector<ParsedFigure>& scales,
                              const std::vector<ParsedFigure>& ratios,
                              bool is_speedup) {
  const std::optional<SaidBase> said = said_base(heading);
  const bool is_on_scale = said && said->is_of_nodes == (scale == "nodes");
  if (is_on_scale) {
    return said->count;
  }
  return said && ones_of(scales, ratios).empty() ? std::nullopt
                                                 : base_of(scales, ratios, is_speedup);
}

// Efficiencies none of which is 1, beside speedups over something else than one device, are not
// known to be over what these are.
void drop_unlike_bases(const DocumentTable& table, std::vector<Guess>& guesses) {
  const std::optional<std::size_t> speedup = column_of(guesses, "speedup");
  for (std::size_t c = 0; speedup && c < guesses.size(); ++c) {
    Guess& guess = guesses[c];
    if (guess.quantity == "efficiency" && !guess.baseline.empty() &&
        !guesses[*speedup].baseline.empty() && guess.baseline != guesses[*speedup].baseline &&
        !prints_one(table, guesses, c)) {
      guess.baseline.clear();
      guess.reason += "; no baseline, as the speedups have another";
    }
  }
}

}  // namespace

void tell_baselines(const DocumentTable& table, std::vector<Guess>& guesses) {
  tell_other_bases(table, guesses);
  tell_linear_bases(table, guesses);
  std::vector<bool> is_done(guesses.size(), false);
  for (const char* scale : {"devices", "nodes"}) {
    const std::optional<std::size_t> column = column_of(guesses, scale);
    if (!column) {
      continue;
    }
    const std::vector<ParsedFigure> scales = figures_of(table, guesses, *column);
    for (std::size_t c = 0; c < guesses.size(); ++c) {
      Guess& guess = guesses[c];
      if (is_done[c] || !is_scaling_column(guess) || !guess.follows.empty() ||
          !guess.baseline.empty()) {
        continue;
      }
      const std::optional<SaidBase> said = said_base(table.head[c]);
      if (said && said->is_of_nodes && column_of(guesses, "nodes").value_or(*column) != *column) {
        continue;  // below, by its nodes
      }
      is_done[c] = true;
      const std::optional<double> base = base_on(
          scale, table.head[c], scales, figures_of(table, guesses, c), guess.quantity == "speedup");
      if (base) {
        guess.baseline = fmt::format("{}: {:g}", scale, *base);
      } else {
        guess.reason += fmt::format("; no baseline, as it is not 1 at the fewest {}", scale);
      }
    }
  }
  drop_unlike_bases(table, guesses);
}

void tell_side_by_side(const DocumentTable& table, std::vector<Guess>& guesses) {
  const bool is_taken = std::any_of(guesses.begin(), guesses.end(), [](const Guess& guess) {
    return guess.quantity == "configuration" || guess.name == "configuration";
  });
  for (const std::string_view base : kScalingBases) {
    const std::vector<std::size_t> starts =
        is_taken ? std::vector<std::size_t>() : groups_of(table, guesses, base);
    for (std::size_t g = 0; g < starts.size(); ++g) {
      const std::size_t end = g + 1 < starts.size() ? starts[g + 1] : guesses.size();
      for (std::size_t c = starts[g]; c < end; ++c) {
        const bool is_base =
            std::find(kScalingBases.begin(), kScalingBases.end(), guesses[c].quantity) !=
            kScalingBases.end();
        if ((is_base || is_scaling_column(guesses[c])) && guesses[c].at.empty()) {
          guesses[c].at = "configuration: " + yaml_text(table.head[starts[g]]);
          guesses[c].reason += "; of one model of several side by side";
        }
      }
    }
    if (!starts.empty()) {
      return;
    }
  }
}

bool is_weak_scaling(const DocumentTable& table, const std::vector<Guess>& guesses) {
  const std::optional<std::size_t> devices = column_of(guesses, "devices");
  const std::optional<std::size_t> batches = column_of(guesses, "batch_global");
  if (!devices || !batches || column_of(guesses, "batch_per_device") ||
      std::none_of(guesses.begin(), guesses.end(), is_scaling_column)) {
    return false;
  }
  const std::vector<ParsedFigure> counts = figures_of(table, guesses, *devices);
  const std::vector<ParsedFigure> all = figures_of(table, guesses, *batches);
  bool grows = false;
  for (std::size_t r = 0; r < counts.size(); ++r) {
    if (!counts[r].figure || !counts[r].figure->value || !all[r].figure || !all[r].figure->value ||
        *all[r].figure->value * *counts[0].figure->value !=
            *all[0].figure->value * *counts[r].figure->value) {
      return false;
    }
    grows = grows || *counts[r].figure->value != *counts[0].figure->value;
  }
  return grows;
}

}  // namespace scalestudy::audit
