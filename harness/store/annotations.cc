// What people said of trials after they had ended.
#include <SQLiteCpp/SQLiteCpp.h>

#include "harness/base/error.h"
#include "harness/store/database/schema.h"
#include "harness/store/excluded_trials.h"
#include "harness/store/store.h"
#include "harness/store/tables/columns.h"
#include "harness/store/tables/sql.h"
#include "harness/store/tables/table_sql.h"

namespace scalestudy {

using sql::Statement;

void Store::annotate(const AnnotationRow& annotation) {
  if (annotation.text.find_first_not_of(" \t\r\n") == std::string::npos) {
    throw Error(ErrorKind::kUsage, "a remark on a trial needs words: reports print them");
  }
  sql::require_in_place(*database_);
  sql::Transaction transaction(*database_);
  Statement find(
      *database_,
      "SELECT state, study_id, " + std::string(kSuperseded) + " FROM trial WHERE id = ?");
  if (!find.bind(annotation.trial_id).step()) {
    throw Error(ErrorKind::kUsage,
                "no trial has the number " + std::to_string(annotation.trial_id) +
                    "; `scalestudy query trials` lists them");
  }
  TrialState state{};
  std::int64_t study_id = 0;
  bool is_superseded = false;
  find.read_from(0, state, study_id, is_superseded);
  if (annotation.kind != AnnotationKind::kNote && is_superseded) {
    throw Error(ErrorKind::kUsage,
                "trial " + std::to_string(annotation.trial_id) +
                    " is in no result, because a later attempt took its place; `scalestudy query "
                    "trials` lists that");
  }
  if (annotation.kind == AnnotationKind::kExclude) {
    Statement exclude(
        *database_, "UPDATE trial SET state = 'invalid', reason = ? WHERE id = ? AND state = 'ok'");
    if (exclude.bind(exclusion_reason(annotation.text), annotation.trial_id).run() != 1) {
      throw Error(ErrorKind::kUsage,
                  "trial " + std::to_string(annotation.trial_id) + " is " + to_word(state) +
                      " and in no result; only trials that are ok can be excluded");
    }
  } else if (annotation.kind == AnnotationKind::kInclude) {
    Statement include(
        *database_,
        "UPDATE trial SET state = 'ok', reason = '' WHERE id = ? AND state = 'invalid' AND "
        "(SELECT kind FROM annotation WHERE trial_id = trial.id AND kind <> 'note' "
        "ORDER BY annotation.id DESC LIMIT 1) = 'exclude'");
    if (include.bind(annotation.trial_id).run() != 1) {
      throw Error(ErrorKind::kUsage,
                  "trial " + std::to_string(annotation.trial_id) + " is " + to_word(state) +
                      " and was not excluded by hand");
    }
  }
  Statement insert(*database_, sql::insert_text<AnnotationRow>());
  sql::run_with(insert.bind(), annotation);
  if (annotation.kind != AnnotationKind::kNote) {
    replace_results(study_id, {});
  }
  transaction.commit();
}

std::vector<AnnotationRow> Store::annotations(std::int64_t study_id) const {
  return sql::read_rows<AnnotationRow>(
      *database_,
      "WHERE trial_id IN (SELECT trial.id FROM trial WHERE study_id = ?) ORDER BY trial_id, id",
      study_id);
}

std::map<std::int64_t, std::string> excluded_trials(const std::vector<AnnotationRow>& annotations) {
  std::map<std::int64_t, std::string> excluded;
  for (const AnnotationRow& row : annotations) {
    if (row.kind == AnnotationKind::kExclude) {
      excluded[row.trial_id] = row.text;
    } else if (row.kind == AnnotationKind::kInclude) {
      excluded.erase(row.trial_id);
    }
  }
  return excluded;
}

std::set<std::int64_t> excluded_by_hand(const Store& store, std::int64_t study_id) {
  std::set<std::int64_t> ids;
  for (const auto& [id, reason] : excluded_trials(store.annotations(study_id))) {
    ids.insert(id);
  }
  return ids;
}

}  // namespace scalestudy
