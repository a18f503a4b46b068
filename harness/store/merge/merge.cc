#include "harness/store/merge/merge.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/base/hash.h"
#include "harness/store/merge/conflict_text.h"
#include "harness/store/merge/content_order.h"
#include "harness/store/merge/merge_trials.h"
#include "harness/store/tables/columns.h"
#include "harness/study/matrix/matrix.h"
#include "harness/study/parameters/secret.h"
#include "harness/study/parse.h"
#include "harness/study/secrets_of_texts.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

Study study_of(const StudyRow& row) {
  return parse_stored_study(row.source_text, row.source_path);
}

// No study has trials of both kinds.
bool is_imported(const StudyContent& study) {
  return std::ranges::any_of(study.trials, [](const TrialContent& trial) {
    return trial.record.trial.provenance == TrialProvenance::kImported;
  });
}

// Plan and block of imported trials that count, by the hash of their cell and that of their log.
// Another trial of the same log would count it twice.
using ImportedLogs =
    std::map<std::pair<std::string, std::string>, std::pair<std::string, std::int64_t>>;

void add_log(const TrialContent& trial, ImportedLogs& logs) {
  const TrialRow& row = trial.record.trial;
  if (row.source_hash && row.state == TrialState::kOk) {
    logs.emplace(std::pair(trial.cell, *row.source_hash), std::pair(row.plan, row.block));
  }
}

bool has_in_other_trial(const TrialContent& trial, const ImportedLogs& logs) {
  const TrialRow& row = trial.record.trial;
  const auto found = logs.find({trial.cell, row.source_hash.value_or("")});
  return found != logs.end() && found->second != std::pair(row.plan, row.block);
}

// Values that an export leaves out, of the studies of both.
std::vector<std::string> secrets_in(const NamedContent& into, const NamedContent& from) {
  StudyTexts texts;
  for (const NamedContent* one : {&into, &from}) {
    for (const StudyContent& study : one->content.studies) {
      std::set<std::string>& of_study = texts[study.study.name];
      of_study.insert(study.study.source_text);
      for (const SessionContent& session : study.sessions) {
        of_study.insert(session.row.study_text.value_or(""));
      }
    }
  }
  return secrets_of_texts(texts);
}

class Merger {
 public:
  Merger(Merged& merged, const NamedContent& into, const NamedContent& from)
      : merged_(merged), into_(into.name), from_(from.name), secrets_(secrets_in(into, from)) {}

  void add_studies(std::vector<StudyContent>& into, const std::vector<StudyContent>& from) {
    for (const StudyContent& study : from) {
      auto known = std::ranges::find(
          into, study.study.name, [](const StudyContent& own) { return own.study.name; });
      if (known == into.end()) {
        known = into.emplace(into.end());
        known->study = study.study;
        merged_.has_changed = true;
      }
      add_study(*known, study);
    }
  }

  void add_publications(std::vector<PublicationRow>& into,
                        const std::vector<PublicationRow>& from) {
    for (const PublicationRow& publication : from) {
      const auto known = std::ranges::find_if(into, [&](const PublicationRow& own) {
        const bool is_dataset = own.kind == PublicationKind::kDataset;
        return own.kind == publication.kind &&
               (own.hash == publication.hash ||
                (is_dataset ? own.source == publication.source : own.path == publication.path));
      });
      if (known == into.end()) {
        into.push_back(publication);
        merged_.has_changed = true;
      } else if (known->hash != publication.hash) {
        conflict(fmt::format(
            "{} {}: its figures differ", to_word(publication.kind), publication.source));
      } else if (is_before(publication, *known)) {
        *known = publication;
        merged_.has_changed = true;
      }
    }
  }

  void require_none() const {
    if (conflicts_.empty()) {
      return;
    }
    throw Error(ErrorKind::kUsage,
                fmt::format("{} and {} cannot be merged, they differ in what has the same name in "
                            "both; nothing was changed:\n  {}",
                            into_,
                            from_,
                            list_some_lines()));
  }

 private:
  void conflict(std::string what) { conflicts_.push_back(std::move(what)); }

  std::string list_some_lines() const {
    constexpr std::size_t most = 5;
    std::vector<std::string> lines(
        conflicts_.begin(),
        conflicts_.begin() + static_cast<std::ptrdiff_t>(std::min(most, conflicts_.size())));
    if (conflicts_.size() > most) {
      lines.push_back(fmt::format("and {} more", conflicts_.size() - most));
    }
    return join(lines, "\n  ");
  }

  void add_study(StudyContent& into, const StudyContent& from) {
    if (!settle_study(into.study, from.study)) {
      return;
    }
    if (!into.trials.empty() && !from.trials.empty() && is_imported(into) != is_imported(from)) {
      conflict(
          fmt::format("study {}: its trials are imported from logs in {} and were run in {}; "
                      "give one of the two another name",
                      into.study.name,
                      is_imported(into) ? into_ : from_,
                      is_imported(into) ? from_ : into_));
      return;
    }
    for (const CellRow& cell : from.cells) {
      add_cell(into.cells, cell);
    }
    for (const SessionContent& session : from.sessions) {
      add_session(into, session);
    }
    const std::set<AttemptName> unrun = unrun_attempts(into.trials);
    std::map<AttemptName, std::size_t> places;
    ImportedLogs logs;
    for (std::size_t i = 0; i < into.trials.size(); ++i) {
      places.emplace(attempt_name(into.trials[i]), i);
      add_log(into.trials[i], logs);
    }
    for (const TrialContent& trial : from.trials) {
      const auto place = places.find(attempt_name(trial));
      if (place == places.end() && has_in_other_trial(trial, logs)) {
        conflict(
            fmt::format("study {}: log {} has a declared block, or had another text before, in "
                        "one of them alone; remove the study from one and import its logs there "
                        "as in the other",
                        into.study.name,
                        trial.record.trial.source.value_or("")));
      } else if (place == places.end() && is_unrun(trial)) {
        into.trials.push_back(trial);
      } else if (place == places.end()) {
        take(into.trials.emplace_back(), trial, into.study.name);
      } else {
        add_trial(into.trials[place->second], trial, into.study.name);
      }
    }
    unite_plans(into.trials);
    merged_.has_changed |= unrun_attempts(into.trials) != unrun;
    std::set<std::int64_t> looks(into.looks.begin(), into.looks.end());
    looks.insert(from.looks.begin(), from.looks.end());
    merged_.has_changed |= looks.size() != into.looks.size();
    into.looks.assign(looks.begin(), looks.end());
    for (const Addition& addition : from.additions) {
      add_addition(into.additions, addition);
    }
    for (const ProjectionContent& projection : from.projections) {
      add_projection(into.projections, projection);
    }
    add_publications(into.publications, from.publications);
  }

  // If one text is the other without its secrets, as an export has it, both become the whole one.
  void put_back_secrets(std::string& own, std::string& other) {
    if (own == masked(other, secrets_)) {
      merged_.has_changed |= own != other;
      own = other;
    } else if (other == masked(own, secrets_)) {
      other = own;
    }
  }

  // Whether both are one study, which `into` then is as both orders have it.
  bool settle_study(StudyRow& into, StudyRow from) {
    put_back_secrets(into.source_text, from.source_text);
    bool is_taken = is_before(from, into);
    if (into.hash != from.hash || into.source_text != from.source_text) {
      const Study own = study_of(into);
      const Study other = study_of(from);
      const std::vector<std::string> lines = study_difference(own, other);
      // Earlier versions read the same text otherwise (has_hash()): both get the hash of today.
      const std::string now = study_hash(own);
      if (into.hash != from.hash && lines.empty() && now == study_hash(other) &&
          has_hash(own, into.hash) && has_hash(other, from.hash)) {
        merged_.has_changed |= into.hash != now;
        into.hash = from.hash = now;
        is_taken = is_before(from, into);
      } else if (differ_in_count_alone(own, other)) {  // the one that plans more holds the other's
        is_taken = other.trials.count > own.trials.count;
      } else if (into.hash != from.hash || !lines.empty()) {
        conflict(fmt::format("study {}: {}", into.name, differences_text(lines)));
        return false;
      }
    }
    if (is_taken) {
      into = std::move(from);
      merged_.has_changed = true;
    }
    return true;
  }

  // The same cell may have been added in other blocks: the plan that goes on has those of one.
  void add_addition(std::vector<Addition>& additions, const Addition& from) {
    const auto known = std::ranges::find_if(additions, [&](const Addition& own) {
      return own.cell == from.cell && own.axis == from.axis && own.value == from.value &&
             (own.value || own.first_block == from.first_block);
    });
    if (known == additions.end()) {
      additions.push_back(from);
      merged_.has_changed = true;
    } else if (is_before(from, *known)) {
      *known = from;
      merged_.has_changed = true;
    }
  }

  // Of two from one session the one that rests on more trials stays: the other was made before all
  // of these had ended, or had come together. From the same trials both follow alike.
  void add_projection(std::vector<ProjectionContent>& projections, const ProjectionContent& from) {
    const auto known = std::ranges::find_if(projections, [&](const ProjectionContent& own) {
      return own.row.group_label == from.row.group_label && own.row.devices == from.row.devices &&
             own.row.session == from.row.session;
    });
    const auto rank = [](const ProjectionContent& one) {
      return std::pair(-std::ssize(one.trials), one.trials);
    };
    if (known == projections.end()) {
      projections.push_back(from);
      merged_.has_changed = true;
    } else if (rank(from) < rank(*known)) {
      *known = from;
      merged_.has_changed = true;
    }
  }

  void add_cell(std::vector<CellRow>& cells, CellRow cell) {
    const auto known = std::ranges::find(cells, cell.hash, &CellRow::hash);
    if (known == cells.end()) {
      cells.push_back(std::move(cell));
      merged_.has_changed = true;
      return;
    }
    put_back_secrets(known->label, cell.label);
    for (std::size_t i = 0; i < std::min(known->parameters.size(), cell.parameters.size()); ++i) {
      put_back_secrets(known->parameters[i].value, cell.parameters[i].value);
    }
    merged_.has_changed |= cell.oversubscribed && !known->oversubscribed;
    known->oversubscribed |= cell.oversubscribed;
    cell.oversubscribed = known->oversubscribed;
    if (is_before(cell, *known)) {
      *known = std::move(cell);
      merged_.has_changed = true;
    }
  }

  void add_session(StudyContent& study, SessionContent session) {
    const auto known = std::ranges::find(
        study.sessions, session.row.uid, [](const SessionContent& own) { return own.row.uid; });
    if (known == study.sessions.end()) {
      study.sessions.push_back(std::move(session));
      merged_.has_changed = true;
      return;
    }
    if (known->row.ending == SessionEnding::kNone && session.row.ending != SessionEnding::kNone) {
      known->row.ending = session.row.ending;
      known->row.finished_at = session.row.finished_at;
      merged_.has_changed = true;
    } else if (session.row.ending == SessionEnding::kNone) {
      session.row.ending = known->row.ending;
      session.row.finished_at = known->row.finished_at;
    }
    if (known->row.study_text && session.row.study_text) {
      put_back_secrets(*known->row.study_text, *session.row.study_text);
    }
    if (!same_session(*known, session)) {
      conflict(fmt::format("study {}: session of {} that began at {}",
                           study.study.name,
                           session.row.host,
                           session.row.started_at));
    }
  }

  void add_trial(TrialContent& into, const TrialContent& from, const std::string& study) {
    const TrialRow& row = from.record.trial;
    TrialRow& own = into.record.trial;
    const int step = progress_of(row.state) - progress_of(own.state);
    if (has_run(into) && has_run(from)) {
      ++merged_.known;
      if (!same_trial(into, from)) {
        conflict(fmt::format("study {}: cell {}, block {}, attempt {}: {} since {} and {} since {}",
                             study,
                             into.cell,
                             own.block + 1,  // as run --blocks counts
                             own.attempt,
                             to_word(own.state),
                             own.started_at.value_or("?"),
                             to_word(row.state),
                             row.started_at.value_or("?")));
      } else {
        merged_.has_changed |= add_ranks(into, from);
        merged_.has_changed |= add_said_later(into, from);
        if (row.source < own.source) {
          own.source = row.source;
          merged_.has_changed = true;
        }
      }
      return;
    }
    const std::int64_t deaths = std::max(own.deaths, row.deaths);
    const bool is_taken = step > 0 || (step == 0 && is_before(row, own));
    const TrialContent other = is_taken ? into : from;
    if (is_taken) {
      merged_.restored += has_run(from) && own.skip_reason == SkipReason::kPruned ? 1 : 0;
      take(into, from, study);
    }
    if (has_run(into)) {  // what was said of it where `prune` removed it
      merged_.has_changed |= add_annotations(into, other);
    }
    if (!has_run(into) && into.record.trial.deaths != deaths) {
      into.record.trial.deaths = deaths;
      merged_.has_changed = true;
    }
  }

  // Its files go to a folder of its plan: the same block of another plan may have the usual one.
  void take(TrialContent& into, const TrialContent& from, const std::string& study) {
    namespace fs = std::filesystem;
    merged_.has_changed = true;
    merged_.taken += has_run(from) ? 1 : 0;
    into = from;
    const TrialRow& row = into.record.trial;
    const fs::path folder = fs::path("logs") / study / text_hash(row.plan).substr(0, 8) /
                            fmt::format("{}-b{}-a{}", into.cell, row.block, row.attempt);
    for (LogRow& log : into.record.logs) {
      if (!log.path.empty()) {
        const std::string to = (folder / fs::path(log.path).filename()).string();
        merged_.files.push_back({.from = std::exchange(log.path, to), .to = to});
      }
    }
  }

  Merged& merged_;
  const std::string& into_;
  const std::string& from_;
  std::vector<std::string> secrets_;
  std::vector<std::string> conflicts_;
};

}  // namespace

Merged merge(NamedContent into, const NamedContent& from) {
  Merged merged;
  Merger merger(merged, into, from);
  merger.add_studies(into.content.studies, from.content.studies);
  merger.add_publications(into.content.publications, from.content.publications);
  merger.require_none();
  merged.content = std::move(into.content);
  if (merged.has_changed) {
    put_in_order(merged.content);
  }
  return merged;
}

}  // namespace scalestudy
