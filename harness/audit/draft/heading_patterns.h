// Which quantity a column's heading says it holds, and in which unit.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace re2 {
class RE2;
}

namespace scalestudy::audit {

struct QuantityInfo;

// Patterns of headings, each with a quantity, in order: the first counts that matches and whose
// quantity the cells can be read as. Of figures none counts from the first that matches and has "".
const std::vector<std::pair<std::unique_ptr<re2::RE2>, std::string>>& heading_patterns();

// The quantity of the first pattern that matches the text; nullptr if it says nothing known.
const QuantityInfo* named_quantity(const std::string& text);

// The RE2 pattern as the heading's last noun: behind it may come "name", "type" and the like, and
// what is in brackets or behind a comma or a slash.
std::string as_last_noun(const std::string& pattern);

// What a heading has in brackets or behind a comma at its end: "samples/s" of "Overlap
// (samples/s)"; empty if there is nothing, or "min" where that is the least value of something.
std::string unit_of_heading(const std::string& heading);

// The heading as the patterns are to be matched with: "Tokens" of "Tokens (×10⁹)".
std::string without_power(const std::string& heading);

// What may be the unit, in the order to try: "ms" of "Time (ms)", "Time, ms" and "time_ms", "img/s"
// of "img/s", "$/h" of "$/h per GPU", "k img/s" of "img/s (×10³)".
std::vector<std::string> unit_texts(const std::string& heading);

// What counts in the column are multiplied by: "k", "M" or "B" of "Tokens (×10⁹)" and "Parameters
// (millions)", or empty.
// - may_be_symbol: a letter in brackets is no multiplier: "Batch size (B)".
std::string count_multiplier(const std::string& heading, bool may_be_symbol);

}  // namespace scalestudy::audit
