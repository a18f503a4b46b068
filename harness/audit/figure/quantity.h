// The catalogue of quantities a dataset's figures can be.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/audit/figure/figure.h"

namespace scalestudy::audit {

struct QuantityInfo {
  std::string_view name;
  Dimension dimension = Dimension::kOther;
  bool is_condition = false;    // says which run a row is about: devices, batch, model ...
  bool is_exact = false;        // a count that nobody rounds: devices, nodes, batch
  bool is_derived = false;      // computed from others by its nature: speedup, efficiency, cost ...
  bool is_free = false;         // any figure of its dimension: what it is of is not known
  std::optional<double> least;  // values beyond these are implausible; base units
  std::optional<double> most;
  std::string_view meaning;  // one phrase
};

// The catalogue, in the order of data/published/FORMAT.md.
std::span<const QuantityInfo> quantities();
std::vector<std::string> quantity_names();

// The quantity of that name; nullptr if the catalogue has none.
const QuantityInfo* find_quantity(std::string_view name);

// Whether figures of the quantity add up to one of all parts: times, sizes, counts, money.
bool adds_up(const QuantityInfo& info);

}  // namespace scalestudy::audit
