#include "harness/run/session/repeated_failures.h"

#include <algorithm>

#include <fmt/format.h>

#include "harness/store/rows/put_aside.h"
#include "workloads/protocol/exit_codes.h"

namespace scalestudy {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

std::string without_numbers(const std::string& text) {
  std::string rest;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_point = text[i] == '.' && i > 0 && is_digit(text[i - 1]) && i + 1 < text.size() &&
                          is_digit(text[i + 1]);
    rest += is_digit(text[i]) || is_point ? "" : text.substr(i, 1);
  }
  return rest;
}

void RepeatedFailures::add_cells(const std::vector<TrialRow>& planned) {
  for (const TrialRow& trial : planned) {
    cells_.insert(trial.cell_id);
  }
}

void RepeatedFailures::add(const TrialRow& ended) {
  if (ended.state == TrialState::kUnsupported || is_put_aside(ended)) {
    return;
  }
  const std::string failure = fmt::format("{} {} {} {}",
                                          to_word(ended.state),
                                          ended.exit_code.value_or(-1),
                                          ended.signal.value_or(-1),
                                          without_numbers(ended.reason));
  Alike& cell = by_cell_[ended.cell_id];
  cell.is_over = cell.is_over || ended.state == TrialState::kOk;
  cell.count = cell.failure == failure ? cell.count + 1 : 1;
  cell.failure = failure;
  const bool speaks_for_all =
      ended.state == TrialState::kFailed || ended.state == TrialState::kInvalid;
  all_.is_over = all_.is_over || !speaks_for_all || (all_.count > 0 && all_.failure != failure);
  all_.failure = failure;
  ++all_.count;
  failed_cells_.insert(ended.cell_id);
}

bool RepeatedFailures::is_given_up(std::int64_t cell_id) const {
  const auto cell = by_cell_.find(cell_id);
  return cell != by_cell_.end() && !cell->second.is_over && cell->second.count >= kMostAlike;
}

bool RepeatedFailures::is_hopeless() const {
  return !all_.is_over && all_.count >= kMostAlike &&
         failed_cells_.size() >= std::min(kCellsAlike, cells_.size());
}

bool RepeatedFailures::is_retry_useless(std::int64_t cell_id) const {
  return is_given_up(cell_id) || (!all_.is_over && all_.count >= kMostAlike);
}

bool is_wrong_command(const TrialRow& trial) {
  constexpr int cannot_execute = 126;
  constexpr int not_found = 127;
  const int code = trial.exit_code.value_or(protocol::kExitOk);
  return code == protocol::kExitUsage || code == cannot_execute || code == not_found;
}

}  // namespace scalestudy
