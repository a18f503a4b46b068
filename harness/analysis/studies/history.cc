#include "harness/analysis/studies/history.h"

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "harness/analysis/cells/claims.h"
#include "harness/analysis/cells/sessions.h"
#include "harness/study/parse.h"
#include "stats/change_points.h"
#include "stats/ratio_interval.h"
#include "stats/summary.h"

namespace scalestudy {
namespace {

// Of every history: the same store gives the same changes.
constexpr std::uint64_t kSeed = 20261122;

// What of the study changed between two sessions; {} where that was not recorded.
std::vector<std::string> study_changes(const SessionRow& before, const SessionRow& after) {
  if (!before.study_text || !after.study_text || *before.study_text == *after.study_text) {
    return {};
  }
  return study_differences(parse_stored_study(*before.study_text, ""),
                           parse_stored_study(*after.study_text, ""));
}

struct Series {
  const CellObservation* cell = nullptr;
  std::vector<std::int64_t> sessions;
  std::vector<double> means_s;
};

// Sessions with a trial whose step time is not what that of the cell's last session is.
std::set<std::int64_t> sessions_of_other_time(const CellObservation& cell) {
  const auto last = std::ranges::max_element(cell.trials, {}, [](const TrialObservation& trial) {
    return std::pair(trial.definition.has_value(), trial.row.session_id);
  });
  std::set<std::int64_t> sessions;
  for (const TrialObservation& trial : cell.trials) {
    if (trial.definition && trial.definition != last->definition) {
      sessions.insert(trial.row.session_id.value_or(0));
    }
  }
  return sessions;
}

Series series_of(const CellObservation& cell, std::set<std::int64_t>& left_out) {
  const std::set<std::int64_t> others = sessions_of_other_time(cell);
  left_out.insert(others.begin(), others.end());
  Series series;
  series.cell = &cell;
  for (const auto& [session, values] : session_values(cell, kStepTime)) {
    if (!others.contains(session.value_or(0))) {
      series.sessions.push_back(session.value_or(0));
      series.means_s.push_back(*stats::mean(values));
    }
  }
  return series;
}

// The changes of one cell, each with its size between the changes beside it.
void add_changes(const Series& series, double alpha, double confidence, History& history) {
  const stats::ChangePoints found =
      stats::change_points(series.means_s, alpha, kSessionsAsUnit, kSeed);
  if (found.status != stats::Status::kOk) {
    history.short_ones.push_back(series.cell->row);
    return;
  }
  if (found.wanders) {
    history.wandering.push_back({.cell = series.cell->row, .dependence = found.dependence});
  } else if (found.points.empty()) {
    history.steady.push_back(series.cell->row);
  }
  const std::span<const double> means(series.means_s);
  for (std::size_t i = 0; i < found.points.size(); ++i) {
    const stats::ChangePoint& point = found.points[i];
    const std::size_t begin = i == 0 ? 0 : found.points[i - 1].first;
    const std::size_t end = i + 1 < found.points.size() ? found.points[i + 1].first : means.size();
    const auto before = means.subspan(begin, point.first - begin);
    const auto after = means.subspan(point.first, end - point.first);
    stats::RatioInterval ratio = stats::log_ratio_delta(before, after, confidence);
    if (std::min(before.size(), after.size()) < kSessionsAsUnit) {
      ratio.lo = ratio.hi = std::nullopt;
    }
    history.changes.push_back(
        {.cell = series.cell->row,
         .session = series.sessions[point.first],
         .earliest = series.sessions[point.earliest],
         .latest = series.sessions[point.latest],
         .before = point.earliest == 0 ? 0 : series.sessions[point.earliest - 1],
         .p_value = point.p,
         .speedup = ratio.ratio,
         .speedup_lo = ratio.lo,
         .speedup_hi = ratio.hi});
  }
}

}  // namespace

History find_history(const Side& all, double confidence) {
  History history;
  std::vector<Series> long_ones;
  for (const CellObservation& cell : all.observation.cells) {
    const bool is_unmeasurable = cell.planned == 0 || is_unsupported(cell);
    if (cell.row.role != CellRole::kMeasured || (cell.trials.empty() && is_unmeasurable)) {
      continue;
    }
    if (!has_claim(cell)) {
      history.no_claim[cell.has_software_type ? Verdict::kSoftwareType : Verdict::kNoClaim]
          .push_back(cell.row);
      continue;
    }
    Series series = series_of(cell, history.other_definition);
    if (series.means_s.size() < 2 * kSessionsAsUnit) {
      history.short_ones.push_back(cell.row);
    } else {
      long_ones.push_back(std::move(series));
    }
  }
  for (const Series& series : long_ones) {
    add_changes(
        series, (1.0 - confidence) / static_cast<double>(long_ones.size()), confidence, history);
  }
  return history;
}

std::vector<std::string> changed_facts(const Side& all, const CellChange& change) {
  std::vector<std::string> lines;
  const auto add = [&](const std::string& line, std::int64_t session) {
    lines.push_back(line + " (session " + std::to_string(session) + ")");
  };
  const auto value_in = [&](std::size_t i, const std::string& name) {
    const auto found = all.facts[i].find(name);
    return found == all.facts[i].end() ? std::string("none") : found->second;
  };
  for (std::size_t i = 1; i < all.sessions.size(); ++i) {
    const std::int64_t id = all.sessions[i].id;
    if (id <= change.before || id > change.latest) {
      continue;
    }
    std::set<std::string> names;
    for (const std::size_t at : {i - 1, i}) {
      for (const auto& [name, value] : all.facts[at]) {
        names.insert(name);
      }
    }
    for (const std::string& name : names) {
      if (value_in(i - 1, name) != value_in(i, name)) {
        add(name + ": " + value_in(i - 1, name) + " -> " + value_in(i, name), id);
      }
    }
    for (const std::string& line : study_changes(all.sessions[i - 1], all.sessions[i])) {
      add(line, id);
    }
  }
  return lines;
}

}  // namespace scalestudy
