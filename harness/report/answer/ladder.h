// What to choose for each value of the one number that the bases differ in: "1 device at batch 16
// to 32, 2 devices at batch 64 to 256".
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "harness/report/answer/problem.h"

namespace scalestudy::report {

// What is chosen for a problem.
struct Choice {
  std::string text;  // "2 devices"; why nothing is chosen: "no significant difference"
  std::set<const CellRow*> cells;  // empty: nothing is chosen; of several, `text` ends with a note
  std::size_t unnamed = 0;         // more that only the adjustment for comparisons keeps
  std::string open = {};           // "1 device or 2 devices": all of them, where none is excluded
  std::string note = {};           // "compared without the base, as 1 device failed"

  bool operator==(const Choice&) const = default;
};

// The choice with the cells that it does not name, at most so many, and its note: "4 devices (13
// more not excluded after adjustment)", "2 devices (not compared, as 1 device failed)"; in a note
// that its text has already: "... (no significant difference, 1 to 3 more not excluded after
// adjustment)".
std::string say_choice(const Choice& choice, std::size_t most);

// The problems that differ in one number alone, ordered by it.
struct Ladder {
  std::string axis;     // the parameter: "batch" for any batch; "" where no number differs
  std::string setting;  // the words that these problems share: "model mlp-258k"
  // A problem that is not told is only between others, where it ends a range, unless all its cells
  // are lost.
  std::vector<const Problem*> rungs;
};

// A ladder for each combination of words that the problems differ in. Of several numbers the one
// with the most values is the axis, a choice before a condition; the others count as words.
// Problems without a verdict make no ladder, unless their base is lost. All problems must outlive
// the ladders.
std::vector<Ladder> ladders_of(const ReportInput& input, const std::vector<Problem>& all);

// What `choose` says of all rungs, as one text: neighbours with one choice are joined to a range,
// however many more are not excluded; where the choice changes often, each choice has the list or
// the number of its values. If it is always the same, but not always compared: "2 devices at batch
// 16 to 256 (at batch 32 and 128 not compared, as 1 device failed)". A ladder on which nothing is
// chosen says why: "1 device or 2 devices (no significant difference)". Several ladders begin with
// their settings: "with model mlp-258k: ...; with ..."; more than `most` are told by what is said
// of them: "in 3 of 4 compared settings: 2 devices; with model mlp-258k, strategy ddp: 1 device".
std::string say_ladders(const ReportInput& input,
                        const std::vector<Ladder>& ladders,
                        const std::function<Choice(const Problem&)>& choose,
                        std::size_t most);

}  // namespace scalestudy::report
