// A study in a store, with results typed by hand, for the report's tests.
#pragma once

#include <cstdint>
#include <string>

#include "harness/report/input/input.h"
#include "harness/report/report.h"
#include "harness/store/store.h"

namespace scalestudy::test {

// What a user may write anywhere a name is free.
inline const std::string kHostile = "a|b *c* `d` <script>alert(1)</script>\n- [x](y) & 'e' \"f\"";

struct SampleOptions {
  std::string title = "Does a second device pay for a small MLP?";
  std::string batch_label_extra = {};  // a further varied parameter's value; "" for none
  bool has_results = true;
  bool has_trials = true;
  bool has_publications = true;
};

// Fills an empty store; returns the study's id. Trials are numbered in order of the plan: 11 cells
// a block, 3 blocks; trial 3 fails and is retried as trial 34, trial 15 times out.
std::int64_t fill_sample(Store& store, const SampleOptions& options = {});

// The sample as a report reads it: 1, 2 and 4 devices at batches of 64, 256 and 1024.
inline report::ReportInput read_sample(const SampleOptions& options = {}) {
  Store store = Store::open_in_memory();
  return report::read_input(store, fill_sample(store, options));
}

// A projection of that curve to so many devices, refused for "too few counts".
inline ProjectionRow& add_refused(report::ReportInput& input,
                                  const std::string& curve,
                                  std::int64_t devices) {
  ProjectionRow& row = input.results.projections.emplace_back();
  row.provenance = Provenance::kProjected;
  row.status = RowStatus::kRefused;
  row.group_label = curve;
  row.devices = devices;
  row.finding = "too few counts";
  return row;
}

// The shipped templates.
ReportRequest sample_request(std::int64_t study_id);

}  // namespace scalestudy::test
