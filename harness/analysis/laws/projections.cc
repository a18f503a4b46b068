#include "harness/analysis/laws/projections.h"

#include <algorithm>

#include "harness/analysis/laws/law_points.h"
#include "harness/analysis/laws/projection_finding.h"
#include "harness/text/number.h"
#include "stats/projection.h"
#include "stats/summary.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

// One curve with what the gate says of it.
struct CheckedCurve {
  const Curve* curve = nullptr;
  std::vector<const CellObservation*> cells;
  LawPoints points;
  stats::StepPoints step_points;  // of `points`
  stats::ProjectionCheck check;
  std::string finding;
};

// The law's own word, as in rows of laws.
std::string method_of(stats::StepLaw model) {
  for (const Law law : {Law::kCommunicationAdded, Law::kCommunicationHidden}) {
    if (step_law_of(law) == model) {
      return to_word(law);
    }
  }
  return to_word(Law::kCommunicationFitted);
}

const CellObservation* cell_of(const std::vector<const CellObservation*>& cells,
                               std::int64_t devices) {
  const auto found = std::ranges::find_if(cells, [&](const CellObservation* cell) {
    return cell->row.devices == devices && !trial_means(*cell, kStepTime).empty();
  });
  return found == cells.end() ? nullptr : *found;
}

// The session of the newest trial that the curve rests on.
const SessionRow* newest_session(const CheckedCurve& curve,
                                 const std::vector<SessionRow>& sessions) {
  const SessionRow* newest = nullptr;
  for (const CellObservation* cell : curve.cells) {
    for (const TrialObservation& trial : cell->trials) {
      const auto found = std::ranges::find_if(
          sessions, [&](const SessionRow& session) { return session.id == trial.row.session_id; });
      if (found != sessions.end() && (newest == nullptr || found->id > newest->id)) {
        newest = &*found;
      }
    }
  }
  return newest;
}

// Samples of a step on so many devices; 0 where the batch is not known.
double samples_of(const CheckedCurve& curve, Scaling scaling, std::int64_t devices) {
  const CellRow& any = curve.cells.front()->row;
  return scaling == Scaling::kWeak ? static_cast<double>(any.batch_per_device.value_or(0) * devices)
                                   : static_cast<double>(any.batch_global.value_or(0));
}

bool leaves_node(const CheckedCurve& curve, const Study& study, std::int64_t devices) {
  const std::int64_t per_node = study.analysis.projection->devices_per_node;
  return per_node > 0 && devices > per_node &&
         std::ranges::none_of(curve.cells, [](const CellObservation* cell) {
           return cell->row.nodes > 1 && !cell->trials.empty();
         });
}

void project(const CheckedCurve& curve, Scaling scaling, ProjectionRow& row) {
  const stats::ProjectedTime time = stats::project_time(
      curve.step_points, curve.check, static_cast<double>(row.devices), row.confidence);
  if (time.status != stats::Status::kOk) {
    row.status = RowStatus::kRefused;
    row.finding = "the model gives no time there";
    return;
  }
  row.status = RowStatus::kOk;
  row.value = time.time_s;
  row.lo = time.lo;
  row.hi = time.hi;
  if (const double samples = samples_of(curve, scaling, row.devices); samples > 0.0) {
    row.throughput = samples / *time.time_s;
  }
}

ProjectionRow project_count(const CheckedCurve& curve,
                            const StudyObservation& observation,
                            const Study& study,
                            const Communication& communication,
                            std::int64_t devices) {
  ProjectionRow row;
  row.group_label = curve.curve->label;
  row.devices = devices;
  row.confidence = study.analysis.confidence;
  row.levels = static_cast<std::int64_t>(curve.points.levels.size());
  row.n = static_cast<std::int64_t>(curve.points.trials.size());
  row.trials = curve.points.trials;
  std::ranges::sort(row.trials);
  row.finding = curve.finding;
  row.status = RowStatus::kRefused;
  const stats::ProjectionCheck& check = curve.check;
  if (check.counts > 0) {
    row.factor = static_cast<double>(devices) / check.most;
    row.held_out = static_cast<std::int64_t>(check.held_out);
  }
  if (check.error) {
    row.method = method_of(check.model);
    row.constants = check.model == stats::StepLaw::kRing ? "" : communication.ring->said;
    row.held_out_error = check.error;
    row.error_limit = check.limit;
    for (const stats::HeldOutError& rival : check.rivals) {
      if (rival.error && *rival.error < row.rival_error.value_or(*rival.error + 1.0)) {
        row.rival_error = rival.error;
      }
    }
  }
  if (!check.is_passed) {
    return row;
  }
  if (leaves_node(curve, study, devices)) {
    row.status = RowStatus::kUnsupported;
    row.finding =
        "it needs several nodes (devices_per_node), and no trial ran over more than "
        "one";
  } else if (*row.factor > check.most / check.most_fitted) {
    row.status = RowStatus::kExtrapolated;
    row.finding = "the check went a factor of " + format_plain(check.most / check.most_fitted) +
                  " beyond what the model was fitted to, this goes further beyond the most "
                  "devices that have trials: run more of them, or hold more counts out";
  } else {
    project(curve, observation.study.scaling, row);
  }
  return row;
}

// What was measured since stands beside a projection of before.
void score(const CheckedCurve& curve, ProjectionRow& row) {
  const CellObservation* cell = cell_of(curve.cells, row.devices);
  if (cell != nullptr && row.value && row.group_label == curve.curve->label) {
    row.cell_id = cell->row.id;
    row.measured = stats::mean(trial_means(*cell, kStepTime));
    row.error = *row.value / *row.measured - 1.0;
  }
}

ProjectionRow scenario_row(const Scenario& scenario, std::int64_t devices) {
  const auto count = static_cast<double>(devices);
  const StepVolume volume{.bytes = scenario.bytes, .rounds = 2.0, .buckets = 1.0};
  const double sent_s = volume.time_s({.hop_latency_s = scenario.hop_latency_s,
                                       .bytes_per_second = scenario.bytes_per_second,
                                       .said = ""},
                                      count);
  ProjectionRow row;
  row.name = scenario.name;
  row.devices = devices;
  row.value =
      scenario.is_hidden ? std::max(scenario.compute_s, sent_s) : scenario.compute_s + sent_s;
  row.throughput = static_cast<double>(scenario.batch_per_device) * count / *row.value;
  row.method = to_word(scenario.is_hidden ? Law::kCommunicationHidden : Law::kCommunicationAdded);
  row.status = RowStatus::kOk;
  row.provenance = Provenance::kScenario;
  row.constants = list_constants(scenario);
  row.finding = "worked out from declared constants, nothing measured: " + row.constants;
  return row;
}

bool is_same(const ProjectionRow& a, const ProjectionRow& b) {
  return a.group_label == b.group_label && a.devices == b.devices && a.session == b.session;
}

// The earlier projections of this provenance, without their scores: what was measured may count no
// more. Projections from ranks that sleep and from ranks that compute do not score each other.
std::vector<ProjectionRow> kept_of(std::vector<ProjectionRow> earlier, Provenance provenance) {
  std::erase_if(earlier, [&](const ProjectionRow& row) {
    return row.provenance != provenance || row.status != RowStatus::kOk;
  });
  for (ProjectionRow& row : earlier) {
    row.cell_id.reset();
    row.measured.reset();
    row.error.reset();
  }
  return earlier;
}

// Checks how well laws that are fitted to few devices of the curve predict the others.
void check(const StudyObservation& observation,
           const Study& study,
           const Communication& communication,
           CheckedCurve& checked) {
  const Scaling scaling = observation.study.scaling;
  checked.step_points = checked.points.step_points(scaling);
  checked.step_points.communication_s = communication_time(checked.cells, study, communication);
  if (scaling != Scaling::kNone && checked.points.shares_blocks()) {
    checked.check =
        stats::check_projection(checked.step_points,
                                static_cast<std::size_t>(study.analysis.projection->hold_out),
                                checked.points.df_taken);
  }
  checked.finding =
      describe_check(checked.check, scaling, checked.points.shares_blocks(), communication.missing);
}

}  // namespace

std::vector<ProjectionRow> project_cells(const StudyObservation& observation,
                                         const Study& study,
                                         const Communication& communication,
                                         const std::vector<SessionRow>& sessions,
                                         const std::vector<ProjectionRow>& earlier) {
  std::vector<ProjectionRow> rows;
  const Provenance provenance =
      is_emulated(observation, study) ? Provenance::kEmulated : Provenance::kProjected;
  std::vector<ProjectionRow> kept = kept_of(earlier, provenance);
  const bool is_asked = study.analysis.projection.has_value();
  for (const Curve& curve : is_asked || !kept.empty() ? curves_along(observation, names::kDevices)
                                                      : std::vector<Curve>()) {
    CheckedCurve checked{.curve = &curve,
                         .cells = law_cells(curve, observation),
                         .points = points_of(curve, observation, study),
                         .step_points = {},
                         .check = {},
                         .finding = {}};
    for (ProjectionRow& row : kept) {
      score(checked, row);
    }
    if (!is_asked) {
      continue;
    }
    check(observation, study, communication, checked);
    const SessionRow* session = newest_session(checked, sessions);
    for (const std::int64_t devices : study.analysis.projection->to) {
      if (cell_of(checked.cells, devices) == nullptr) {
        rows.push_back(project_count(checked, observation, study, communication, devices));
        rows.back().provenance = provenance;
        rows.back().session = session == nullptr ? "" : session->uid;
        rows.back().made_at = session == nullptr ? "" : session->started_at;
      }
    }
  }
  std::erase_if(kept, [&](const ProjectionRow& old) {
    return std::ranges::any_of(rows, [&](const ProjectionRow& row) { return is_same(row, old); });
  });
  rows.insert(rows.begin(), kept.begin(), kept.end());
  for (const Scenario& scenario : study.analysis.scenarios) {
    for (const std::int64_t devices : scenario.devices) {
      rows.push_back(scenario_row(scenario, devices));
    }
  }
  return rows;
}

}  // namespace scalestudy
