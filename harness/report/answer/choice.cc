#include "harness/report/answer/choice.h"

#include <algorithm>
#include <functional>
#include <map>
#include <span>

#include <fmt/format.h>

#include "harness/report/answer/ladder.h"
#include "harness/report/answer/problem.h"
#include "harness/report/answer/target_answers.h"
#include "harness/report/input/declared_prices.h"
#include "harness/store/cell_parameters.h"
#include "harness/text/number.h"
#include "harness/text/text.h"
#include "workloads/names/names.h"

namespace scalestudy::report {
namespace {

// Ladders that are told one by one; the second if conditions differ.
constexpr std::size_t kMostSettings = 2;
constexpr std::size_t kMostConditions = 4;
constexpr std::size_t kMostNames = 3;  // beside the best

constexpr const char* kNoVerdict = "no verdict";
constexpr const char* kNothingWithin = "no setting is certain to keep the limits";

// "1 device", "1 device or 2 devices", "4 devices or one of 5 others".
std::string name_cells(const ReportInput& input,
                       const Problem& problem,
                       std::vector<const CellRow*> cells) {
  std::ranges::sort(cells, {}, [](const CellRow* cell) { return cell->id; });
  std::vector<std::string> names;
  for (const CellRow* cell : cells) {
    names.push_back(name_in_problem(input, problem, *cell));
  }
  return names.size() == 1
             ? names.front()
             : join(std::span(names).first(names.size() - 1), ", ") + " or " + names.back();
}

std::string name_others(const ReportInput& input,
                        const Problem& problem,
                        const std::vector<const CellRow*>& cells) {
  return cells.size() > kMostNames ? fmt::format("one of {} others", cells.size())
                                   : name_cells(input, problem, cells);
}

// "2 devices"; "1 device or 2 devices (alike within 2 %)"; "2 devices or 4 devices (no significant
// difference)"; "4 devices, 2 devices (alike within 2 %) or 8 devices (no significant difference)".
std::string say_named(const ReportInput& input, const Problem& problem, const Chosen& chosen) {
  const std::string alike =
      fmt::format(" (alike within {})", format_percent(input.declared.analysis.margin));
  const std::string open = " (no significant difference)";
  const std::string best = name_in_problem(input, problem, *chosen.best);
  if (!chosen.equal.empty() && !chosen.open.empty()) {
    return best + ", " + name_others(input, problem, chosen.equal) + alike + " or " +
           name_others(input, problem, chosen.open) + open;
  }
  std::vector<const CellRow*> others = chosen.equal.empty() ? chosen.open : chosen.equal;
  if (others.empty()) {
    return best;
  }
  const std::string note = chosen.equal.empty() ? open : alike;
  if (others.size() > kMostNames) {
    return best + " or " + name_others(input, problem, others) + note;
  }
  others.push_back(chosen.best);
  return name_cells(input, problem, others) + note;
}

// "1 device or 2 devices", where none of the cells is excluded; their number where they are many.
std::string name_open(const ReportInput& input, const Problem& problem) {
  return problem.kept.size() > kMostNames + 1 ? fmt::format("one of {} cells", problem.kept.size())
                                              : name_cells(input, problem, problem.kept);
}

// "1 device ran out of memory", of the base.
std::string lost_base_text(const Problem& problem) {
  const Pair& pair = **std::ranges::find_if(
      problem.pairs, [](const Pair* one) { return is_base_lost(one->speedup->verdict); });
  const bool is_memory = pair.speedup->verdict == Verdict::kBaseOutOfMemory;
  return pair.base_name + (is_memory ? " ran out of memory" : " failed");
}

// Whether all that can be chosen is one cell that has no verdict.
bool is_alone(const Problem& problem) {
  return problem.is_base_lost && problem.kept.size() == 1;
}

// "not compared, as 1 device ran out of memory" of such a cell; else "".
std::string alone_note(const Problem& problem) {
  return is_alone(problem) ? "not compared, as " + lost_base_text(problem) : "";
}

// That, or "compared without the base, as 1 device ran out of memory" of several cells.
std::string base_note(const Problem& problem) {
  return is_alone(problem) || !problem.is_base_lost
             ? alone_note(problem)
             : "compared without the base, as " + lost_base_text(problem);
}

// Why nothing is chosen where nothing is compared.
std::string untold_text(const Problem& problem) {
  return !problem.loss                            ? kNoVerdict
         : *problem.loss == Verdict::kOutOfMemory ? "all ran out of memory"
                                                  : "all failed";
}

// "no comparison, as 1 device failed"; with limits "2 devices or 4 devices keep the limits; not
// compared, as 1 device failed".
std::string say_lost_base(const ReportInput& input, const Problem& problem) {
  if (input.declared.analysis.within.empty()) {
    return "no comparison, as " + lost_base_text(problem);
  }
  return fmt::format("{} keep the limits; not compared, as {}",
                     problem.kept.size() > kMostNames
                         ? format_count(std::ssize(problem.kept), "cell")
                         : name_cells(input, problem, problem.kept),
                     lost_base_text(problem));
}

bool is_compared(const ReportInput& input, const std::vector<const CellRow*>& cells) {
  return std::ranges::any_of(cells, [&](const CellRow* cell) {
    return input.comparison(cell->id, names::kFastest) != nullptr;
  });
}

// Every cell that may be the best; none where no cell at all is excluded, unless all are alike.
Choice best_choice(const ReportInput& input, const Problem& problem, const Chosen& chosen) {
  if (chosen.best == nullptr && problem.is_base_lost && is_compared(input, problem.kept)) {
    return {kNoVerdict, {}, 0, "", base_note(problem)};
  }
  if (chosen.best == nullptr) {
    const bool may_be_lost = !problem.kept.empty() || input.declared.analysis.within.empty();
    return {problem.is_base_lost && may_be_lost ? say_lost_base(input, problem)
            : problem.kept.empty()              ? kNothingWithin
                                                : kNoVerdict,
            {}};
  }
  const std::size_t possible = 1 + chosen.equal.size() + chosen.open.size() + chosen.unnamed;
  if (chosen.is_open() && possible == problem.kept.size()) {
    return {kWithinNoise, {}, 0, name_open(input, problem), base_note(problem)};
  }
  Choice choice{say_named(input, problem, chosen), {chosen.best}, chosen.unnamed};
  choice.note = base_note(problem);
  choice.cells.insert(chosen.equal.begin(), chosen.equal.end());
  choice.cells.insert(chosen.open.begin(), chosen.open.end());
  return choice;
}

// Of those as good within the margin all with the fewest devices.
Choice smallest_choice(const ReportInput& input, const Problem& problem, const Chosen& chosen) {
  if (chosen.best == nullptr || chosen.is_open()) {
    return {chosen.best == nullptr ? kNoVerdict : kWithinNoise, {}};
  }
  std::vector<const CellRow*> least = {chosen.best};
  for (const CellRow* cell : chosen.equal) {
    if (cell->devices < least.front()->devices) {
      least.clear();
    }
    if (least.empty() || cell->devices == least.front()->devices) {
      least.push_back(cell);
    }
  }
  Choice choice{name_cells(input, problem, least), {least.begin(), least.end()}};
  choice.note = alone_note(problem);
  return choice;
}

// What is chosen for each problem, and all of it in words.
struct Told {
  std::vector<Choice> choices;
  bool is_compared = false;  // some cell is chosen among several
  std::string text;          // "" where nothing is chosen, nor open between cells that are named

  bool is_made() const {
    return std::ranges::any_of(choices, [](const Choice& choice) { return !choice.cells.empty(); });
  }
  std::size_t open() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(choices, [](const Choice& choice) { return !choice.open.empty(); }));
  }

  // Whether the same cells are chosen, however they are put into words.
  bool operator==(const Told& other) const {
    return std::ranges::equal(
        choices, other.choices, [](const Choice& choice, const Choice& another) {
          return choice.cells == another.cells && choice.unnamed == another.unnamed;
        });
  }
};

// " (USD per sample, machines only)": verdicts on costs know no declared lines.
std::string unit_text(const ReportInput& input) {
  return fmt::format(" ({} per sample{})",
                     input.declared.cost ? input.declared.cost->currency : "device time",
                     has_cost_lines(input) ? ", machines only" : "");
}

// " of the 8 cells that have a base" where others were measured, too: no verdict compares those.
std::string of_compared(const ReportInput& input) {
  std::int64_t compared = 0;
  std::int64_t others = 0;
  for (const CellRow& cell : input.cells) {
    const EstimateRow* time = input.estimate(cell.id, names::kStepTime);
    const bool is_measured =
        cell.role == CellRole::kMeasured && !cell.excluded_reason && input.has_claim(cell);
    if (is_measured && time != nullptr && time->value) {
      ++(cell.baseline ? compared : others);
    }
  }
  return others == 0 ? ""
                     : fmt::format(" of the {} that have a base", format_count(compared, "cell"));
}

// A line for each other price at which something else is the cheapest.
void add_other_prices(const ReportInput& input,
                      const Told& cheapest,
                      const std::function<Told(const Price*)>& cheapest_at_price,
                      std::vector<Answer>& all) {
  for (const Price& price : input.declared.cost->others) {
    const Told told = cheapest_at_price(&price);
    if (!told.text.empty() && told != cheapest && (told.is_made() || told.open() > 0)) {
      all.push_back({AnswerKind::kCheapest,
                     "Cheapest" + of_compared(input) + " at " + price.name + within_text(input) +
                         unit_text(input),
                     told.text});
    }
  }
}

// - is_pair: the problem has a base and one cell beside it.
void add_uses(const ReportInput& input,
              const Problem& problem,
              bool is_pair,
              std::map<std::int64_t, std::string>& texts) {
  const Choice choice = best_choice(input, problem, fastest_of(input, problem));
  if (problem.is_base_lost && choice.cells.empty() && choice.open.empty() &&
      choice.text != kNothingWithin && choice.note.empty()) {
    for (const Pair* pair : problem.pairs) {
      texts[pair->cell->id] = to_word(pair->speedup->verdict);
    }
    return;
  }
  for (const CellRow* cell : problem.cells) {
    const ComparisonRow* own = input.comparison(cell->id, names::kSpeedup);
    const bool is_as_fast = own != nullptr && own->verdict == Verdict::kEquivalent;
    if ((!is_pair || cell != problem.base) && (choice.open.empty() || !is_as_fast)) {
      texts[cell->id] = problem.kept.empty() ? "none" : say_choice(choice, choice.unnamed);
    }
  }
}

bool has_lost_base(const std::vector<Problem>& problems) {
  return std::ranges::any_of(problems, &Problem::is_base_lost);
}

Told tell(const ReportInput& input,
          const std::vector<Problem>& problems,
          const std::function<Choice(const Problem&)>& choose_known) {
  const std::vector<Ladder> ladders = ladders_of(input, problems);
  const bool has_conditions = std::ranges::any_of(problems, [&](const Problem& problem) {
    return !conditions_of(*problem.cells.front(), input.declared).empty();
  });
  const std::size_t most = has_conditions ? kMostConditions : kMostSettings;
  const auto choose = [&](const Problem& problem) {
    return problem.is_told() ? choose_known(problem) : Choice{untold_text(problem), {}};
  };
  Told told;
  for (const Problem& problem : problems) {
    told.choices.push_back(choose(problem));
    told.is_compared |= !told.choices.back().cells.empty() && !is_alone(problem);
  }
  if (ladders.size() > 1 && told.open() == problems.size()) {
    told.text = kWithinNoise;  // in any of them
  } else if (told.is_made() || told.open() > 0 || has_lost_base(problems)) {
    told.text = say_ladders(input, ladders, choose, most);
  }
  return told;
}

}  // namespace

std::map<std::int64_t, std::string> uses(const ReportInput& input, const std::vector<Pair>& pairs) {
  std::map<std::int64_t, std::string> texts;
  for (const Pair& pair : pairs) {
    texts[pair.cell->id] = recommendation(pair);
  }
  if (input.declared.search) {
    return texts;  // it recommends by its own rule
  }
  for (const Problem& problem : problems_of(input, pairs)) {
    const bool is_pair = problem.base != nullptr && problem.cells.size() == 2;
    // Results from before analysis asked for the fastest have the verdicts of pairs alone.
    const bool is_asked = problem.kept.size() < 3 || is_compared(input, problem.kept);
    if (!problem.is_told() || !is_asked || (is_pair && problem.kept.size() == 2)) {
      continue;
    }
    add_uses(input, problem, is_pair, texts);
  }
  return texts;
}

std::string why_no_use(const ReportInput& input, const std::vector<Pair>& pairs) {
  std::string why;
  for (const Problem& problem : problems_of(input, pairs)) {
    if (!problem.has_verdict) {
      continue;
    }
    if (input.declared.search || fastest_of(input, problem).best != nullptr) {
      return "";
    }
    for (const CellRow* cell : problem.kept) {
      const ComparisonRow* row = input.comparison(cell->id, names::kFastest);
      if (why.empty() && row != nullptr && !is_usable(*row)) {
        const CellRow& other = input.cell(row->baseline_cell_id);
        why = fmt::format(
            "Which is the fastest is not decided; there is no verdict on {} against {}: {}",
            name_in_problem(input, problem, *cell),
            name_in_problem(input, problem, other),
            noted_verdict(*row));
      }
    }
  }
  return why;
}

std::vector<Answer> choices(const ReportInput& input, const std::vector<Pair>& pairs) {
  const std::vector<Problem> problems = problems_of(input, pairs);
  const Told fastest = tell(input, problems, [&](const Problem& problem) {
    return best_choice(input, problem, fastest_of(input, problem));
  });
  const auto cheapest_at_price = [&](const Price* price) {
    return tell(input, problems, [&](const Problem& problem) {
      return best_choice(input, problem, cheapest_of(input, price, problem));
    });
  };
  const Told cheapest = cheapest_at_price(first_price(input));
  const Told smallest = tell(input, problems, [&](const Problem& problem) {
    return smallest_choice(input, problem, fastest_of(input, problem));
  });
  std::vector<Answer> all;
  const std::string within = within_text(input);
  const std::string among = of_compared(input) + within;
  const bool is_priced = std::ranges::any_of(problems, [&](const Problem& problem) {
    return differ_in_price(first_price(input), problem);
  });
  const bool is_used = fastest.is_made() && !fastest.text.empty();
  const bool is_cheapest =
      (is_priced || input.declared.cost) && fastest == cheapest && fastest.is_compared;
  if (is_used || (has_lost_base(problems) && !fastest.text.empty())) {
    all.push_back({AnswerKind::kUse,
                   fmt::format("Use (fastest{}{})", is_cheapest ? " and cheapest" : "", among),
                   fastest.text});
  }
  // That all is open is what the verdicts say.
  const bool is_told =
      !cheapest.text.empty() && (cheapest.is_made() || (is_used && cheapest.open() > 0));
  if (is_told && is_priced && !is_cheapest) {
    all.push_back({AnswerKind::kCheapest, "Cheapest" + among + unit_text(input), cheapest.text});
  }
  if (input.declared.cost) {
    add_other_prices(input, cheapest, cheapest_at_price, all);
  }
  const auto is_said = [](const Choice& least, const Choice& best) {
    return least.cells.empty() || least.cells == best.cells;
  };
  if (!smallest.text.empty() && !std::ranges::equal(smallest.choices, fastest.choices, is_said)) {
    all.push_back({AnswerKind::kSmallest,
                   fmt::format("Smallest{} within {} of the fastest",
                               within.empty() ? "" : within + ", and",
                               format_percent(input.declared.analysis.margin)),
                   smallest.text});
  }
  return all;
}

}  // namespace scalestudy::report
