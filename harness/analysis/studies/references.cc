#include "harness/analysis/studies/references.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "harness/analysis/cells/rates.h"
#include "harness/analysis/cells/sessions.h"
#include "harness/analysis/compare/targets.h"
#include "harness/analysis/studies/published.h"
#include "harness/analysis/studies/sides.h"
#include "harness/base/error.h"
#include "harness/store/cell_name.h"
#include "harness/text/number.h"
#include "harness/text/text.h"
#include "stats/summary.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

// What the errors of a target begin with.
std::string name_of(const Target& target) {
  return "target \"" + target.name + "\": ";
}

// A published figure that is about a cell of the study, or why it is not.
struct Candidate {
  std::string publication;
  const PublishedFigureRow* figure = nullptr;
  CounterpartRow found;
};

// "table_2/throughput/3", or the name of a figure of the text: what chooses it.
std::string path_of(const PublishedFigureRow& figure) {
  std::string path =
      figure.table_name.empty() ? figure.column_name : figure.table_name + "/" + figure.column_name;
  return figure.row ? fmt::format("{}/{}", path, *figure.row) : path;
}

// What the target's name chooses: of "publication/table_2/throughput" the last two words; of
// "publication", with or without a slash, none.
std::vector<std::string> names_in(const std::string& wanted, const std::string& publication) {
  std::vector<std::string> names =
      split(wanted.substr(std::min(publication.size() + 1, wanted.size())), "/");
  if (names.back().empty()) {
    names.pop_back();
  }
  return names;
}

bool is_chosen(const PublishedFigureRow& figure, const std::vector<std::string>& names) {
  return std::ranges::all_of(names, [&](const std::string& name) {
    return name == figure.table_name || name == figure.column_name || name == figure.experiment ||
           (figure.row && name == std::to_string(*figure.row));
  });
}

// The publications of that name: the study's own, else those of no study, else of any other.
std::vector<PublicationRow> publications_of(const Store& store,
                                            std::int64_t study_id,
                                            const std::string& name) {
  std::vector<std::optional<std::int64_t>> owners{study_id, std::nullopt};
  for (const StudyRow& study : store.studies()) {
    owners.emplace_back(study.id);
  }
  for (const std::optional<std::int64_t>& owner : owners) {
    std::vector<PublicationRow> found = store.publications(owner);
    std::erase_if(found, [&](const PublicationRow& publication) {
      return publication.source != name && !name.starts_with(publication.source + "/");
    });
    if (!found.empty()) {
      return found;
    }
  }
  return {};
}

// What all cells of the study have in common while the references of one target are found.
struct World {
  const Store& store;
  std::int64_t study_id = 0;
  const StudyObservation& observation;
  const Study& study;
  const Results& results;
};

std::vector<Candidate> candidates_of(const std::vector<PublicationRow>& publications,
                                     const Target& target,
                                     const World& world) {
  std::vector<Candidate> candidates;
  const std::vector<CounterpartRow> found =
      find_counterparts(publications, world.observation, world.study, world.results);
  const MeasuredStudy measured = index_study(world.observation, world.study, world.results);
  std::size_t i = 0;
  for (const PublicationRow& publication : publications) {
    const std::vector<std::string> names = names_in(target.source->name, publication.source);
    for (const PublishedFigureRow& figure : publication.figures) {
      const CounterpartRow& counterpart = found.at(i++);
      if (is_chosen(figure, names) && is_measured_as(measured, figure, target.metric)) {
        candidates.push_back({publication.source, &figure, counterpart});
      }
    }
  }
  return candidates;
}

bool is_constant(const Candidate& candidate) {
  const std::optional<double>& value = candidate.figure->value;
  return value && *value > 0.0 && !candidate.found.per_device;
}

TargetReference published_value(const std::vector<Candidate>& candidates,
                                const Target& target,
                                const CellRow& cell) {
  TargetReference reference;
  std::vector<const Candidate*> fitting;
  std::set<std::string> reasons;
  for (const Candidate& candidate : candidates) {
    if (candidate.found.cell_id == cell.id && is_constant(candidate)) {
      fitting.push_back(&candidate);
    } else if (!candidate.found.reason.empty()) {
      reasons.insert(candidate.found.reason);
    }
  }
  if (fitting.empty()) {
    reference.missing =
        candidates.empty()
            ? fmt::format("{} publishes no {}", target.source->name, target.metric)
            : fmt::format(
                  "no figure of {} is about this cell{}",
                  target.source->name,
                  reasons.empty()
                      ? ""
                      : ": " +
                            join(std::vector<std::string>(reasons.begin(), reasons.end()), "; "));
    return reference;
  }
  const Candidate& first = *fitting.front();
  const auto other = std::ranges::find_if(fitting, [&](const Candidate* candidate) {
    return candidate->figure->value != first.figure->value;
  });
  if (other != fitting.end()) {
    const auto tell = [](const Candidate& candidate) {
      return fmt::format("{} (\"{}\")", path_of(*candidate.figure), candidate.figure->printed);
    };
    throw Error(ErrorKind::kUsage,
                fmt::format("{}two figures of {} are about {}: {} and {}; choose one: "
                            "published:{}/{}",
                            name_of(target),
                            first.publication,
                            describe_cell(cell),
                            tell(first),
                            tell(**other),
                            first.publication,
                            path_of(*first.figure)));
  }
  reference.value = first.figure->value;
  reference.told = fmt::format("published in {}, {}", first.publication, path_of(*first.figure));
  return reference;
}

std::string varied_text(const CellRow& cell) {
  std::string text;
  for (const CellRow::Parameter& parameter : cell.parameters) {
    text += parameter.varied ? parameter.name + "=" + parameter.value + "\n" : "";
  }
  return text;
}

// The cell of the other study to compare with; nullptr if it has none.
const CellObservation* partner_of(const CellRow& cell,
                                  const StudyObservation& other,
                                  const Target& target) {
  if (const CellObservation* same = other.find_cell(cell.hash)) {
    return same;
  }
  std::vector<const CellObservation*> alike;
  for (const CellObservation& candidate : other.cells) {
    if (candidate.row.role == CellRole::kMeasured &&
        varied_text(candidate.row) == varied_text(cell)) {
      alike.push_back(&candidate);
    }
  }
  if (alike.size() > 1) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}two cells of study {} vary like {}: {} and {}; give both studies "
                            "the same parameters",
                            name_of(target),
                            target.source->name,
                            describe_cell(cell),
                            alike[0]->row.hash,
                            alike[1]->row.hash));
  }
  return alike.empty() ? nullptr : alike.front();
}

// "batch_global: 64 here, 128 there": a parameter that both cells have, with different values;
// empty if there is none.
std::string different_parameter(const CellRow& here, const CellRow& there) {
  for (const CellRow::Parameter& own : here.parameters) {
    const auto other = std::ranges::find(there.parameters, own.name, &CellRow::Parameter::name);
    if (other != there.parameters.end() && other->value != own.value) {
      return fmt::format("{}: {} here, {} there", own.name, own.value, other->value);
    }
  }
  return "";
}

// What a metric's values of a cell are made of: one mean a session, of the metric itself or of the
// time under a rate.
struct SessionMeans {
  std::vector<double> means;
  std::optional<double> amount;  // of a rate, over these times
};

SessionMeans means_of(const CellObservation& cell, const Target& target, const Study& study) {
  SessionMeans result;
  const MetricRequest* request = find_request(study.analysis, target.metric);
  const std::optional<Rate> rate = asked_rate(cell, target.metric, study);
  if (rate) {
    result.amount = rate->amount;
  }
  const SessionValues values =
      rate ? session_values(cell, std::string(rate->time))
           : session_values(cell,
                            target.metric,
                            request == nullptr ? &TrialMetric::mean : statistic_of(*request),
                            seeds_of(study, cell.row, target.metric));
  for (const auto& [session, of_session] : values) {
    result.means.push_back(*stats::mean(of_session));
  }
  return result;
}

TargetReference other_value(const CellObservation& cell,
                            const Side& other,
                            const Target& target,
                            const World& world) {
  TargetReference reference;
  const std::string& name = target.source->name;
  const CellObservation* partner = partner_of(cell.row, other.observation, target);
  if (partner == nullptr) {
    reference.missing = "study " + name + " has no such cell";
    return reference;
  }
  if (is_emulated(other.observation, other.study) != is_emulated(world.observation, world.study)) {
    reference.missing = "one of the two studies is emulated";
    return reference;
  }
  if (definition_of(cell) != definition_of(*partner)) {
    reference.missing = "the step times of the two studies are defined differently";
    return reference;
  }
  if (const std::string different = different_parameter(cell.row, partner->row);
      !different.empty()) {
    reference.missing =
        fmt::format("study {} has no cell with the same parameters ({})", name, different);
    return reference;
  }
  const SessionMeans own = means_of(cell, target, world.study);
  const SessionMeans theirs = means_of(*partner, target, other.study);
  if (own.means.size() < kSessionsAsUnit || theirs.means.size() < kSessionsAsUnit) {
    reference.missing = fmt::format(
        "between two studies the session is the unit: {} of each are needed, here are {}, there {}",
        kSessionsAsUnit,
        own.means.size(),
        theirs.means.size());
    return reference;
  }
  if (own.amount.has_value() != theirs.amount.has_value()) {
    reference.missing =
        fmt::format("only one of the two studies computes {} from its step times", target.metric);
    return reference;
  }
  const double level = world.study.analysis.confidence;
  const double mean = *stats::mean(theirs.means);
  if (!own.amount) {
    reference.ratio = stats::log_ratio_delta(own.means, theirs.means, level);
    reference.value = mean;
  } else {
    reference.ratio = stats::log_ratio_delta(theirs.means, own.means, level);
    for (std::optional<double>* value :
         {&reference.ratio->ratio, &reference.ratio->lo, &reference.ratio->hi}) {
      *value = *value ? std::optional(**value * *own.amount / *theirs.amount) : std::nullopt;
    }
    reference.value = *theirs.amount / mean;
  }
  reference.told = fmt::format("measured by study {} in {} sessions", name, theirs.means.size());
  return reference;
}

}  // namespace

TargetReferences find_references(const Store& store,
                                 std::int64_t study_id,
                                 const StudyObservation& observation,
                                 const Study& study,
                                 const Results& results) {
  TargetReferences references;
  const World world{store, study_id, observation, study, results};
  for (const Target& target : study.analysis.targets) {
    if (!target.source) {
      continue;
    }
    const std::string missing = missing_source(store, study_id, target);
    const std::string& name = target.source->name;
    std::vector<PublicationRow> publications;
    std::vector<Candidate> candidates;
    std::optional<Side> other;
    if (!missing.empty()) {
      // The target is undecided and says why: what was measured is not lost.
    } else if (target.source->kind == ReferenceKind::kPublished) {
      publications = publications_of(store, study_id, name);
      candidates = candidates_of(publications, target, world);
    } else {
      const StudyRow row = *store.find_study(name);
      other = observe_side(store, row, store.sessions(row.id));
    }
    for (const CellObservation& cell : observation.cells) {
      if (is_target_cell(cell.row, target, study)) {
        references[{target.name, cell.row.id}] =
            !missing.empty() ? TargetReference{{}, {}, missing, {}}
            : other          ? other_value(cell, *other, target, world)
                             : published_value(candidates, target, cell.row);
      }
    }
  }
  return references;
}

bool refers_elsewhere(const AnalysisOptions& analysis) {
  return (analysis.communication && !analysis.communication->study.empty()) ||
         std::ranges::any_of(analysis.targets,
                             [](const Target& target) { return target.source.has_value(); });
}

std::string missing_source(const Store& store, std::int64_t study_id, const Target& target) {
  if (!target.source) {
    return "";
  }
  const std::string& name = target.source->name;
  if (target.source->kind == ReferenceKind::kPublished) {
    return publications_of(store, study_id, name).empty()
               ? fmt::format(
                     "this store has no publication {}; import it: scalestudy import FOLDER", name)
               : "";
  }
  const std::optional<StudyRow> row = store.find_study(name);
  return !row || store.sessions(row->id).empty()
             ? fmt::format(
                   "this store has no sessions of a study {}; run it first, or merge the "
                   "store that has it",
                   name)
             : "";
}

}  // namespace scalestudy
