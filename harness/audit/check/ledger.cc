// Finds bases: nothing is taken that could mean another run.
#include "harness/audit/check/ledger.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "harness/audit/figure/quantity.h"
#include "harness/text/quantity.h"
#include "harness/text/text.h"
#include "workloads/names/names.h"

namespace scalestudy::audit {
namespace {

const std::string* value_of(const Conditions& conditions, const std::string& name) {
  const auto found = conditions.find(name);
  return found == conditions.end() ? nullptr : &found->second;
}

bool conflict(const Conditions& a, const Conditions& b, const std::string& name) {
  const std::string* left = value_of(a, name);
  const std::string* right = value_of(b, name);
  return left != nullptr && right != nullptr && *left != *right;
}

bool are_compatible(const Conditions& a, const Conditions& b) {
  return std::none_of(
      a.begin(), a.end(), [&](const auto& entry) { return conflict(a, b, entry.first); });
}

std::string describe_conditions(const Conditions& conditions) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : conditions) {
    parts.push_back(fmt::format("{}={}", name, value));
  }
  return join(parts, ", ");
}

const Declaration* declaration_of(const Dataset& dataset, const PrintedFigure& figure) {
  if (const Table* table = find_table(dataset, figure.table)) {
    const auto column = std::find_if(table->columns.begin(),
                                     table->columns.end(),
                                     [&](const Column& c) { return c.name == figure.column; });
    return &column->declared;
  }
  const auto statement = std::find_if(dataset.statements.begin(),
                                      dataset.statements.end(),
                                      [&](const Statement& s) { return s.id == figure.column; });
  return &statement->declared;
}

Found found_given(const std::string& quantity,
                  const Figure& figure,
                  const std::string& id,
                  const std::string& where) {
  return {id + "/" + quantity,
          physical_range(quantity, figure),
          physical_cut_off_range(quantity, figure),
          figure.unit,
          {quantity, figure.printed, where, {}}};
}

// Whether any two could be one value: then it does not matter which is meant.
bool all_meet(const std::vector<const Entry*>& entries) {
  return std::all_of(entries.begin(), entries.end(), [&](const Entry* a) {
    return std::all_of(entries.begin(), entries.end(), [&](const Entry* b) {
      return meet(*a->figure.figure.range, *b->figure.figure.range);
    });
  });
}

std::string missing(const std::string& quantity, const Conditions& conditions) {
  return conditions.empty()
             ? fmt::format("no {} is printed for it", quantity)
             : fmt::format("no {} is printed for {}", quantity, describe_conditions(conditions));
}

bool says_all(const Conditions& conditions, const Conditions& names) {
  return std::all_of(names.begin(), names.end(), [&](const auto& entry) {
    return conditions.contains(entry.first);
  });
}

// Whether two figures differ in how long was trained only, which is nothing to a rate.
bool is_of_same_rate(const Entry& a, const Entry& b, const std::string& quantity) {
  if (quantity != names::kThroughput && quantity != names::kThroughputPerDevice &&
      quantity != "step_time") {
    return false;
  }
  Conditions left = a.figure.conditions;
  Conditions right = b.figure.conditions;
  left.erase("tokens");
  right.erase("tokens");
  return left == right;
}

bool names_scale(const Conditions& baseline) {
  return baseline.contains(names::kDevices) || baseline.contains(names::kNodes);
}

// Whether two declared baselines may be one run's: they name no scale, or one of the same value.
bool have_one_base(const Conditions& a, const Conditions& b) {
  const auto both_name = [&](const char* scale) { return a.contains(scale) && b.contains(scale); };
  return a.empty() || b.empty() ||
         (are_compatible(a, b) && (both_name(names::kDevices) || both_name(names::kNodes) ||
                                   (!names_scale(a) && !names_scale(b))));
}

// A figure declared with the target's own: `at: {devices: 2}`.
std::optional<Found> find_given(const Entry& target, const std::string& quantity) {
  const auto& at = target.declared->at.figures;
  if (const auto found = at.find(quantity); found != at.end()) {
    return found_given(quantity,
                       found->second,
                       fmt::format("{}.{}", target.figure.table, target.figure.column),
                       target.figure.where);
  }
  return std::nullopt;
}

Range hull(const Range& a, const Range& b) {
  return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)};
}

std::vector<Found> all_found(const std::vector<const Entry*>& entries, const Entry& target) {
  std::vector<Found> found;
  for (const Entry* entry : entries) {
    found.push_back(found_from(*entry, target));
  }
  return found;
}

// The one candidate, or the hull of several that could be one value.
Search choose(const Entry& target,
              const std::vector<const Entry*>& entries,
              const std::string& quantity) {
  Search search;
  if (entries.empty()) {
    return search;
  }
  std::vector<Found> candidates = all_found(entries, target);
  if (all_meet(entries)) {
    search.found = candidates.front();
    for (const Found& other : candidates) {
      search.found->range = hull(search.found->range, other.range);
      search.found->cut_off = hull(search.found->cut_off, other.cut_off);
    }
    return search;
  }
  std::vector<std::string> names;
  names.reserve(candidates.size());
  for (const Found& candidate : candidates) {
    names.push_back(candidate.base.figure);
  }
  constexpr std::size_t most_named = 3;
  const std::size_t count = names.size();
  names.resize(std::min(count, most_named));
  search.problem = fmt::format("{} figures could be its {}: {}{}",
                               count,
                               quantity,
                               join(names, "; "),
                               count > most_named ? " ..." : "");
  search.needs = fmt::format("say which of them is the {} meant", quantity);
  search.candidates = std::move(candidates);
  return search;
}

// A number among conditions; NaN where there is none.
double number_of(const Conditions& conditions, const std::string& name) {
  const std::string* text = value_of(conditions, name);
  return (text == nullptr ? std::nullopt : parse_number(*text))
      .value_or(std::numeric_limits<double>::quiet_NaN());
}

// Whether `batch` grows as the devices do: then it is that of all devices.
bool grows_with_devices(const Conditions& target, const Conditions& run) {
  return number_of(target, "batch") * number_of(run, names::kDevices) ==
         number_of(run, "batch") * number_of(target, names::kDevices);
}

// Whether devices times `batch_per_device` are kept: then all devices together keep their batch.
bool shrinks_with_devices(const Conditions& target, const Conditions& run) {
  return number_of(target, names::kBatchPerDevice) * number_of(target, names::kDevices) ==
         number_of(run, names::kBatchPerDevice) * number_of(run, names::kDevices);
}

// Conditions in which the two differ and may not.
std::vector<std::string> incomparable(const Conditions& target,
                                      const Conditions& baseline_run,
                                      const Conditions& declared_baseline) {
  const bool scales = names_scale(declared_baseline);
  const auto may_differ = [&](const std::string& name) {
    if (declared_baseline.contains(name)) {
      return true;
    }
    if (!scales) {
      return false;
    }
    if (name == names::kDevices || name == names::kNodes) {
      return true;
    }
    const auto keeps = [&](const char* kept) {
      const std::string* here = value_of(target, kept);
      const std::string* there = value_of(baseline_run, kept);
      return here != nullptr && there != nullptr && *here == *there;
    };
    if (name == names::kBatchPerDevice) {
      return says_scaling(target, "strong") || keeps(names::kBatchGlobal) ||
             shrinks_with_devices(target, baseline_run);
    }
    if (name == names::kBatchGlobal) {
      return says_scaling(target, "weak") || keeps(names::kBatchPerDevice);
    }
    return name == "batch" && grows_with_devices(target, baseline_run);
  };
  std::vector<std::string> names;
  for (const auto& [name, value] : target) {
    if (!may_differ(name) && conflict(target, baseline_run, name)) {
      names.push_back(name);
    }
  }
  return names;
}

std::string against(const Conditions& target,
                    const Conditions& run,
                    const std::vector<std::string>& names) {
  std::vector<std::string> parts;
  for (const std::string& name : names) {
    parts.push_back(fmt::format("{} ({} against {})", name, target.at(name), run.at(name)));
  }
  return join(parts, ", ");
}

}  // namespace

Found found_from(const Entry& entry, const Entry& target) {
  return {fmt::format("{}/{}/{}", entry.figure.table, entry.figure.row, entry.figure.column),
          physical_range(entry.figure.quantity, entry.figure.figure),
          physical_cut_off_range(entry.figure.quantity, entry.figure.figure),
          entry.figure.figure.unit,
          base_of(entry, target)};
}

bool are_comparable(const Conditions& target,
                    const Conditions& baseline_run,
                    const Conditions& declared_baseline) {
  return incomparable(target, baseline_run, declared_baseline).empty();
}

Ledger::Ledger(const Dataset& dataset) {
  for (PrintedFigure& figure : printed_figures(dataset)) {
    Entry entry;
    entry.declared = declaration_of(dataset, figure);
    entry.table = find_table(dataset, figure.table);
    entry.figure = std::move(figure);
    entries_.push_back(std::move(entry));
  }
}

// Whether a figure of another place can mean the target's run and none besides: nothing that either
// declares of itself is left unsaid by the other, and the candidate fits no other row or column of
// the target's table. That no other row of its own table fits the target is seen by there being one
// candidate. What the text says is about another figure of the text only when both name the same
// conditions.
bool Ledger::is_mutual(const Entry& candidate, const Entry& target) const {
  if (candidate.table == nullptr && target.table == nullptr) {
    return candidate.figure.conditions == target.figure.conditions;
  }
  if (!says_all(candidate.figure.conditions, target.declared->at.conditions) ||
      !says_all(target.figure.conditions, candidate.declared->at.conditions)) {
    return false;
  }
  return std::none_of(entries_.begin(), entries_.end(), [&](const Entry& other) {
    return other.table != nullptr && other.table == target.table && &other != &target &&
           other.figure.quantity == target.figure.quantity &&
           says_all(candidate.figure.conditions, other.declared->at.conditions) &&
           are_compatible(other.figure.conditions, candidate.figure.conditions) &&
           !is_of_same_rate(other, target, candidate.figure.quantity) &&
           !(other.is_same_group(target) && all_meet({&other, &target}));
  });
}

Search Ledger::find(const Entry& target, const std::string& quantity) const {
  if (std::optional<Found> given = find_given(target, quantity)) {
    return {std::move(given), "", ""};
  }
  std::vector<const Entry*> row;
  std::vector<const Entry*> elsewhere;
  for (const Entry& entry : entries_) {
    if (entry.figure.quantity != quantity || &entry == &target ||
        !are_compatible(entry.figure.conditions, target.figure.conditions) ||
        (quantity == names::kSpeedup &&
         !have_one_base(entry.declared->baseline, target.declared->baseline))) {
      continue;
    }
    if (entry.is_same_group(target)) {
      row.push_back(&entry);
    } else if (entry.figure.experiment == target.figure.experiment && entry.table != target.table &&
               is_mutual(entry, target)) {
      elsewhere.push_back(&entry);
    }
  }
  if (!row.empty()) {
    return choose(target, row, quantity);
  }
  if (target.table != nullptr) {
    const auto& fixed = target.table->fixed.figures;
    if (const auto found = fixed.find(quantity); found != fixed.end()) {
      return {
          found_given(quantity, found->second, target.figure.table, target.figure.where), "", ""};
    }
  }
  Search search = choose(target, elsewhere, quantity);
  search.candidates.clear();  // none of them need be meant
  if (!search.found && search.problem.empty()) {
    search.problem = missing(quantity, {});
    search.needs = fmt::format("print its {}{}", quantity, or_declare(quantity, target));
  }
  return search;
}

Search Ledger::find_baseline(const Entry& target, const std::string& quantity) const {
  const Conditions& baseline = target.declared->baseline;
  if (baseline.empty()) {
    return {std::nullopt,
            "the run it is relative to is not declared (baseline)",
            "say what it is relative to (`baseline`)"};
  }
  if (const std::string* value = value_of(baseline, quantity)) {
    if (const std::optional<double> number = parse_number(*value)) {
      return {Found{"baseline/" + quantity,
                    {*number, *number},
                    {*number, *number},
                    "",
                    {"baseline " + quantity, *value, target.figure.where, {}}},
              "",
              ""};
    }
  }
  if (agree(target.figure.conditions, baseline)) {
    return find(target, quantity);  // the target is of the baseline run itself
  }
  std::vector<const Entry*> own;
  std::vector<const Entry*> elsewhere;
  std::vector<const Entry*> others;  // of the table, that differ in more than they may
  std::string mixed;
  for (const Entry& entry : entries_) {
    const Conditions& run = entry.figure.conditions;
    if (entry.figure.quantity != quantity || !agree(run, baseline)) {
      continue;
    }
    const bool is_own = entry.table == target.table && target.table != nullptr;
    // NOLINTNEXTLINE(readability-suspicious-call-argument): run is the baseline's run
    const auto names = incomparable(target.figure.conditions, run, baseline);
    if (names.empty() && (is_own || entry.figure.experiment == target.figure.experiment)) {
      (is_own ? own : elsewhere).push_back(&entry);
    } else if (!names.empty() && is_own) {
      others.push_back(&entry);
      mixed = mixed.empty() ? against(target.figure.conditions, run, names) : mixed;
    }
  }
  Search search = choose(target, own.empty() ? elsewhere : own, quantity);
  if (!search.found && search.problem.empty()) {
    search.problem = missing(quantity, baseline) + " with everything else equal";
    search.needs = fmt::format(
        "print the {} of {} with everything else equal", quantity, describe_conditions(baseline));
    search.candidates = all_found(others, target);
    search.mixed = mixed;
  }
  return search;
}

std::vector<const Entry*> Ledger::find_twins(const Entry& target) const {
  std::vector<const Entry*> twins;
  for (const Entry& entry : entries_) {
    if (entry.figure.quantity == target.figure.quantity &&
        entry.figure.experiment == target.figure.experiment && !entry.is_same_group(target) &&
        (entry.table == nullptr || entry.table != target.table) &&
        are_compatible(entry.figure.conditions, target.figure.conditions) &&
        // NOLINTNEXTLINE(readability-suspicious-call-argument): asked both ways
        is_mutual(entry, target) && is_mutual(target, entry)) {
      twins.push_back(&entry);
    }
  }
  return twins;
}

}  // namespace scalestudy::audit
