// Which labels go with larger values, where each value has one label or several.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stats/status.h"

namespace scalestudy::stats {

struct LabelledValue {
  double value = 0.0;  // any unit
  std::vector<std::string> labels;
};

// The values with a label against those without.
struct LabelExcess {
  std::string label;
  std::size_t n_with = 0;
  std::size_t n_without = 0;
  double difference = 0.0;  // mean with - mean without
  double p = 1.0;           // one-sided, against a difference of 0
  double p_adjusted = 1.0;  // Holm, over the labels returned
};

struct SlowGroups {
  Status status = Status::kInsufficientData;
  std::vector<LabelExcess> labels;  // by label
};

// Student's t with pooled variance, one-sided, for each label that at least two values have and two
// lack; exact where no label matters and the values are normal.
//
//   insufficient_data  there is no such label.
//   invalid_input      a value is not finite.
//   zero_variance      all values are equal.
//   source             Student 1908; Holm 1979.
SlowGroups slow_groups(std::span<const LabelledValue> values);

}  // namespace scalestudy::stats
