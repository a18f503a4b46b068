#include "harness/store/rows.h"

#include <array>
#include <utility>

#include <nlohmann/json.hpp>

#include "harness/base/error.h"

namespace scalestudy {
namespace {

constexpr std::array<std::pair<TrialState, const char*>, 10> kStateNames{{
    {TrialState::kPlanned, "planned"},
    {TrialState::kRunning, "running"},
    {TrialState::kOk, "ok"},
    {TrialState::kFailed, "failed"},
    {TrialState::kTimeout, "timeout"},
    {TrialState::kOom, "oom"},
    {TrialState::kInvalid, "invalid"},
    {TrialState::kUnsupported, "unsupported"},
    {TrialState::kSkipped, "skipped"},
    {TrialState::kExcluded, "excluded"},
}};

}  // namespace

std::string format_provenance(Provenance provenance) {
  switch (provenance) {
    case Provenance::kMeasured:
      return "measured";
    case Provenance::kPublished:
      return "published";
    case Provenance::kProjected:
      return "projected";
    case Provenance::kScenario:
      break;
  }
  return "scenario";
}

std::map<std::string, std::string> parse_conditions(const std::string& json) {
  return nlohmann::json::parse(json).get<std::map<std::string, std::string>>();
}

std::string format_trial_state(TrialState state) {
  return kStateNames.at(static_cast<std::size_t>(state)).second;
}

TrialState parse_trial_state(const std::string& text) {
  for (const auto& [state, name] : kStateNames) {
    if (text == name) {
      return state;
    }
  }
  throw Error(ErrorKind::kStore, "'" + text + "' is no trial state");
}

}  // namespace scalestudy
