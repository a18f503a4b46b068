#include "harness/analysis/observe/looking.h"

#include <algorithm>
#include <set>
#include <utility>

#include "harness/study/parse.h"
#include "harness/text/number.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

std::optional<int> count_of(const SessionRow& session) {
  if (!session.study_text) {
    return std::nullopt;
  }
  return parse_stored_study(*session.study_text, "").trials.count;
}

// "5 -> 10 -> 20"
std::string list_counts(const std::vector<int>& counts) {
  std::vector<std::string> texts;
  for (const int count : counts) {
    texts.push_back(std::to_string(count));
  }
  return join(texts, " -> ");
}

// Trials after which results were seen before the present look.
std::string list_looks(const std::vector<std::int64_t>& looks, std::int64_t ended) {
  std::vector<std::string> texts;
  for (const std::int64_t look : looks) {
    if (look > 0 && look < ended) {
      texts.push_back(std::to_string(look));
    }
  }
  return texts.empty() ? ""
                       : " Earlier results were printed after " + join(texts, ", ") +
                             (texts == std::vector<std::string>{"1"} ? " trial." : " trials.");
}

void add_sequential(const StudyObservation& observation,
                    const Study& study,
                    std::vector<ThreatRow>& threats) {
  std::int64_t planned = 0;
  std::int64_t waiting = 0;
  for (const CellObservation& cell : observation.cells) {
    planned += cell.planned;
    waiting += cell.waiting;
  }
  const Looking& looking = observation.looking;
  const bool is_changed = looking.counts.size() > 1;
  const bool allows_for_looks = study.trials.is_for_verdicts;
  if ((waiting == 0 || allows_for_looks) && !is_changed) {
    return;
  }
  std::string text;
  if (waiting > 0 && !allows_for_looks) {
    text += "This is a look before the planned end: " + std::to_string(planned - waiting) + " of " +
            format_count(planned, "trial") + " have ended. ";
  }
  if (is_changed) {
    text += "The number of trials of each cell was changed after trials had run (" +
            list_counts(looking.counts) + "). ";
  }
  threats.push_back(
      {ThreatKind::kSequential,
       Severity::kWarning,
       text +
           "P values and intervals keep their error rate for one look at the planned end. If you "
           "stop or continue depending on what a look shows, a 5 % test calls equal cells "
           "different in 8 % of studies "
           "with two "
           "evenly spaced looks and in 13 % with four. Looks closer together do so less often." +
           list_looks(looking.looks, planned - waiting)});
}

}  // namespace

Looking find_looking(const std::vector<SessionRow>& sessions,
                     const std::vector<TrialRow>& trials,
                     std::vector<std::int64_t> looks,
                     const Study& now) {
  std::set<std::int64_t> with_trials;
  for (const TrialRow& trial : trials) {
    if (trial.session_id && !is_pending(trial.state)) {
      with_trials.insert(*trial.session_id);
    }
  }
  Looking looking{.looks = std::move(looks), .counts = {}};
  const auto add = [&looking](int count) {
    if (looking.counts.empty() || looking.counts.back() != count) {
      looking.counts.push_back(count);
    }
  };
  for (const SessionRow& session : sessions) {
    const std::optional<int> count =
        with_trials.contains(session.id) ? count_of(session) : std::nullopt;
    if (count) {
      add(*count);
    }
  }
  add(now.trials.count);
  return looking;
}

std::vector<ThreatRow> looking_threats(const StudyObservation& observation,
                                       const Study& study,
                                       const std::vector<ComparisonRow>& comparisons) {
  std::vector<ThreatRow> threats;
  if (std::ranges::none_of(comparisons,
                           [](const ComparisonRow& row) { return row.value.has_value(); })) {
    return threats;
  }
  add_sequential(observation, study, threats);
  if (study.order.design == OrderDesign::kBatch) {
    threats.push_back({ThreatKind::kBatchOrder,
                       Severity::kWarning,
                       "All trials of a cell ran in a row (order: batch), so whatever the machine "
                       "did over the session is part of every comparison, and no interval allows "
                       "for it. Example: two equal cells of ten trials vary by 1 %, on a machine "
                       "that becomes 2 % slower in all; the interval of the speedup covers 1 in "
                       "only 44 % of studies. Randomised blocks (order: blocks) avoid that."});
  }
  return threats;
}

}  // namespace scalestudy
