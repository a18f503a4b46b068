#include "harness/analysis/analyse.h"

#include <optional>

#include "harness/analysis/cells/sessions.h"
#include "harness/analysis/compare/choices.h"
#include "harness/analysis/compare/communication_time.h"
#include "harness/analysis/compare/comparisons.h"
#include "harness/analysis/compare/look_plan.h"
#include "harness/analysis/compare/targets.h"
#include "harness/analysis/effects/main_effects.h"
#include "harness/analysis/estimates/costs.h"
#include "harness/analysis/estimates/estimates.h"
#include "harness/analysis/estimates/link_rates.h"
#include "harness/analysis/estimates/printed_rates.h"
#include "harness/analysis/estimates/save_intervals.h"
#include "harness/analysis/estimates/spread.h"
#include "harness/analysis/estimates/times_to.h"
#include "harness/analysis/laws/law_choices.h"
#include "harness/analysis/laws/laws.h"
#include "harness/analysis/laws/projections.h"
#include "harness/analysis/laws/volumes.h"
#include "harness/analysis/observe/flags.h"
#include "harness/analysis/observe/looking.h"
#include "harness/analysis/observe/observe.h"
#include "harness/analysis/search/largest_fit.h"
#include "harness/analysis/search/search_result.h"
#include "harness/analysis/studies/gate_noise.h"
#include "harness/analysis/studies/published.h"
#include "harness/analysis/studies/references.h"
#include "harness/analysis/studies/settle.h"
#include "harness/analysis/threats/threats.h"
#include "harness/analysis/thresholds/thresholds.h"
#include "harness/store/trial_plan.h"

namespace scalestudy {
namespace {

template <typename Row>
void append(std::vector<Row>& all, const std::vector<Row>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

// Laws, volumes and projections: what follows from the time and bytes of communication.
void add_communication(const Store& store,
                       std::int64_t study_id,
                       const StudyObservation& observation,
                       const Study& study,
                       Results& results) {
  const Communication communication = find_communication(store, observation, study);
  results.laws = fit_laws(observation, study, communication);
  const LawChoices laws = choose_laws(observation, study, communication, results.laws);
  append(results.laws, laws.errors);
  results.law_choices = laws.choices;
  results.volumes = compare_volumes(observation, study, communication);
  append(results.volumes,
         link_volumes(observation, study, results.estimates, common_gpu_facts(store, study_id)));
  results.projections = project_cells(
      observation, study, communication, store.sessions(study_id), store.projections(study_id));
}

// In the order in which a report lists them.
// - all: of a search with its race
// - results: their comparisons are of declared pairs alone
// - choices: comparisons with the best cells
std::vector<ThreatRow> threats_to(const StudyObservation& all,
                                  const StudyObservation& observation,
                                  const Study& study,
                                  const Results& results,
                                  const std::vector<ComparisonRow>& choices) {
  std::vector<ThreatRow> threats;
  for (const std::vector<ThreatRow>& more :
       {condition_threats(observation, study),
        exclusion_threats(all),
        load_threats(observation, study, results, choices),
        command_threats(observation, study),
        printed_rate_threats(observation, results.estimates),
        step_threats(observation, study),
        machine_threats(observation, study),
        looking_threats(observation, study, results.comparisons),
        look_threats(observation, study, results.comparisons),
        training_threats(observation, study),
        steadiness_threats(observation, study, results.estimates, results.comparisons),
        setting_threats(observation),
        node_threats(observation),
        link_threats(observation, study),
        opposite_sessions(observation, study, results.comparisons),
        session_threats(observation, study, results.comparisons),
        consistency_threats(observation, results.comparisons),
        part_threats(observation, results.estimates),
        settling_threats(observation, study, results.comparisons),
        gate_threats(observation, study)}) {
    append(threats, more);
  }
  return threats;
}

// Labels results of trials whose ranks slept or had emulated links, or that were imported.
// Projections are labelled where they are made, since scenarios among them do not rest on trials.
void label_as(Provenance provenance, Results& results) {
  const auto label = [provenance](auto& rows) {
    for (auto& row : rows) {
      row.provenance = provenance;
    }
  };
  label(results.estimates);
  label(results.comparisons);
  label(results.thresholds);
  label(results.laws);
  label(results.targets);
}

}  // namespace

Results analyse(const Store& store, std::int64_t study_id, const Study& declared) {
  const std::vector<TrialRow> trials = store.trials(study_id);
  const Study study = as_imported(declared, imported_of(trials));
  const StudyObservation all = observe(store, study_id, study);
  const std::optional<StudyObservation> fresh =
      study.search ? std::optional(fresh_only(all, trials)) : std::nullopt;
  const StudyObservation& observation = fresh ? *fresh : all;
  Results results;
  results.analysis_version = kAnalysisVersion;
  results.flags = flag_rows(observation, study.analysis.outliers);
  results.flagged_steps = flagged_steps(observation);
  results.estimates = estimate_cells(observation, study);
  check_printed_rates(store, observation, study, results.estimates);
  append(results.estimates, spread_of_cells(observation, study));
  results.comparisons = compare_cells(observation, study);
  results.thresholds = find_thresholds(observation, study, results);
  add_communication(store, study_id, observation, study, results);
  results.targets = judge_targets(
      observation, study, results, find_references(store, study_id, observation, study, results));
  const std::vector<ComparisonRow> choices = study.search  // whose race says itself what is best
                                                 ? std::vector<ComparisonRow>()
                                                 : compare_with_best(observation, study, results);
  results.threats = threats_to(all, observation, study, results, choices);
  append(results.comparisons, choices);
  if (!study.search) {
    append(results.comparisons, main_effects(observation, study));
  }
  const TimesTo times = times_to(observation, study);
  append(results.estimates, times.estimates);
  append(results.comparisons, times.comparisons);
  add_search(all, trials, study, results);
  for (const std::vector<EstimateRow>& more :
       {communication_times(results.comparisons, observation, study),
        overhead_reductions(observation, study),
        investment_estimates(results.comparisons, observation, study),
        cost_efficiencies(results.comparisons, observation, study),
        save_intervals(observation, study),
        fit_shares(observation, study),
        study_use(store, study_id)}) {
    append(results.estimates, more);
  }
  results.counterparts =
      find_counterparts(store.publications(study_id), observation, study, results);
  if (is_emulated(observation, study)) {
    label_as(Provenance::kEmulated, results);
  } else if (observation.imported) {
    label_as(Provenance::kImported, results);
  }
  return results;
}

}  // namespace scalestudy
