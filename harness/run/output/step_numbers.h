// Steps told apart by the numbers that a program prints for them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "workloads/protocol/reader.h"

namespace scalestudy {

// The values of a metric in the order of their lines. The numbers of their steps: one a value, or
// none at all.
struct NumberedValues {
  std::vector<double> values;
  std::vector<std::int64_t> numbers;

  bool has_numbers() const { return !values.empty() && numbers.size() == values.size(); }
};

// The longer of two times; NaN if one is missing.
double longer(double one, double other);

// Makes one value of the lines of each step. Lines with the number and the value of the line before
// were printed twice. If all numbers are there equally often, before the last of them comes, the
// lines are of ranks: of times, the longest is the step's.
// - returns: why the lines cannot be told apart by their numbers; "" if they can.
std::string join_lines_of_steps(NumberedValues& lines, bool is_time);

// Steps that have no line, though lines are the same distance apart almost everywhere.
struct MissingLines {
  std::int64_t interval = 1;        // from a line to the next
  std::int64_t count = 0;           // 0 where lines come irregularly, or change their distance
  std::vector<std::string> places;  // the first ones: "16 and 33", and then "..."
};

// - numbers: of the lines.
MissingLines find_missing_lines(const std::vector<std::int64_t>& numbers);

struct CountedSteps {
  std::vector<std::size_t> lines;        // that count, by their place
  std::size_t warmup = 0;                // how many of them, the first ones, are warm-up
  protocol::CoveredSteps covered;        // steps that these lines stand for
  std::vector<std::string> resumptions;  // the first ones: "from 5 to 4"
};

// Counts steps by their numbers. Where a number does not go up, the program began again: what it
// ran twice are two steps, and its first `warmup` steps are warm-up again, which is left out. A
// program begins at most an interval of lines before its first line, and not before step 1.
// - numbers: of the lines.
// - has_means: a line's value is that of all steps since the line before, and is warm-up if one of
//   them is.
CountedSteps count_steps(const std::vector<std::int64_t>& numbers, int warmup, bool has_means);

// Finds lines that show a step again, by what they look like.
class RepeatedLines {
 public:
  // - line: one that gave a time of a step.
  // - values: that the rule found in it.
  void feed(const std::string& line, std::optional<int> rank, const std::vector<double>& values);

  // How many lines of all show a step that a line before shows: they begin as it, up to the number
  // of the step; the number does not go up, but for one that is below the first; or each line is
  // there equally often in a row. Of progress bars, if many lines do: the number is that of the
  // line before, or two processes print one bar, whose number goes back and on, as in 3 1 4 2.
  [[nodiscard]] std::int64_t count() const;

 private:
  // Progress bars of one length.
  struct Bar {
    std::int64_t lines = 0;
    std::int64_t before = 0;  // number in the line before the last
    std::int64_t last = 0;
    std::int64_t again = 0;  // lines that show a step again
  };

  struct Lines {
    std::string last;
    std::int64_t run = 0;          // of lines equal to the last one
    std::int64_t common = 0;       // greatest common divisor of all runs before
    std::int64_t runs = 0;         // before
    std::int64_t equal = 0;        // lines that are as the one before
    std::set<std::size_t> starts;  // hashes of lines up to the number of the step; the first ones
    std::optional<std::int64_t> first_step;
    std::optional<std::int64_t> last_step;
    std::int64_t steps_again = 0;
    std::map<std::string, Bar> bars;  // by their length; "" if they show none
  };

  // Whether the line is a progress bar.
  static bool feed_bar(const std::string& line, std::map<std::string, Bar>& bars);

  std::map<std::optional<int>, Lines> by_rank_;
};

}  // namespace scalestudy
