// All figures of a dataset, and the one a formula means.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/audit/check/finding.h"
#include "harness/audit/dataset/dataset.h"

namespace scalestudy::audit {

// A printed figure with what is declared of it.
struct Entry {
  PrintedFigure figure;
  const Declaration* declared = nullptr;  // of its column or statement
  const Table* table = nullptr;           // nullptr for a statement

  bool is_same_group(const Entry& other) const;  // the same row, or the same statement
};

// A figure found as a base of a formula. Two finds of one figure have the same `id`, so that a
// formula that uses it twice does not count its rounding twice.
struct Found {
  std::string id;
  Range range;
  Range cut_off;  // the same if its digits were cut off instead of rounded
  std::string unit;
  Base base;
};

// A search: what was found, or why nothing was.
struct Search {
  std::optional<Found> found;
  std::string problem;
  std::string needs;  // what would have to be printed or declared
  // Where the row itself, or the table for a baseline, has more than one: all of them. Where the
  // only runs of the baseline in the table differ in more than they may: those, and `mixed` says
  // in what.
  std::vector<Found> candidates{};
  std::string mixed{};
};

class Ledger {
 public:
  explicit Ledger(const Dataset& dataset);

  const std::vector<Entry>& entries() const { return entries_; }

  // The figure of `quantity` of the target's own run: in its row, declared with it, or in another
  // place of its experiment that can only mean this run.
  Search find(const Entry& target, const std::string& quantity) const;

  // The same of the run the target is relative to, by its declared baseline.
  Search find_baseline(const Entry& target, const std::string& quantity) const;

  // Another place of the experiment that can only mean the very same figure.
  std::vector<const Entry*> find_twins(const Entry& target) const;

 private:
  bool is_mutual(const Entry& candidate, const Entry& target) const;

  std::vector<Entry> entries_;
};

// "efficiency, devices=16": column and the first conditions that tell the row apart; a statement's
// id.
std::string name_of(const Entry& entry);

// An entry as a base of another: the name of its table in front when that is another one.
Base base_of(const Entry& entry, const Entry& target);

// The entry's range without the part that no value of its quantity can have: nothing takes less
// than no time.
Range physical_range(const std::string& quantity, const Figure& figure);

// The same of what it stands for if its digits were cut off.
Range physical_cut_off_range(const std::string& quantity, const Figure& figure);

// Whether the two runs differ in nothing but what follows from the difference in devices or nodes:
// the other one of the two, and the batch that scaling changes (a `batch` that grows with the
// devices is that of all).
bool are_comparable(const Conditions& target,
                    const Conditions& baseline_run,
                    const Conditions& declared_baseline);

}  // namespace scalestudy::audit
