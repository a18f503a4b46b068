// The values that targets ask for a share of: published figures, and cells of other studies.
#pragma once

#include <cstdint>
#include <string>

#include "harness/analysis/compare/target_reference.h"
#include "harness/store/store.h"
#include "harness/study/declared/analysis_options.h"

namespace scalestudy {

// One entry for each target with a source and each cell that it means. A published figure stands
// for a cell as in published.h, on the same number of devices. A cell of another study is that of
// the same hash, or else the only one whose varied parameters are the same, as in sides.h.
// - results: the study's, with estimates and comparisons.
// If the store has no such publication or study, the entries have no value and say so.
// - throws: Error{kUsage} if several figures of different values, or several cells, fit, with how
//   to choose.
TargetReferences find_references(const Store& store,
                                 std::int64_t study_id,
                                 const StudyObservation& observation,
                                 const Study& study,
                                 const Results& results);

// Whether results of the study rest on other studies of the store, or its targets on publications:
// what is stored of it stays as it was if these change.
bool refers_elsewhere(const AnalysisOptions& analysis);

// What the store lacks for the target's source: "this store has no publication paper; import it:
// scalestudy import FOLDER"; empty if it has it, or the target has no source.
std::string missing_source(const Store& store, std::int64_t study_id, const Target& target);

}  // namespace scalestudy
