#include "harness/store/merge/merge_trials.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "harness/store/tables/columns.h"
#include "harness/store/tables/inserts.h"
#include "harness/store/trial_plan.h"
#include "harness/study/declared/reading.h"

namespace scalestudy {
namespace {

template <typename Row, typename Same>
bool all_same(const std::vector<Row>& a, const std::vector<Row>& b, const Same& same) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
}

template <typename Row>
bool all_same_fields(const std::vector<Row>& a, const std::vector<Row>& b) {
  return all_same(a, b, &same_fields<Row>);
}

// Whether `many` has every series of `few` and, beyond these, series of single ranks alone, as
// where `prune --ranks` removed them from one of two stores.
bool has_more_ranks_alone(const std::vector<SeriesRow>& many, const std::vector<SeriesRow>& few) {
  auto next = few.begin();
  for (const SeriesRow& series : many) {
    if (next != few.end() && same_series(series, *next)) {
      ++next;
    } else if (!series.rank) {
      return false;
    }
  }
  return next == few.end();
}

// Where a log lies is its store's matter.
bool same_log(const LogRow& a, const LogRow& b) {
  return a.stream == b.stream && a.text == b.text;
}

// The last word on whether it counts; nullptr when nobody excluded it ever.
const AnnotationRow* last_word(const TrialContent& trial) {
  const auto last = std::find_if(
      trial.annotations.rbegin(), trial.annotations.rend(), [](const AnnotationRow& said) {
        return said.kind != AnnotationKind::kNote;
      });
  return last == trial.annotations.rend() ? nullptr : &*last;
}

bool is_excluded(const TrialContent& trial) {
  const AnnotationRow* word = last_word(trial);
  return word != nullptr && word->kind == AnnotationKind::kExclude;
}

// As it ended, whatever anybody said of it later.
TrialRow as_it_ended(const TrialContent& trial) {
  TrialRow row = trial.record.trial;
  if (is_excluded(trial)) {
    row.state = TrialState::kOk;
    row.reason.clear();
  }
  return row;
}

bool is_reading(const LogRow& log) {
  return log.stream == LogStream::kEvent && log.text.starts_with(kReadAgain);
}

// Without readings of them by later rules, which need not have been made in both stores.
std::vector<LogRow> logs_of_end(const TrialContent& trial) {
  std::vector<LogRow> logs = trial.record.logs;
  std::erase_if(logs, is_reading);
  return logs;
}

// Readings last, by their text. Returns whether `into` lacked some.
bool add_readings(std::vector<LogRow>& into, const std::vector<LogRow>& from) {
  const std::size_t before = into.size();
  for (const LogRow& log : from) {
    if (is_reading(log) && std::ranges::find(into, log.text, &LogRow::text) == into.end()) {
      into.push_back(log);
    }
  }
  if (into.size() == before) {
    return false;
  }
  const auto readings = std::stable_partition(
      into.begin(), into.end(), [](const LogRow& log) { return !is_reading(log); });
  std::sort(readings, into.end(), [](const LogRow& a, const LogRow& b) { return a.text < b.text; });
  return true;
}

using LastOfPlans = std::map<std::string, const TrialContent*>;  // one trial's, by plan

// One that has run; else a planned one before a skipped one, the latest attempt, the first plan.
const TrialContent* kept_of(const LastOfPlans& plans) {
  const auto rank = [](const TrialContent& trial) {
    const TrialRow& row = trial.record.trial;
    return std::tuple(!is_unrun(trial), row.state == TrialState::kPlanned, row.attempt);
  };
  const TrialContent* kept = plans.begin()->second;
  for (const auto& [plan, trial] : plans) {
    kept = rank(*trial) > rank(*kept) ? trial : kept;
  }
  return kept;
}

// The searched_plan() of trials that know no later attempt.
std::string search_of(const std::vector<TrialContent>& trials) {
  std::map<std::tuple<std::string, std::string, std::int64_t>, TrialRow> last;  // cell, plan, block
  for (const TrialContent& trial : trials) {
    const TrialRow& row = trial.record.trial;
    TrialRow& known = last[{trial.cell, row.plan, row.block}];
    known = row.attempt >= known.attempt ? row : known;
  }
  std::vector<TrialRow> rows;
  for (const auto& [place, row] : last) {
    rows.push_back(row);
  }
  return searched_plan(rows);
}

}  // namespace

bool add_annotations(TrialContent& into, const TrialContent& from) {
  const TrialRow ended = as_it_ended(into);
  const std::size_t before = into.annotations.size();
  for (const AnnotationRow& said : from.annotations) {
    if (std::ranges::none_of(into.annotations,
                             [&](const AnnotationRow& own) { return same_fields(own, said); })) {
      into.annotations.push_back(said);
    }
  }
  // trial_id is 0 in all, so by time
  std::ranges::sort(into.annotations, &is_before<AnnotationRow>);
  into.record.trial = ended;
  if (is_excluded(into)) {
    into.record.trial.state = TrialState::kInvalid;
    into.record.trial.reason = exclusion_reason(last_word(into)->text);
  }
  return into.annotations.size() != before;
}

// Of two states of one attempt the higher stays.
int progress_of(TrialState state) {
  switch (state) {
    case TrialState::kPlanned:
    case TrialState::kRunning:
      return 0;
    case TrialState::kSkipped:
      return 1;
    case TrialState::kExcluded:
      return 2;
    default:
      return 3;
  }
}

bool has_run(const TrialContent& trial) {
  return progress_of(trial.record.trial.state) == 3;
}

bool is_unrun(const TrialContent& trial) {
  return !has_run(trial) && trial.record.trial.skip_reason != SkipReason::kPruned;
}

bool same_trial(const TrialContent& a, const TrialContent& b) {
  TrialRow ended_a = as_it_ended(a);
  const TrialRow ended_b = as_it_ended(b);
  if (ended_a.source && ended_b.source) {
    ended_a.source = ended_b.source;  // where it was imported from is its store's matter too
  }
  ended_a.rules_hash = ended_b.rules_hash;  // later rules that read the same, in one store alone
  return a.session == b.session && same_fields(ended_a, ended_b) &&
         (has_more_ranks_alone(a.record.series, b.record.series) ||
          has_more_ranks_alone(b.record.series, a.record.series)) &&
         all_same_fields(a.record.telemetry, b.record.telemetry) &&
         all_same(logs_of_end(a), logs_of_end(b), same_log);
}

bool same_session(const SessionContent& a, const SessionContent& b) {
  return same_fields(a.row, b.row) && all_same_fields(a.environment, b.environment);
}

bool add_ranks(TrialContent& into, const TrialContent& from) {
  if (from.record.series.size() <= into.record.series.size()) {
    return false;
  }
  into.record.series = from.record.series;
  return true;
}

bool add_said_later(TrialContent& into, const TrialContent& from) {
  const bool has_readings = add_readings(into.record.logs, from.record.logs);
  // Of several rules that read the same one stays, in whatever order stores are merged.
  std::optional<std::string>& rules = into.record.trial.rules_hash;
  const bool has_rules = rules < from.record.trial.rules_hash;
  rules = std::max(rules, from.record.trial.rules_hash);
  return add_annotations(into, from) || has_readings || has_rules;
}

std::set<AttemptName> unrun_attempts(const std::vector<TrialContent>& trials) {
  std::set<AttemptName> names;
  for (const TrialContent& trial : trials) {
    if (is_unrun(trial)) {
      names.insert(attempt_name(trial));
    }
  }
  return names;
}

void unite_plans(std::vector<TrialContent>& trials) {
  std::map<std::pair<std::string, std::int64_t>, LastOfPlans> places;  // by cell and block
  const std::string search = search_of(trials);
  std::set<AttemptName> spare;
  for (const TrialContent& trial : trials) {
    const TrialRow& row = trial.record.trial;
    if (row.part == SearchPart::kNone && row.provenance == TrialProvenance::kMeasured) {
      const TrialContent*& last = places[{trial.cell, row.block}][row.plan];
      last = last == nullptr || last->record.trial.attempt < row.attempt ? &trial : last;
    }
    if (row.part != SearchPart::kNone && row.plan != search && is_unrun(trial)) {
      spare.insert(attempt_name(trial));
    }
  }
  for (const auto& [place, plans] : places) {
    const TrialContent* kept = kept_of(plans);
    for (const auto& [plan, trial] : plans) {
      if (trial != kept && is_unrun(*trial)) {
        spare.insert(attempt_name(*trial));
      }
    }
  }
  std::erase_if(trials,
                [&](const TrialContent& trial) { return spare.contains(attempt_name(trial)); });
}

}  // namespace scalestudy
