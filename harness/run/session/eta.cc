#include "harness/run/session/eta.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <tuple>

#include "harness/base/clock.h"

namespace scalestudy {
namespace {

double per(double sum_s, std::int64_t count) {
  return count > 0 ? sum_s / static_cast<double>(count) : 0.0;
}

struct Attempt {
  std::string began;
  double wall_s = 0.0;
  double waited_s = 0.0;  // before it
};

// What the attempts of a session took beside their wall times and waits, each but the last, in s.
// The longest is left out as a pause (^Z, a machine asleep, a clock that was set) if it is over 10
// min, and over 10 times the mean of the others.
std::vector<double> times_beside(std::vector<Attempt> attempts) {
  constexpr double least_pause_s = 600.0;
  constexpr double times_others = 10.0;
  std::ranges::sort(attempts, {}, &Attempt::began);
  std::vector<double> times_s;
  for (std::size_t i = 1; i < attempts.size(); ++i) {
    const Attempt& last = attempts[i - 1];
    times_s.push_back(seconds_between(last.began, attempts[i].began).value_or(0.0) - last.wall_s -
                      attempts[i].waited_s);
  }
  const auto longest = std::ranges::max_element(times_s);
  if (times_s.size() > 1) {
    const double others_s = std::accumulate(times_s.begin(), times_s.end(), -*longest);
    if (*longest > std::max(least_pause_s, times_others * per(others_s, std::ssize(times_s) - 1))) {
      times_s.erase(longest);
    }
  }
  return times_s;
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

Eta eta_of(const std::vector<TrialRow>& trials, const std::map<std::int64_t, double>& waits_s) {
  std::map<std::int64_t, std::vector<Attempt>> sessions;
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
    if (trial.session_id && trial.started_at) {
      const auto wait = waits_s.find(trial.id);
      sessions[*trial.session_id].push_back(
          {*trial.started_at, *trial.wall_s, wait == waits_s.end() ? 0.0 : wait->second});
    }
  }
  for (const auto& [id, attempts] : sessions) {
    const std::vector<double> times_s = times_beside(attempts);
    const double sum_s = std::max(0.0, std::accumulate(times_s.begin(), times_s.end(), 0.0));
    for (std::size_t i = 0; i < times_s.size(); ++i) {
      eta.add_beside(sum_s / static_cast<double>(times_s.size()));
    }
  }
  return eta;
}

}  // namespace scalestudy
