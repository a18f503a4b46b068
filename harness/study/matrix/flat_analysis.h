// The section analysis as flat text, for the hash of a study and for what differs between two.
#pragma once

#include <map>
#include <string>

#include "harness/study/declared/study.h"

namespace scalestudy {

// "{devices: 2, model: mlp-258k}".
std::string map_text(const Parameters& parameters);

// How a number is written: in full for a hash, or without binary noise for a reader.
using NumberText = std::string (*)(double number);

// Canonical text by dotted key: {"analysis.margin", "0.02"}. What is not declared is left out, so
// that older studies keep their hashes.
std::map<std::string, std::string> flat_analysis(const AnalysisOptions& analysis,
                                                 NumberText number);

}  // namespace scalestudy
