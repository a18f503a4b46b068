// One series of a metric from the values that ranks printed, line by line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/run/outcome/stored_rule.h"
#include "harness/run/output/step_numbers.h"
#include "workloads/protocol/reader.h"

namespace scalestudy {

// The values over all ranks: a step is over when its last rank is, so that its time is the longest
// of theirs; NaN if a rank's is missing. Ranks that do not have the steps of each other are a
// problem in `record`, and nothing is left of the metric. `found` keeps the values of ranks alone.
NumberedValues settle_ranks(const std::string& metric, RankValues& found, protocol::Record& record);

// Tells steps apart by their numbers: one value a step (join_lines_of_steps), and without the
// warm-up of a program that began again (count_steps). Of step_time_s, `record` gets the steps that
// the lines stand for.
// - has_means: a line is about all steps since the line before.
// - all, found: as settle_ranks() leaves them.
// - returns: how many values of `all` are warm-up; absent if it has no numbers to tell that by.
std::optional<int> settle_steps(const std::string& metric,
                                bool has_means,
                                int warmup,
                                NumberedValues& all,
                                RankValues& found,
                                protocol::Record& record);

// Tells of a metric whose lines are as far apart as those of the step times, and lack a step after
// its first: its rule passes over some of what the program prints. One that begins late is usual.
// - numbers, of_times: of the steps that have a value, and a step time.
// - returns: whether it is such a metric.
bool tell_fewer_values(const std::string& metric,
                       const std::vector<std::int64_t>& numbers,
                       const std::vector<std::int64_t>& of_times,
                       protocol::Record& record);

// Tells of steps before the first and after the last one with a step time, if the metric has values
// of these and of all steps with a time, and its lines are as far apart as those of the times: the
// program prints these times in another form, such as s for ms. Steps of the warm-up may lack one.
// - numbers, of_times: as above; warmup: how many values of the metric, the first ones, are that.
// - returns: whether there are such steps.
bool tell_untimed(const std::string& metric,
                  const std::vector<std::int64_t>& numbers,
                  int warmup,
                  const std::vector<std::int64_t>& of_times,
                  protocol::Record& record);

// Tells of a metric that has about one value a step and not as many as steps, so that nobody knows
// which are its warm-up.
// - warmup: of the steps that its values would have; 0: none, or known by numbers of steps.
void tell_kept_warmup(const std::string& metric,
                      std::size_t values,
                      std::size_t steps,
                      int warmup,
                      protocol::Record& record);

}  // namespace scalestudy
