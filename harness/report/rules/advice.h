// What to do about each kind of threat, from the page docs/how-to/warnings.md.
#pragma once

#include <map>
#include <string>

#include "harness/store/rows/result_rows.h"

namespace scalestudy::report {

// The heading of a kind on that page: "Foreign load".
std::string threat_heading(ThreatKind kind);

// The heading of a threat in a report: "Warning: foreign load". Its kind alone could be that of a
// section, as outliers are.
std::string heading_of(const ThreatRow& threat);

// The anchor that a page gives that heading: "warning-foreign-load".
std::string anchor_of(const ThreatRow& threat);

// The sections of the page by heading: Markdown, a sentence a line.
std::map<std::string, std::string> read_advice(const std::string& page);

// What the threat does to the answer and what to do, as Markdown: the section of its kind without
// the first sentence, which the finding says with its numbers; "" if an older page lacks it.
// Throws Error{kMachine} if the page is not installed.
std::string advice_on(ThreatKind kind);

}  // namespace scalestudy::report
