// Rules that read JSON: json_path and mllog_key.
#pragma once

#include <memory>

#include "harness/run/values/line_extractor.h"

namespace scalestudy {

// For a rule with a json_path: all JSON objects of a line, which text may surround. A line that
// begins as an object and does not parse, or that names the value's key outside of one, is a
// BadNumber: a value of the trial is lost in it. With json: document its find() takes a whole
// document (for_each_document) instead of a line.
std::unique_ptr<LineExtractor> make_json_extractor(const ExtractRule& rule);

// For a rule with an mllog_key: the object after ":::MLLOG". One that does not parse is a
// BadNumber.
std::unique_ptr<LineExtractor> make_mllog_extractor(const ExtractRule& rule);

}  // namespace scalestudy
