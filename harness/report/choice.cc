#include "harness/report/choice.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "harness/base/number.h"
#include "harness/base/text.h"
#include "harness/report/layout.h"
#include "harness/report/problem.h"
#include "harness/store/cell_name.h"

namespace scalestudy::report {
namespace {

constexpr std::size_t kMostSettings = 2;  // that have ladders of their own

// What is said of a problem in place of a choice.
constexpr const char* kNotToldApart = "not told apart";
constexpr const char* kNoVerdict = "no verdict";

bool is_choice(const std::string& text) {
  return text != kNotToldApart && text != kNoVerdict;
}

// The best, those as good within the margin, and those not told apart from it.
struct Chosen {
  const CellRow* best = nullptr;  // nullptr: none is known
  std::vector<const CellRow*> equal;
  std::vector<const CellRow*> open;
};

void add(Chosen& chosen, const CellRow& cell, Verdict verdict) {
  if (verdict == Verdict::kEquivalent) {
    chosen.equal.push_back(&cell);
  } else if (verdict != Verdict::kSlower && verdict != Verdict::kWorse) {
    chosen.open.push_back(&cell);
  }
}

// Of two cells by their speedup or efficiency.
Chosen chosen_of_two(const Pair& pair, const ComparisonRow& row) {
  if (!is_usable(row)) {
    return {};
  }
  const bool is_better = *row.value > 1.0;
  Chosen chosen;
  chosen.best = is_better ? pair.cell : pair.base;
  const bool is_other_worse =
      is_better ? row.verdict == Verdict::kFaster : row.verdict == Verdict::kSlower;
  add(chosen,
      is_better ? *pair.base : *pair.cell,
      is_other_worse                        ? Verdict::kSlower
      : row.verdict == Verdict::kEquivalent ? Verdict::kEquivalent
                                            : Verdict::kNoDetectableDifference);
  return chosen;
}

// By their comparisons with the best; where there are none, which are of three cells or more, of
// two by `row`. None where one of them lacks a verdict, or where the best is none of them: then it
// has no usable speedup, and whether it is better is not known.
Chosen chosen_of(const ReportInput& input,
                 const Problem& problem,
                 const std::string& quantity,
                 const ComparisonRow* row) {
  Chosen chosen;
  std::vector<const CellRow*> cells = {problem.base};
  for (const Pair* pair : problem.pairs) {
    cells.push_back(pair->cell);
  }
  std::size_t compared = 0;
  bool is_known = true;
  for (const CellRow* cell : cells) {
    if (const ComparisonRow* with_best = input.comparison(cell->id, quantity)) {
      ++compared;
      is_known = is_known && is_usable(*with_best);
      chosen.best = &input.cell(with_best->baseline_cell_id);
      add(chosen, *cell, with_best->verdict);
    }
  }
  if (compared == 0 && problem.pairs.size() == 1 && row != nullptr) {
    return chosen_of_two(*problem.pairs[0], *row);
  }
  return is_known && compared + 1 == cells.size() ? chosen : Chosen();
}

Chosen fastest_of(const ReportInput& input, const Problem& problem) {
  return chosen_of(input, problem, "fastest", problem.pairs[0]->speedup);
}

// nullptr: device time.
const Price* first_price(const ReportInput& input) {
  return input.declared.cost ? &input.declared.cost->price : nullptr;
}

bool differ_in_price(const Price* price, const Pair& pair) {
  return hourly(price, pair.cell->devices, pair.cell->nodes) !=
         hourly(price, pair.base->devices, pair.base->nodes);
}

// Whether cells stand in the same relation at this price as at the first.
bool ranks_alike(const ReportInput& input, const Price* price, const Problem& problem) {
  const Price* first = first_price(input);
  return price == first || std::ranges::all_of(problem.pairs, [&](const Pair* pair) {
           return is_proportional(*first,
                                  *price,
                                  {pair->base->devices, pair->base->nodes},
                                  {pair->cell->devices, pair->cell->nodes});
         });
}

// By samples for the same cost; what costs the same an hour is as cheap as it is fast.
Chosen cheapest_of(const ReportInput& input, const Price* price, const Problem& problem) {
  if (!ranks_alike(input, price, problem)) {
    const auto differs = [&](const Pair* pair) { return differ_in_price(price, *pair); };
    return std::ranges::any_of(problem.pairs, differs)
               ? chosen_of(input, problem, cheapest_at(*price), nullptr)
               : fastest_of(input, problem);
  }
  const Price* same = first_price(input);
  const auto differs = [&](const Pair* pair) { return differ_in_price(same, *pair); };
  if (std::ranges::none_of(problem.pairs, differs)) {
    return fastest_of(input, problem);
  }
  const bool is_per_node = same != nullptr && same->per_node_hour > 0.0;
  const ComparisonRow* efficiency =
      is_per_node ? nullptr : input.comparison(problem.pairs[0]->cell->id, "efficiency");
  return chosen_of(input, problem, std::string(kCheapest), efficiency);
}

// "2 devices", "1 device or 2 devices" of three, "4 devices (not told apart from 3 others)",
// "2 devices or 1 device (within 2 % of it)".
std::string say(const ReportInput& input, const Problem& problem, const Chosen& chosen) {
  if (chosen.best == nullptr) {
    return kNoVerdict;
  }
  if (problem.pairs.size() == 1 && !chosen.open.empty()) {
    return kNotToldApart;
  }
  const auto name = [&](const std::vector<const CellRow*>& cells) {
    return cells.size() == 1 ? name_in(input, problem, *cells.front())
                             : fmt::format("{} others", cells.size());
  };
  const std::string best = name({chosen.best});
  if (chosen.equal.empty() && chosen.open.size() == 1) {
    const std::string other = name(chosen.open);
    return chosen.best->id < chosen.open.front()->id ? best + " or " + other
                                                     : other + " or " + best;
  }
  std::vector<std::string> notes;
  if (!chosen.equal.empty()) {
    notes.push_back(fmt::format("within {} of it", format_percent(input.declared.analysis.margin)));
  }
  if (!chosen.open.empty()) {
    notes.push_back("not told apart from " + name(chosen.open));
  }
  return best + (chosen.equal.empty() ? "" : " or " + name(chosen.equal)) +
         (notes.empty() ? "" : " (" + join(notes, "; ") + ")");
}

// Of those as good within the margin the one with the fewest devices.
std::string say_smallest(const ReportInput& input, const Problem& problem, const Chosen& chosen) {
  if (chosen.best == nullptr || !chosen.open.empty()) {
    return chosen.best == nullptr ? kNoVerdict : kNotToldApart;
  }
  const CellRow* least = chosen.best;
  for (const CellRow* cell : chosen.equal) {
    least = cell->devices < least->devices ? cell : least;
  }
  return name_in(input, problem, *least);
}

// ---- along what the bases differ in

std::optional<double> number_of(const std::string& text) {
  double value = 0.0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size() ? std::optional(value)
                                                                             : std::nullopt;
}

// One number that the problems differ in; "batch" where that is the batch.
struct Ladder {
  std::string axis;     // name of the parameter; "" without one
  std::string setting;  // of these problems, what words it holds fixed: "model=mlp-258k"
  std::vector<const Problem*> rungs;
};

bool is_batch(const std::string& name) {
  return name == "batch_global" || name == "batch_per_device";
}

// Parameters by which the bases differ: a batch that follows from another does not count.
std::set<std::string> differing(const ReportInput& input, const std::vector<Problem>& problems) {
  std::map<std::string, std::set<std::string>> values;
  for (const Problem& problem : problems) {
    for (const CellRow::Parameter& parameter : problem.base->parameters) {
      if (parameter.varied) {
        values[is_batch(parameter.name) ? "batch" : parameter.name].insert(parameter.value);
      }
    }
    values["batch"].insert(fmt::format("{}", fixed_batch(input, *problem.base).value_or(0)));
  }
  std::erase_if(values, [](const auto& entry) { return entry.second.size() < 2; });
  std::set<std::string> names;
  for (const auto& [name, texts] : values) {
    names.insert(name);
  }
  return names;
}

std::optional<double> rung(const ReportInput& input,
                           const Problem& problem,
                           const std::string& axis) {
  if (axis == "batch") {
    const auto batch = fixed_batch(input, *problem.base);
    return batch ? std::optional(static_cast<double>(*batch)) : std::nullopt;
  }
  const CellRow::Parameter* parameter = find_varied(*problem.base, axis);
  return parameter == nullptr ? std::nullopt : number_of(parameter->value);
}

// By the words that the bases differ in; empty where more than one number differs.
std::vector<Ladder> ladders_of(const ReportInput& input, const std::vector<Problem>& problems) {
  std::set<std::string> words = differing(input, problems);
  std::string axis;
  for (const std::string& name : std::set(words)) {
    const bool is_number = std::ranges::all_of(
        problems, [&](const Problem& problem) { return rung(input, problem, name).has_value(); });
    if (is_number && !axis.empty()) {
      return {};
    }
    axis = is_number ? name : axis;
    words.erase(is_number ? name : "");
  }
  std::vector<Ladder> ladders;
  for (const Problem& problem : problems) {
    const std::string setting = name_parameters(
        *problem.base,
        [&](const CellRow::Parameter& parameter) { return words.contains(parameter.name); },
        input.declared.labels);
    auto found = std::ranges::find(ladders, setting, &Ladder::setting);
    if (found == ladders.end()) {
      found = ladders.insert(ladders.end(), {axis, setting, {}});
    }
    found->rungs.push_back(&problem);
  }
  for (Ladder& ladder : ladders) {
    std::ranges::stable_sort(ladder.rungs, {}, [&](const Problem* problem) {
      return rung(input, *problem, axis).value_or(0.0);
    });
  }
  return ladders;
}

std::string rung_text(const ReportInput& input, const Ladder& ladder, const Problem& problem) {
  const double value = rung(input, problem, ladder.axis).value_or(0.0);
  return ladder.axis == "message_bytes" ? format_bytes(static_cast<std::int64_t>(value))
                                        : format_axis_value(value);
}

// Neighbouring rungs with one choice.
struct Run {
  std::string choice;
  std::string from;
  std::string to;
};

std::vector<Run> runs_of(const ReportInput& input,
                         const Ladder& ladder,
                         const std::function<std::string(const Problem&)>& choose) {
  std::vector<Run> runs;
  for (const Problem* problem : ladder.rungs) {
    const std::string choice = choose(*problem);
    const std::string text = rung_text(input, ladder, *problem);
    if (runs.empty() || runs.back().choice != choice) {
      runs.push_back({choice, text, text});
    }
    runs.back().to = text;
  }
  return runs;
}

// "batch 64", "batch 16 to 32".
std::string range_text(const ReportInput& input, const Ladder& ladder, const Run& run) {
  const std::string name = ladder.axis == "message_bytes" ? ""
                           : ladder.axis == "batch"       ? "batch "
                                                          : label_of(input, ladder.axis) + " ";
  return name + run.from + (run.from == run.to ? "" : " to " + run.to);
}

// "1 device at batch 16 to 32, 2 devices at batch 64 to 256; between 32 and 64 measure"; "" where
// nothing is known.
std::string say_ladder(const ReportInput& input,
                       const Ladder& ladder,
                       const std::function<std::string(const Problem&)>& choose) {
  const std::vector<Run> runs = runs_of(input, ladder, choose);
  if (std::ranges::none_of(runs, is_choice, &Run::choice)) {
    return "";
  }
  if (ladder.rungs.size() == 1 || ladder.axis.empty()) {
    return runs.size() == 1 ? runs[0].choice : "";
  }
  if (runs.size() == 1) {
    return fmt::format(
        "{} at every compared value ({})", runs[0].choice, range_text(input, ladder, runs[0]));
  }
  std::vector<std::string> texts;
  std::vector<std::string> gaps;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    texts.push_back(runs[i].choice + " at " + range_text(input, ladder, runs[i]));
    if (i > 0) {
      gaps.push_back(fmt::format("between {} and {}", runs[i - 1].to, runs[i].from));
    }
  }
  const bool is_listed = std::ranges::any_of(
      runs, [](const Run& run) { return run.choice.find(", ") != std::string::npos; });
  return join(texts, is_listed ? "; " : ", ") + "; " +
         (gaps.size() == 1 ? gaps[0] : "between them") + " measure";
}

std::string say_ladders(const ReportInput& input,
                        const std::vector<Ladder>& ladders,
                        const std::function<std::string(const Problem&)>& choose) {
  std::vector<std::string> texts;
  for (const Ladder& ladder : ladders) {
    if (const std::string text = say_ladder(input, ladder, choose); !text.empty()) {
      texts.push_back((ladder.setting.empty() ? "" : "with " + ladder.setting + " ") + text);
    }
  }
  return join(texts, "; ");
}

// A line for each other price at which something else is the cheapest.
void add_other_prices(const ReportInput& input,
                      const std::string& cheapest,
                      const std::function<std::string(const Price*)>& cheapest_at_price,
                      std::vector<Answer>& all) {
  for (const Price& price : input.declared.cost->others) {
    if (const std::string text = cheapest_at_price(&price); !text.empty() && text != cheapest) {
      all.push_back({"Cheapest at " + price.name, text});
    }
  }
}

}  // namespace

std::vector<Answer> choices(const ReportInput& input, const std::vector<Pair>& pairs) {
  const std::vector<Problem> problems = problems_of(pairs);
  const std::vector<Ladder> ladders = ladders_of(input, problems);
  if (ladders.empty() || ladders.size() > kMostSettings) {
    return {};
  }
  const auto say_all = [&](const std::function<std::string(const Problem&)>& choose) {
    return say_ladders(input, ladders, choose);
  };
  const std::string fastest = say_all(
      [&](const Problem& problem) { return say(input, problem, fastest_of(input, problem)); });
  const auto cheapest_at_price = [&](const Price* price) {
    return say_all([&](const Problem& problem) {
      return say(input, problem, cheapest_of(input, price, problem));
    });
  };
  const std::string cheapest = cheapest_at_price(first_price(input));
  const std::string smallest = say_all([&](const Problem& problem) {
    return say_smallest(input, problem, fastest_of(input, problem));
  });
  std::vector<Answer> all;
  const bool is_priced = std::ranges::any_of(
      pairs, [&](const Pair& pair) { return differ_in_price(first_price(input), pair); });
  // What costs the same an hour is as cheap as it is fast.
  const bool is_cheapest =
      (is_priced || input.declared.cost) && fastest == cheapest && !fastest.empty();
  if (!fastest.empty()) {
    all.push_back({is_cheapest ? "Use (fastest and cheapest)" : "Use (fastest)", fastest});
  }
  if (!cheapest.empty() && is_priced && !is_cheapest) {
    const std::string unit = input.declared.cost ? input.declared.cost->currency : "device time";
    all.push_back({"Cheapest (" + unit + " a sample)", cheapest});
  }
  if (input.declared.cost) {
    add_other_prices(input, cheapest, cheapest_at_price, all);
  }
  if (!smallest.empty() && smallest != fastest) {
    all.push_back({fmt::format("Smallest within {} of the fastest",
                               format_percent(input.declared.analysis.margin)),
                   smallest});
  }
  return all;
}

}  // namespace scalestudy::report
