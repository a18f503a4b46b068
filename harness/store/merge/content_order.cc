#include "harness/store/merge/content_order.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "harness/base/error.h"
#include "harness/study/matrix/matrix.h"
#include "harness/study/parse.h"

namespace scalestudy {
namespace {

// Those of the study as it is now in its order, then the others by hash.
void order_cells(StudyContent& study) {
  std::map<std::string, std::size_t> places;
  try {
    Study declared = parse_stored_study(study.study.source_text, study.study.source_path);
    declared.additions = study.additions;
    const Matrix matrix = expand(declared);
    for (const Cell& cell : matrix.cells) {
      places.emplace(cell.hash, places.size());
    }
    for (const ExcludedCell& excluded : matrix.excluded) {
      places.emplace(excluded.cell.hash, places.size());
    }
  } catch (const Error&) {
    // a text that only another version reads: all by hash
  }
  std::ranges::sort(study.cells, {}, [&places](const CellRow& cell) {
    const auto place = places.find(cell.hash);
    return std::pair(place == places.end() ? places.size() : place->second, cell.hash);
  });
}

void order_trials(StudyContent& study) {
  std::map<std::string, std::string> began;  // sessions
  for (const SessionContent& session : study.sessions) {
    began.emplace(session.row.uid, session.row.started_at);
  }
  std::map<std::string, std::string> first;  // of a plan's sessions
  for (const TrialContent& trial : study.trials) {
    const auto session = began.find(trial.session);
    const std::string start = session == began.end() ? "never" : session->second;
    const auto plan = first.emplace(trial.record.trial.plan, start).first;
    plan->second = std::min(plan->second, start);
  }
  std::ranges::sort(study.trials, {}, [&first](const TrialContent& trial) {
    const TrialRow& row = trial.record.trial;
    return std::tuple(
        first.at(row.plan), row.plan, row.attempt, row.position, trial.cell, row.block);
  });
}

void order_publications(std::vector<PublicationRow>& publications) {
  std::ranges::sort(publications, {}, [](const PublicationRow& publication) {
    return std::tuple(publication.kind, publication.source, publication.hash);
  });
}

}  // namespace

void put_in_order(StoreContent& content) {
  std::ranges::sort(
      content.studies, {}, [](const StudyContent& study) { return study.study.name; });
  std::vector<SessionContent*> sessions;
  std::int64_t trial_id = 0;
  for (StudyContent& study : content.studies) {
    std::ranges::sort(study.additions, {}, [](const Addition& addition) {
      return std::tuple(addition.first_block, addition.cell, addition.axis, addition.value);
    });
    std::ranges::sort(study.projections, {}, [](const ProjectionContent& projection) {
      const ProjectionRow& row = projection.row;
      return std::tuple(row.made_at, row.session, row.group_label, row.devices);
    });
    order_cells(study);
    order_trials(study);
    order_publications(study.publications);
    for (TrialContent& trial : study.trials) {
      trial.record.trial.id = ++trial_id;
    }
    std::ranges::sort(study.sessions, {}, [](const SessionContent& session) {
      return std::pair(session.row.started_at, session.row.uid);
    });
    for (SessionContent& session : study.sessions) {
      sessions.push_back(&session);
    }
  }
  std::ranges::sort(sessions, {}, [](const SessionContent* session) {
    return std::pair(session->row.started_at, session->row.uid);
  });
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    sessions[i]->row.id = static_cast<std::int64_t>(i) + 1;
  }
  order_publications(content.publications);
}

}  // namespace scalestudy
