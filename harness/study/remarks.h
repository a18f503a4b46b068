// Remarks on a valid study: what its author hardly meant.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/study/declared/study.h"
#include "harness/study/matrix/matrix.h"

namespace scalestudy {

// A selection of cells that a study declares but that matches no cell.
struct Unmatched {
  std::string section;    // "exclude", "analysis.targets", "cost.investments": a list
  std::size_t index = 0;  // index in that list
  std::string name = {};  // parameter whose value is in no cell
  std::string text;       // a sentence, with the values that the cells have
};

// Values named by exclude rules, or by `where` of targets, investments and the like, that no cell
// has.
std::vector<Unmatched> unmatched_values(const Study& study, const Matrix& matrix);

// A sentence for each axis of a command that is named like a number of devices ("gpus",
// "env.GPUS") while no `devices` tells the harness how many there are.
std::vector<std::string> unseen_devices(const Study& study);

// A sentence for each variable or folder with a $NAME or a leading ~/, which only a shell replaces.
std::vector<std::string> unread_by_shell(const Study& study);

// A sentence for each command that redirects by > to /dev/stderr or /dev/stdout, where the trial's
// log is: that opens the log anew and empties it.
std::vector<std::string> emptied_logs(const Study& study);

// A sentence for each name under `secret` of which neither the study nor this environment has a
// value to hide.
std::vector<std::string> empty_secrets(const Study& study);

// Says that no verdict credits the variables of NCCL that a command varies, because nothing asks
// NCCL whether it applied them (validity.confirm); "" if there are none, or if that was chosen.
std::string unconfirmed_variables(const Study& study);

// Asks for the batch of a command that is compared over several numbers of devices, if nothing says
// how much work a step does (states_work); "" if something does.
std::string unstated_work(const Study& study, const Matrix& matrix);

// Names the device counts of analysis.projection.to that the study measures, where nothing is
// projected; "" if there are none.
std::string measured_projections(const Study& study, const Matrix& matrix);

// Says that the study asks for a law over devices and has too few numbers of devices for one, and
// names them; "" if it has enough, or asks for none that is about its scaling.
std::string missing_device_counts(const Study& study, const Matrix& matrix);

// Says that a command is asked about tokens although nothing tells how many a sample has: no
// protocol file, no extract rule, no parameter; "" if something does, or if nothing is asked.
std::string uncounted_tokens(const Study& study);

// Says how many measured cells have no baseline although the study declares one, names up to three,
// and says why the first has none; "" if all have one.
std::string missing_baselines(const Matrix& matrix);

}  // namespace scalestudy
