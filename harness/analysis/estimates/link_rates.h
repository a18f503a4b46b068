// What each pair of devices could send by its link, beside what it sent.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/analysis/observe/observation.h"
#include "harness/store/rows/result_rows.h"
#include "harness/store/store.h"

namespace scalestudy {

// Facts about GPUs that are the same in all sessions of the study: gpu_link_rates, gpu_model,
// cuda_visible_devices. Nothing where a session lacks the first.
std::map<std::string, std::string> common_gpu_facts(const Store& store, std::int64_t study_id);

// Of each cell that is a ping-pong of a pair: quantity kLinkRate, calculated by the link's
// specification or as it was declared, measured the mean of the bus bandwidth, ratio the share
// reached, formula what the link is. Of halves the links of all their pairs at once. No row where
// the link is not known: of ranks that share memory, on several nodes, or of GPUs that differ in
// how pairs are joined where it is not known which GPUs ranks used.
std::vector<VolumeRow> link_volumes(const StudyObservation& observation,
                                    const Study& study,
                                    const std::vector<EstimateRow>& estimates,
                                    const std::map<std::string, std::string>& gpus);

}  // namespace scalestudy
