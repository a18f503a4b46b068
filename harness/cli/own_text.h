// Whether a stored study and its text belong together: a store or an export may be a stranger's.
#pragma once

#include "harness/store/merge/merge.h"
#include "harness/store/rows/trial_rows.h"
#include "harness/study/declared/study.h"

namespace scalestudy {

// The study as its stored text declares it. Throws Error{kStore} where the text declares a study of
// another name than the row.
Study parse_own_text(const StudyRow& row);

// Whether the study's text, read as `study`, is that of its hash.
bool has_own_hash(const StudyRow& row, const Study& study);

// Throws Error{kStore} where the text of a study is not that of its name and hash: a stranger's
// store or export may say anything.
void require_own_texts(const NamedContent& from);

}  // namespace scalestudy
