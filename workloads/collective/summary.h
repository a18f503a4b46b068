// The summary that a run by hand prints.
#pragma once

#include <vector>

#include "workloads/protocol/events.h"

namespace scalestudy::collective {

// Prints medians over the steps of one launch to stdout; they say nothing about the spread between
// launches.
void print_summary(const protocol::Start& start,
                   const std::vector<protocol::Samples>& series,
                   const protocol::Check& check);

}  // namespace scalestudy::collective
