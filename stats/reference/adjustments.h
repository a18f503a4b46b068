// Adjusted p values by other methods than Holm's.
#pragma once

#include <optional>
#include <span>

#include "stats/multiplicity.h"

namespace scalestudy::stats {

// Both take p values and report statuses as holm(). Source: R's p.adjust.

// The false discovery rate. Source: Benjamini & Hochberg 1995.
AdjustedP benjamini_hochberg(std::span<const std::optional<double>> p);

// Family-wise, without steps.
AdjustedP bonferroni(std::span<const std::optional<double>> p);

}  // namespace scalestudy::stats
