#include "harness/run/session/eta.h"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>

#include "harness/base/clock.h"

namespace scalestudy {
namespace {

double per(double sum_s, std::int64_t count) {
  return count > 0 ? sum_s / static_cast<double>(count) : 0.0;
}

}  // namespace

double Eta::Spent::trial_s() const {
  return std::max(per(ok_s, ok), per(all_s, trials));
}

void Eta::add_attempt(std::int64_t cell_id, double wall_s, bool is_ok, bool is_final) {
  for (Spent* spent : {&cells_[cell_id], &all_}) {
    spent->all_s += wall_s;
    spent->ok_s += is_ok ? wall_s : 0.0;
    spent->ok += is_ok ? 1 : 0;
    spent->trials += is_final ? 1 : 0;
  }
}

void Eta::add_beside(double seconds) {
  beside_s_ += seconds;
  ++attempts_;
}

double Eta::beside_s() const {
  return per(beside_s_, attempts_);
}

std::optional<double> Eta::trial_s(std::int64_t cell_id) const {
  if (all_.trials == 0) {
    return std::nullopt;
  }
  return wall_s(cell_id) + beside_s();
}

double Eta::wall_s(std::int64_t cell_id) const {
  const auto found = cells_.find(cell_id);
  if (found == cells_.end()) {
    return all_.trial_s();
  }
  const Spent& own = found->second;
  return own.ok > 0 ? own.trial_s() : std::max(own.trial_s(), per(all_.ok_s, all_.ok));
}

std::optional<double> Eta::total_s(const std::map<std::int64_t, std::int64_t>& left) const {
  if (all_.ok == 0) {
    return std::nullopt;
  }
  double total_s = 0.0;
  for (const auto& [cell_id, count] : left) {
    total_s += static_cast<double>(count) * trial_s(cell_id).value_or(0.0);
  }
  return total_s;
}

Eta eta_of(const std::vector<TrialRow>& trials) {
  struct StoredSession {
    std::string first;
    std::string last;
    double wall_s = 0.0;       // of all attempts
    double last_wall_s = 0.0;  // of the one that began last
    std::int64_t attempts = 0;
  };
  std::map<std::int64_t, StoredSession> sessions;
  std::set<std::tuple<std::int64_t, std::int64_t, std::string>> ran;
  Eta eta;
  for (auto row = trials.rbegin(); row != trials.rend(); ++row) {
    const TrialRow& trial = *row;
    if (!trial.wall_s) {
      continue;
    }
    // Read again from its logs, an attempt has a second row, behind its first.
    if (trial.started_at && !ran.insert({trial.cell_id, trial.block, *trial.started_at}).second) {
      continue;
    }
    eta.add_attempt(
        trial.cell_id, *trial.wall_s, trial.state == TrialState::kOk, !trial.superseded);
    if (!trial.session_id || !trial.started_at) {
      continue;
    }
    StoredSession& session = sessions[*trial.session_id];
    session.first =
        session.attempts == 0 ? *trial.started_at : std::min(session.first, *trial.started_at);
    if (*trial.started_at >= session.last) {
      session.last = *trial.started_at;
      session.last_wall_s = *trial.wall_s;
    }
    session.wall_s += *trial.wall_s;
    ++session.attempts;
  }
  for (const auto& [id, session] : sessions) {
    const double between_s = seconds_between(session.first, session.last).value_or(0.0);
    const double beside_s = std::max(0.0, between_s - session.wall_s + session.last_wall_s);
    for (std::int64_t i = 1; i < session.attempts; ++i) {
      eta.add_beside(beside_s / static_cast<double>(session.attempts - 1));
    }
  }
  return eta;
}

}  // namespace scalestudy
