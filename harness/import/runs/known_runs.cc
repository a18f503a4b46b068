#include "harness/import/runs/known_runs.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "harness/base/hash.h"

namespace scalestudy {
namespace {

using Declared = std::pair<std::optional<std::int64_t>, std::optional<std::int64_t>>;

Declared declared(const TrialRow& row) {
  return {row.has_block ? std::optional(row.block) : std::nullopt,
          row.has_order ? std::optional(row.position) : std::nullopt};
}

// Whether one may be a further attempt of the other, for which the order alone may be another.
bool is_declared_alike(const TrialRow& a, const TrialRow& b) {
  return a.has_block == b.has_block && a.block == b.block && a.has_order == b.has_order;
}

}  // namespace

std::vector<KnownTrial> known_trials(const Store* store, const std::string& study) {
  const std::optional<StudyRow> stored = store == nullptr ? std::nullopt : store->find_study(study);
  std::vector<KnownTrial> known;
  if (!stored) {
    return known;
  }
  std::map<std::int64_t, std::string> hashes;
  for (const CellRow& cell : store->cells(stored->id)) {
    hashes.emplace(cell.id, cell.hash);
  }
  for (const TrialRow& row : store->trials(stored->id)) {
    known.push_back({.cell = hashes.at(row.cell_id), .row = row});
  }
  return known;
}

KnownRuns::KnownRuns(std::string study, std::vector<KnownTrial> trials, Pairs texts)
    : study_(std::move(study)) {
  for (KnownTrial& one : trials) {
    plans_.emplace(one.cell, one.row.plan);
    if (!one.row.superseded) {
      texts.erase({one.row.source.value_or(""), one.row.source_hash.value_or("")});
      trials_.push_back(std::move(one));
    }
  }
  for (const auto& [source, hash] : texts) {
    moved_.insert(hash);
  }
}

std::string KnownRuns::settle(ReadRun& run) {
  TrialRow& row = run.record.trial;
  const std::string& cell = run.cell->hash;
  const auto has_text = [&](const KnownTrial& one) {
    return one.row.source_hash == row.source_hash &&
           (row.state == TrialState::kOk || (one.cell == cell && one.row.source == row.source));
  };
  if (const auto one = std::ranges::find_if(trials_, has_text); one != trials_.end()) {
    run.effect = RunEffect::kKnown;
    run.known_as = one->row.source.value_or("");
    if (one->cell != cell) {
      return fmt::format("has the same text as {}, which is of another cell", run.known_as);
    }
    const bool has_moved = one->row.source == row.source && declared(one->row) != declared(row);
    return has_moved ? was_declared_otherwise() : "";
  }
  const auto before = earlier_text(run);
  if (std::string problem = collision(run, before); !problem.empty()) {
    return problem;
  }
  if (before != trials_.end()) {
    if (!is_declared_alike(before->row, row)) {
      return was_declared_otherwise();
    }
    run.effect = RunEffect::kChanged;
    run.known_as = row.source.value_or("");
    row.plan = before->row.plan;
    row.attempt = before->row.attempt + 1;
    before->row = row;
    return "";
  }
  while (!row.has_block && plans_.contains({cell, row.plan})) {  // its log has another text now
    row.plan = text_hash(row.plan + " " + row.source.value_or(""));
  }
  plans_.emplace(cell, row.plan);
  trials_.push_back({.cell = cell, .row = row});
  return "";
}

// The trial that was last read from the run's file; none if its text is in another file now, since
// the file was only renamed then.
KnownRuns::Trials::iterator KnownRuns::earlier_text(const ReadRun& run) {
  auto last = trials_.end();
  for (auto one = trials_.begin(); one != trials_.end(); ++one) {
    if (one->cell == run.cell->hash && one->row.source == run.record.trial.source) {
      last = one;
    }
  }
  return last != trials_.end() && moved_.contains(last->row.source_hash.value_or(""))
             ? trials_.end()
             : last;
}

// Why the run cannot be beside the other trials of its cell.
std::string KnownRuns::collision(const ReadRun& run, Trials::const_iterator replaced) const {
  const TrialRow& row = run.record.trial;
  for (auto one = trials_.begin(); one != trials_.end(); ++one) {
    if (one->cell != run.cell->hash || one == replaced) {
      continue;
    }
    if (row.has_block && one->row.has_block && one->row.block == row.block) {
      return fmt::format(
          "block {} of {} is {} already", row.block, run.cell->label, one->row.source.value_or(""));
    }
    if (row.has_order && one->row.has_order && one->row.position == row.position) {
      return fmt::format("comes at the same place of the order as {}, in the same cell",
                         one->row.source.value_or(""));
    }
  }
  return "";
}

bool KnownRuns::has_trial(const Cell& cell) const {
  return std::ranges::find(trials_, cell.hash, &KnownTrial::cell) != trials_.end();
}

std::string KnownRuns::was_declared_otherwise() const {
  return fmt::format(
      "was imported with another block or order; remove study {} first to declare them anew",
      study_);
}

}  // namespace scalestudy
