// The numbers in a line of output, with the words that name them and their units.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace re2 {
class RE2;
}

namespace scalestudy {

// A number in a line, with what stands around it.
struct Figure {
  std::string before;   // the line up to the number, other numbers as #
  std::string words;    // of that the words directly before it, which name it: ", time "
  std::string printed;  // the number: "41.5", "1,293.0", "1.226,7", "1m 2.0s"
  std::string after;    // the unit behind it as printed, with the space before: " img/sec per GPU"
  std::string unit;     // as a rule has it, by `after` or the name: "samples/s"; "" for none
  bool is_per_device = false;      // a rate of one device
  bool has_commas = false;         // between thousands
  bool has_decimal_comma = false;  // "1.226,7", "12,5"
  bool is_elapsed = false;         // beside what a bar says of a step: "2s" of "2s 37us/sample"
  bool is_cut = false;  // a rule would read only a part of it: "1m 2.0s", "0:12:34", "1'226.8"
  std::size_t at = 0;   // where it begins in the line
  // A pattern for what its lines have before the words, where others have the same words and are
  // not meant: "\b469/469\b"; "" for any line.
  std::string among{};
};

bool has(const std::string& text, const re2::RE2& pattern);
bool has(const std::string& text, const char* pattern) = delete;  // to be compiled once

// From left to right. What stands behind a number is no unit if it names the next one, as in
// "loss 2.3 ms/step 105". A name like "batches_per_sec" has the unit of a rate, and "ms_per_step"
// that of a time. A name begins behind what is printed for a number that is missing, as in
// "val: n/a | time: 5".
std::vector<Figure> figures_of(const std::string& line);

}  // namespace scalestudy
