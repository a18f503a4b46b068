// All figures of a dataset, and the search for the one that a formula means.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/audit/check/finding.h"
#include "harness/audit/dataset/dataset.h"

namespace scalestudy::audit {

// A printed figure with the declaration it falls under.
struct Entry {
  PrintedFigure figure;
  const Declaration* declared = nullptr;  // its column's or statement's
  const Table* table = nullptr;           // nullptr for a statement

  bool is_same_group(const Entry& other) const;  // the same row, or the same statement
};

// A figure found as a base of a formula. Two finds of one figure have the same `id`, so that a
// formula that uses it twice does not count its rounding twice.
struct Found {
  std::string id;
  Range range;
  Range cut_off;  // its range if its digits were cut off instead of rounded
  std::string unit;
  Base base;
};

// A search: what was found, or why nothing was.
struct Search {
  std::optional<Found> found;
  std::string problem;
  std::string needs;  // what would have to be printed or declared
  // All that were found if the row (for a baseline: the table) has more than one. Also the runs of
  // the baseline if all of them differ in more than they may; `mixed` then says in what.
  std::vector<Found> candidates{};
  std::string mixed{};
};

class Ledger {
 public:
  explicit Ledger(const Dataset& dataset);

  const std::vector<Entry>& entries() const { return entries_; }

  // Finds the figure of `quantity` for the target's own run: in its row, declared with it, or in
  // another place of its experiment that can only mean this run.
  Search find(const Entry& target, const std::string& quantity) const;

  // Finds the figure of `quantity` for the run that the target's declared baseline names.
  Search find_baseline(const Entry& target, const std::string& quantity) const;

  // Other places of the experiment that can only mean the very same figure.
  std::vector<const Entry*> find_twins(const Entry& target) const;

 private:
  bool is_mutual(const Entry& candidate, const Entry& target) const;

  std::vector<Entry> entries_;
};

// How messages call the entry: its column and the first conditions that tell its row apart
// ("efficiency, devices=16"), or a statement's id.
std::string name_of(const Entry& entry);

// The entry as a base of `target`; the name of its table comes first if that is another one.
Base base_of(const Entry& entry, const Entry& target);

// The same with its ranges, as formulas use it.
Found found_from(const Entry& entry, const Entry& target);

// The target's columns that no formula reads and that may hold the quantity, as the end of an
// advice to print it: ", or, if ..."; empty if there are none.
std::string or_declare(const std::string& quantity, const Entry& target);

// The figure's range without values that its quantity cannot have: no time is below 0.
Range physical_range(const std::string& quantity, const Figure& figure);

// The range that the figure stands for if its digits were cut off, without values that its quantity
// cannot have.
Range physical_cut_off_range(const std::string& quantity, const Figure& figure);

// Whether the conditions say this kind of scaling ("strong", "weak"), in whatever case.
bool says_scaling(const Conditions& conditions, std::string_view kind);

// Whether the two runs differ in conditions of the declared baseline alone. If that names devices
// or nodes, both may differ, and so may the batch size that scaling changes (a `batch` that grows
// with the devices is the global one).
bool are_comparable(const Conditions& target,
                    const Conditions& baseline_run,
                    const Conditions& declared_baseline);

}  // namespace scalestudy::audit
