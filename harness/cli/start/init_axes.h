// What a study of a command varies and fixes, and the sections of the study file that say so.
#pragma once

#include <string>
#include <vector>

#include "harness/cli/start/init_command.h"
#include "harness/cli/start/value_lists.h"

namespace scalestudy {

// A list, and whether its values are our guess.
struct Varied {
  ValueList list;
  bool is_guessed = false;
};

// The lists of -L, and guesses for {devices} and batches without one. Throws Error{kUsage} for a
// name in braces without values, a list that the command does not use, and numbers of nodes without
// as many numbers of devices.
std::vector<Varied> axes_of(const InitCommand& init);

bool has_axis(const std::vector<Varied>& axes, const char* name);

// Whether cells differ in it.
bool is_varied(const std::vector<Varied>& axes, const char* name);

// "How do devices and level change the speed of PROGRAM?"
std::string title_of(const std::vector<Varied>& axes, const std::string& program);

// The sections `axes` and `zip`: nodes and devices go in pairs. A comment if nothing varies.
std::string axes_text(const std::vector<Varied>& axes);

// The section `parameters`, of lists with one value; "" if there is nothing to write.
// - fill_in: a parameter to be filled in, with its comment; "" for none. It is commented out.
std::string parameters_text(const std::vector<Varied>& axes, const std::string& fill_in);

// The cell that others are compared with: one value of one axis, so that each is compared with the
// one that is otherwise the same; "" if nothing varies.
std::string baseline_text(const std::vector<Varied>& axes);

}  // namespace scalestudy
