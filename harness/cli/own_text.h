// Whether a stored study and its text belong together: a store or an export may be a stranger's.
#pragma once

#include "harness/store/merge/merge.h"
#include "harness/store/rows/trial_rows.h"
#include "harness/study/declared/study.h"

namespace scalestudy {

// The study as its stored text declares it. Throws Error{kStore} where the text declares a study of
// another name than the row.
Study parse_own_text(const StudyRow& row);

// Whether the row's text, which was read as `study`, has the row's hash (has_hash()). A text in
// which an export masked a secret cannot have it: then any well-formed hash will do.
bool has_own_hash(const StudyRow& row, const Study& study);

// Throws Error{kStore} if the text of any of these studies has another name or hash than its row,
// or the text that a session ran has another hash than the session's row, or if one cannot be read:
// no report could be made then. Says in which store and session.
void require_own_texts(const NamedContent& from);

}  // namespace scalestudy
