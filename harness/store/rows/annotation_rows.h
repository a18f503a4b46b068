// Remarks on attempts.
#pragma once

#include <cstdint>
#include <string>

#include "harness/store/rows/trial_words.h"

namespace scalestudy {

// A later annotation of an attempt. Annotations are never changed or removed.
struct AnnotationRow {
  std::int64_t trial_id = 0;
  std::string at;  // UTC
  AnnotationKind kind = AnnotationKind::kNote;
  std::string text;
};

}  // namespace scalestudy
