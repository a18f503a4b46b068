// What devices could send over their links, beside what pairs and collective operations sent.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/analysis/observe/observation.h"
#include "harness/store/rows/result_rows.h"
#include "harness/store/store.h"

namespace scalestudy {

// Facts about GPUs that are the same in all sessions of the study: gpu_link_rates, gpu_model,
// cuda_visible_devices. Empty if a session lacks gpu_link_rates.
std::map<std::string, std::string> common_gpu_facts(const Store& store, std::int64_t study_id);

// Makes a row of quantity kLinkRate for each cell with a bus bandwidth: calculated is the link's
// specified or declared rate, measured the mean bus bandwidth, ratio the share reached, formula the
// kind of link. For a ping-pong of halves the links of all their pairs count together; for another
// operation all its ranks must be joined alike.
// Several nodes are joined by what the network links of a node could carry (kNetworkRate).
// No row if the link is not known: ranks share memory, a pair may be on two nodes, or GPUs are not
// known while pairs are joined in different ways.
std::vector<VolumeRow> link_volumes(const StudyObservation& observation,
                                    const Study& study,
                                    const std::vector<EstimateRow>& estimates,
                                    const std::map<std::string, std::string>& gpus);

}  // namespace scalestudy
