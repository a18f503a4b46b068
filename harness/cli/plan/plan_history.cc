#include "harness/cli/plan/plan_history.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "harness/base/error.h"
#include "harness/run/machine/idle_gate.h"
#include "harness/run/session/eta.h"
#include "harness/store/database/schema.h"
#include "harness/store/store.h"
#include "harness/study/parse.h"
#include "workloads/parameters/parameters.h"

namespace scalestudy {
namespace {

// Whether a stored text is that of a study with this one's command. One that this version cannot
// read is not.
bool has_command_of(const Study& study, const std::string& text, const std::string& path) {
  try {
    return parse_stored_study(text, path).command == study.command;
  } catch (const Error&) {
    return false;
  }
}

// The studies whose trials run what this study's would. A cell's hash names the parameters, which
// are all of a built-in workload; of a command they are what is put into it.
std::vector<StudyRow> studies_like(const Study& study, const Store& store) {
  std::vector<StudyRow> rows = store.studies();
  std::erase_if(rows, [&](const StudyRow& row) {
    return study.workload == Workload::kCommand &&
           !has_command_of(study, row.source_text, row.source_path);
  });
  return rows;
}

// Adds sessions of that study in which its command was another one.
void add_other_commands(const Study& study,
                        const StudyRow& row,
                        const Store& store,
                        std::set<std::int64_t>& sessions) {
  for (const SessionRow& session : store.sessions(row.id)) {
    if (study.workload == Workload::kCommand && session.study_hash != row.hash &&
        session.study_text && !has_command_of(study, *session.study_text, "")) {
      sessions.insert(session.id);
    }
  }
}

// Steps that a time adds to a phase, at most; nobody knows of a command.
double most_timed_steps(const Study& study) {
  return study.workload == Workload::kCommand ? HUGE_VAL
                                              : static_cast<double>(protocol::kMostSteps);
}

// A step more or less takes its mean step time; the rest of a trial stays as it is.
double wall_with_steps(double wall_s, double mean_step_s, std::int64_t steps, const Study& study) {
  if (study.steps.is_open) {
    return wall_s;
  }
  const auto planned = [&](int least, double time_s) {
    return std::max<double>(least,
                            std::min(std::ceil(time_s / mean_step_s), most_timed_steps(study)));
  };
  const double all = planned(study.steps.warmup, study.steps.warmup_time_s) +
                     planned(study.steps.measured, study.steps.measured_time_s);
  return std::max(0.0, wall_s + (all - static_cast<double>(steps)) * mean_step_s);
}

// What a trial of this study waits for an idle machine: as long as that one did, or a look.
double wait_before(const Field& waited_s, const Study& study) {
  const auto* known_s = std::get_if<double>(&waited_s);
  return !(study.validity.idle_wait() > 0.0) ? 0.0 : known_s != nullptr ? *known_s : kIdleLookS;
}

// Whether that session's trials had this study's setup and cleanup.
bool has_setup_of(const Study& study, const StudyRow& row, const SessionRow& session) {
  try {
    const Study ran = session.study_hash != row.hash && session.study_text
                          ? parse_stored_study(*session.study_text, "")
                          : parse_stored_study(row.source_text, row.source_path);
    return ran.setup == study.setup && ran.cleanup == study.cleanup;
  } catch (const Error&) {
    return false;  // a text of another version
  }
}

// What setup and cleanup take for a trial, by sessions of that study that had those of this one and
// are not `unlike`, without the waits for an idle machine. 0 where no session tells.
double time_beside(const Study& study,
                   const Store& store,
                   const StudyRow& row,
                   const std::set<std::int64_t>& unlike) {
  if (study.setup.empty() && study.cleanup.empty()) {
    return 0.0;  // the rest is short, and starts are stored in whole seconds
  }
  std::set<std::int64_t> alike;
  for (const SessionRow& session : store.sessions(row.id)) {
    if (!unlike.contains(session.id) && has_setup_of(study, row, session)) {
      alike.insert(session.id);
    }
  }
  std::vector<TrialRow> trials = store.trials(row.id);
  std::erase_if(trials, [&](const TrialRow& trial) {
    return !trial.session_id || !alike.contains(*trial.session_id);
  });
  const QueryResult waits = store.query(
      "SELECT trial_id, value FROM telemetry JOIN trial ON trial.id = trial_id "
      "WHERE study_id = ?1 AND name = 'idle_wait_s'",
      {row.id});
  std::map<std::int64_t, double> waits_s;
  for (const std::vector<Field>& wait : waits.rows) {
    waits_s.emplace(std::get<std::int64_t>(wait.at(0)), std::get<double>(wait.at(1)));
  }
  return eta_of(trials, waits_s).beside_s();
}

// Whether a trial of so many steps could be one of this study. Its last measured step may be cut
// off by a warm-up that was a little slower.
// - interval: steps that a step time stands for, of which some may be warm-up and some measured.
bool has_steps_of(const Study& study,
                  std::int64_t warmup,
                  std::int64_t measured,
                  std::int64_t interval,
                  double mean_step_s) {
  const Steps& floors = study.steps;
  const auto is_near = [&](std::int64_t steps, int floor) {
    return std::abs(steps - floor) < interval;
  };
  if (floors.is_open) {
    return is_near(warmup, floors.warmup);
  }
  if (!floors.has_times()) {
    return is_near(warmup, floors.warmup) && is_near(measured, floors.measured);
  }
  constexpr double most_cut = 0.8;
  return warmup >= floors.warmup && measured >= floors.measured &&
         (static_cast<double>(measured) >= most_timed_steps(study) ||
          static_cast<double>(measured) * mean_step_s >= most_cut * floors.measured_time_s);
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::map<std::int64_t, double> means_by_session(const Past& past) {
  std::map<std::int64_t, std::vector<double>> by_session;
  for (std::size_t i = 0; i < past.session.size(); ++i) {
    by_session[past.session[i]].push_back(past.step_time_s[i]);
  }
  std::map<std::int64_t, double> means_s;
  for (const auto& [id, times_s] : by_session) {
    means_s.emplace(id, mean_of(times_s));
  }
  return means_s;
}

}  // namespace

double Past::mean_wall_s() const {
  return mean_of(wall_s);
}

double Past::mean_time_s() const {
  return mean_wall_s() + mean_of(beside_s);
}

std::vector<double> Past::session_means_s() const {
  std::vector<double> means_s;
  for (const auto& [id, mean_s] : means_by_session(*this)) {
    means_s.push_back(mean_s);
  }
  return means_s;
}

double Past::df_in_one_session() const {
  const auto sessions = static_cast<double>(means_by_session(*this).size());
  const auto trials = static_cast<double>(step_time_s.size());
  const double repeats = trials - sessions;  // the mean of each session took one
  return repeats < sessions - 1.0 ? trials - 1.0 : repeats;
}

std::vector<double> Past::as_in_one_session_s() const {
  const double df = df_in_one_session();
  const double df_of_all = static_cast<double>(step_time_s.size()) - 1.0;
  if (df == df_of_all) {
    return step_time_s;
  }
  const std::map<std::int64_t, double> means_s = means_by_session(*this);
  const double stretch = std::sqrt(df_of_all / df);
  const double mean_s = mean_of(step_time_s);
  std::vector<double> times_s;
  for (std::size_t i = 0; i < step_time_s.size(); ++i) {
    times_s.push_back(mean_s * (1.0 + stretch * (step_time_s[i] / means_s.at(session[i]) - 1.0)));
  }
  return times_s;
}

PlanHistory read_history(const Study& study, const std::string& results) {
  PlanHistory history;
  if (!Store::exists(results)) {
    return history;
  }
  const Store store = Store::open_read_only(results);
  const QueryResult rows = store.query(
      "SELECT trial.study_id, cell.hash, trial.wall_s, step_times.step_time_s, step_times.steps, "
      "step_times.warmup, trial.session_id, telemetry.value, lines.value FROM trial "
      "JOIN cell ON cell.id = trial.cell_id JOIN step_times ON step_times.trial = trial.id "
      "LEFT JOIN telemetry ON telemetry.trial_id = trial.id AND telemetry.name = 'idle_wait_s' "
      "LEFT JOIN telemetry AS lines ON lines.trial_id = trial.id AND lines.name = 'step_interval' "
      "WHERE trial.state = 'ok' AND trial.wall_s IS NOT NULL "
      "AND step_times.step_time_s IS NOT NULL AND NOT " +
      std::string(kSuperseded) + " ORDER BY trial.id");
  std::map<std::int64_t, double> beside_s;  // by study
  std::set<std::int64_t> unlike;            // sessions
  for (const StudyRow& like : studies_like(study, store)) {
    add_other_commands(study, like, store, unlike);
    beside_s[like.id] = time_beside(study, store, like, unlike);
  }
  for (const std::vector<Field>& row : rows.rows) {
    const auto beside = beside_s.find(std::get<std::int64_t>(row.at(0)));
    const auto* session = std::get_if<std::int64_t>(&row.at(6));
    if (beside == beside_s.end() || (session != nullptr && unlike.contains(*session))) {
      continue;
    }
    const double mean_s = std::get<double>(row.at(3));
    const auto* steps_of_line = std::get_if<double>(&row.at(8));  // a line every tenth step
    const std::int64_t interval = steps_of_line == nullptr ? 1 : std::llround(*steps_of_line);
    const std::int64_t measured = interval * std::get<std::int64_t>(row.at(4));
    const std::int64_t warmup = interval * std::get<std::int64_t>(row.at(5));
    Past& past = history[std::get<std::string>(row.at(1))];
    past.wall_s.push_back(
        wall_with_steps(std::get<double>(row.at(2)), mean_s, measured + warmup, study) +
        wait_before(row.at(7), study));
    past.beside_s.push_back(beside->second);
    // The mean of more steps varies less from trial to trial.
    if (has_steps_of(study, warmup, measured, interval, mean_s)) {
      past.step_time_s.push_back(mean_s);
      past.session.push_back(std::get<std::int64_t>(row.at(6)));
    }
  }
  return history;
}

std::vector<double> base_times(const Cell& cell, const Matrix& matrix, const PlanHistory& history) {
  const auto past = history.find(cell.baseline.value_or(""));
  const auto base = std::ranges::find(matrix.cells, cell.baseline.value_or(""), &Cell::hash);
  if (past == history.end() || base == matrix.cells.end() || base->hash == cell.hash) {
    return {};
  }
  std::vector<double> times_s = past->second.as_in_one_session_s();
  if (cell.batch_global && base->batch_global) {
    for (double& time_s : times_s) {
      time_s *= static_cast<double>(*cell.batch_global) / static_cast<double>(*base->batch_global);
    }
  }
  return times_s;
}

}  // namespace scalestudy
