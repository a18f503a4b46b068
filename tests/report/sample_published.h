// What others printed about the sample study's conditions.
#pragma once

#include <string>

#include "harness/store/store.h"

namespace scalestudy::test {

// A figure of `quantity` in ms, x or samples/s under the given conditions (JSON).
PublishedFigureRow sample_figure(const std::string& quantity,
                                 const std::string& printed,
                                 const std::string& conditions);

// "their-paper": figures that the sample study measured too, and some that it did not.
PublicationRow sample_publication(std::int64_t study_id);

// What analysis finds beside the figures of sample_publication, as they are stored.
std::vector<CounterpartRow> sample_counterparts(const PublicationRow& publication,
                                                const std::vector<CellRow>& cells,
                                                const Results& results);

// Makes a row of another platform's throughput and cost of the sample, with a cost of half theirs.
void make_platform(PublicationRow& publication, std::vector<CounterpartRow>& counterparts);

}  // namespace scalestudy::test
