// Columns of a program's output: numbers that a rule finds at the same place of many lines.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/run/outcome/printed_figures.h"

namespace scalestudy {

struct StepColumn {
  // In the first of its lines; has_commas as in any. If only some have a decimal comma, one of
  // these, and cut.
  Figure figure;
  std::string line;          // the first
  int score = 0;             // how much it looks like the time of a step
  bool is_part = false;      // the time of a part of a step: "data time", "forward"
  bool is_per_step = false;  // printed as the time of each step: "s/it", "ms_per_step"
  bool is_repeated = false;  // a line has several such numbers, of which a rule reads one
  // Its name or its lines say which epoch it is of, and no step of it.
  bool names_epoch = false;
  bool has_epoch_again = false;  // a line is of the epoch of the line before
  bool is_validation = false;    // its lines say before it that they are of one, and of no training
  std::size_t lines = 0;

  [[nodiscard]] bool is_of_epoch() const { return names_epoch && !has_epoch_again; }
};

// Columns that may be step times, the likeliest first; of equals those with more lines.
struct StepColumns {
  std::vector<StepColumn> whole;
  std::vector<StepColumn> cut;  // rules would read only a part of their numbers
};

// Times with a unit, rates, and numbers that are called a time. A number that is called a loss or
// another time (remaining, compile) counts less or not at all. One that is called the whole step
// (step, iter, batch, total) wins over a part of it. What comes again wins over times of epochs.
// Of lines that differ in "train" and "val" before the number, those of the training are taken; of
// bars of Keras, whose times are means since the epoch began, the last one of an epoch.
StepColumns find_columns(const std::vector<std::string>& lines);

// How times count on from line to line: from the start of the run, or again and again from 0.
enum class Counting { kNone, kFromStart, kAgain };

// - times: in the order of their lines.
// - wall_s: of the whole command; 0: not known.
Counting counting_of(const std::vector<double>& times, double wall_s);

bool is_rate(const Figure& figure);

// Whether the number is called a part of a step: "data time", "fwd".
bool is_of_part(const Figure& figure);

// Whether the first column is sure to be better than the second: it looks more like step times.
bool is_better(const StepColumn& one, const StepColumn& other);

// Whether it is the rate that a progress bar shows: "4.00" of "1/2 [00:01<00:01,  4.00it/s]".
bool is_rate_of_bar(const Figure& figure);

// How many steps the progress bar of a line has: "100" of "7/100 [00:05<01:09"; "" without a bar.
std::string bar_length(const std::string& line);

// A pattern for what is before the numbers of a column: the word that the line begins with, if it
// does, with the number of the step if that follows; and the words before the number.
std::string place_of(const Figure& figure, bool has_step);

// A pattern for the numbers of a column, with the group `value`.
std::string pattern_of(const Figure& figure, bool has_step);

// A pattern of pattern_of() for what is printed in place of a number as well: nan, inf. The line of
// a run that diverged must not be passed over, since it makes the trial invalid.
std::string with_not_finite(std::string pattern);

// The pattern with \S+ for each of the values, or a word of one, that is alone before the number.
std::string without_values(const std::string& pattern, const std::vector<std::string>& values);

// "avg_batch_cost: 3.37 s", for a person.
std::string name_of(const Figure& figure);

}  // namespace scalestudy
