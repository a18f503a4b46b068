// What a run by hand prints.
#pragma once

#include <vector>

#include "workloads/protocol/events.h"

namespace scalestudy::collective {

// To stdout. Medians over the steps of one launch: they say nothing about its spread.
void print_summary(const protocol::Start& start,
                   const std::vector<protocol::Samples>& series,
                   const protocol::Check& check);

}  // namespace scalestudy::collective
