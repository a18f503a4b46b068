// From the method name of an oracle case to a call into stats/.
#pragma once

#include <map>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace scalestudy::test {

// Takes the case's input, returns results under the oracle's names. Throws std::exception when the
// input does not have the form the method needs.
using Adapter = nlohmann::json (*)(const nlohmann::json& input);
using AdapterTable = std::map<std::string, Adapter>;

void add_cell_adapters(AdapterTable& table);        // one cell: description, intervals, throughput
void add_comparison_adapters(AdapterTable& table);  // two cells: tests, ratios, families, verdicts
void add_curve_adapters(AdapterTable& table);    // many cells: regression, threshold, scaling laws
void add_session_adapters(AdapterTable& table);  // trials in order: drift, planning, components
void add_nist_adapters(AdapterTable& table);     // the NIST reference data sets
void add_rank_adapters(AdapterTable& table);     // rank methods
void add_bootstrap_adapters(AdapterTable& table);

// Every method known.
AdapterTable all_adapters();

}  // namespace scalestudy::test
