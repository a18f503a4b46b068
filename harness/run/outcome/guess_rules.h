// Guesses extract rules from what a program printed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/study/declared/extract_rule.h"

namespace scalestudy {

struct ProgramOutput {
  std::string out;      // stdout
  std::string err;      // stderr
  double wall_s = 0.0;  // of the whole command; 0: not known
  bool is_cut = false;  // the command was ended before it was done
};

struct GuessedRules {
  std::string preset;              // of data/extract-presets.yaml; "": none reads step times
  std::vector<ExtractRule> rules;  // the preset's or guessed ones, step_time_s first; empty: none
  bool needs_amount = false;       // step times are a rate of samples or tokens: add per_step
  bool is_per_device = false;      // that is the rate of one device
  bool is_per_epoch = false;       // step times are those of epochs, one a line
  std::size_t steps = 0;           // step times that the rules find
  std::int64_t covered = 0;        // steps that they stand for, by the numbers of steps
  std::int64_t interval = 1;       // steps from one of them to the next
  std::string problem;             // why a trial with such output would fail; "" if it would not
  std::vector<std::string> examples;  // the first lines with a step time, at most three
  std::vector<std::string>
      notes;  // sentences on what to check, and on what was passed over and why
};

// The preset whose rules find the most step times; if there is none, a rule for the number that
// looks most like the time of a step: one with a unit of time or a rate, or called a time, on lines
// that come again. Counters, losses and other times (data, forward, total) are passed over, and so
// is what a rule could not read whole: "1m 2.0s". On the line of an epoch its time is taken and not
// a rate, which does not say how many steps it stands for. A number that is called a loss on the
// same lines becomes a second rule.
// - values: of the axes in this run; other runs may print another word in their place.
GuessedRules guess_rules(const ProgramOutput& output, const std::vector<std::string>& values = {});

}  // namespace scalestudy
