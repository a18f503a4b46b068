#include "harness/import/runs/known_runs.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <system_error>

#include <fmt/format.h>

#include "harness/base/hash.h"
#include "harness/store/excluded_trials.h"

namespace scalestudy {
namespace fs = std::filesystem;
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

bool are_declared_apart(const TrialRow& a, const TrialRow& b) {
  return (a.has_block && b.has_block && a.block != b.block) ||
         (a.has_order && b.has_order && a.position != b.position);
}

bool is_ok(const ReadRun& run) {
  return run.record.trial.state == TrialState::kOk;
}

// Of a run whose text another trial of its cell has: by the text and by what tells the run from
// others, the values of its name and its part of the file.
std::string named_hash(const FoundRun& found, const std::string& hash) {
  return text_hash(hash + " " + describe_values(found.values) + found.part);
}

// Equal for copies of one run in several files.
std::string copy_key(const ReadRun& run) {
  return run.hash + " " + describe_values(run.found.values);
}

// Where the run's file is.
std::string file_of(const ReadRun& run) {
  return run.place.substr(0, run.place.size() - run.found.part.size());
}

// Whether the place has the run's name in its file, and that file's name in any folder.
bool has_same_name(const std::string& place, const FoundRun& found) {
  return place.ends_with("/" + fs::path(found.path).filename().string() + found.part);
}

// Whether the file of a place exists and is not imported now, so that nothing says that its text
// has moved. The place of a part goes on after a '#', which a file's name may have too.
// - imported: places of files that are imported now.
bool is_kept_elsewhere(const std::string& place, const std::set<std::string>& imported) {
  for (std::size_t end = place.size(); end != std::string::npos && end > 0;
       end = place.rfind('#', end - 1)) {
    const std::string file = place.substr(0, end);
    std::error_code error;
    if (imported.contains(file)) {
      return false;
    }
    if (fs::is_regular_file(file, error)) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::string place_of(const std::string& source, const fs::path& home) {
  const std::size_t name = source.rfind('/', source.find('#')) + 1;  // behind a '#' is no folder
  const fs::path folder = fs::current_path() / home / source.substr(0, name);
  std::error_code error;
  const fs::path real = fs::weakly_canonical(folder, error);
  return ((error ? folder.lexically_normal() : real) / source.substr(name)).string();
}

std::vector<KnownTrial> known_trials(const Store* store,
                                     const std::string& study,
                                     const fs::path& home) {
  const std::optional<StudyRow> stored = store == nullptr ? std::nullopt : store->find_study(study);
  std::vector<KnownTrial> known;
  if (!stored) {
    return known;
  }
  std::map<std::int64_t, std::string> hashes;
  for (const CellRow& cell : store->cells(stored->id)) {
    hashes.emplace(cell.id, cell.hash);
  }
  const std::set<std::int64_t> excluded = excluded_by_hand(*store, stored->id);
  for (const TrialRow& row : store->trials(stored->id)) {
    known.push_back({.cell = hashes.at(row.cell_id),
                     .row = row,
                     .place = place_of(row.source.value_or(""), home),
                     .is_excluded = excluded.contains(row.id)});
  }
  return known;
}

KnownRuns::KnownRuns(std::string study,
                     std::vector<KnownTrial> trials,
                     const std::vector<ReadRun>& runs)
    : study_(std::move(study)) {
  for (KnownTrial& one : trials) {
    plans_.emplace(one.cell, one.row.plan);
    hashes_.emplace(one.cell, one.row.source_hash.value_or(""));
    if (!one.row.superseded) {
      add(std::move(one));
    }
  }
  std::set<std::string> files;
  for (const ReadRun& run : runs) {
    const RunText text = text_of_run(run);
    files.insert(file_of(run));
    if (run.found.record) {
      tables_[run.found.path].emplace(run.found.values, text);
    }
    const auto is_same = [&](const KnownTrial& one) { return text.is_of(one); };
    if (KnownTrial* same = find(by_place_, run.place, is_same)) {
      same->is_found = true;
      count(run);
    } else {
      for (const std::string& hash : text.hashes) {
        unplaced_.emplace(hash, text);
      }
    }
  }
  for (KnownTrial& one : trials_) {
    one.is_displaced = !one.is_found && !is_kept_elsewhere(one.place, files);
  }
}

bool KnownRuns::RunText::is_of(const KnownTrial& trial) const {
  return std::ranges::find(hashes, trial.row.source_hash.value_or("")) != hashes.end();
}

// The hashes that the run may have in its cell. Each is used only once those before it are.
KnownRuns::RunText KnownRuns::text_of_run(const ReadRun& run) const {
  RunText text{.run = &run, .hashes = {run.hash, named_hash(run.found, run.hash)}};
  while (hashes_.contains({run.cell->hash, text.hashes.back()})) {
    text.hashes.push_back(named_hash(run.found, text.hashes.back()));
  }
  return text;
}

void KnownRuns::add(KnownTrial trial) {
  by_place_.emplace(trial.place, trials_.size());
  trials_.push_back(std::move(trial));
  add_hash(trials_.size() - 1);
}

void KnownRuns::add_hash(std::size_t index) {
  const KnownTrial& trial = trials_[index];
  by_hash_.emplace(trial.row.source_hash.value_or(""), index);
  hashes_.emplace(trial.cell, trial.row.source_hash.value_or(""));
}

// The first trial with this key for which `is` holds; nullptr if there is none.
template <typename Is>
KnownTrial* KnownRuns::find(const Index& index, const std::string& key, const Is& is) {
  const auto range = index.equal_range(key);
  const auto one = std::find_if(
      range.first, range.second, [&](const auto& entry) { return is(trials_[entry.second]); });
  return one == range.second ? nullptr : &trials_[one->second];
}

void KnownRuns::count(const ReadRun& run) {
  counted_.emplace(copy_key(run), &run);
  twins_.emplace(run.hash, run.found.source);
}

// Whether each run that both tables name has equal values: tables that differ in one are of other
// runs, and the rest is equal by chance.
bool KnownRuns::are_copies(const std::string& path, const std::string& other) {
  const auto answer = copies_.try_emplace({path, other}, true);
  if (answer.second) {
    const auto& rows = tables_[path];
    answer.first->second = std::ranges::all_of(tables_[other], [&](const auto& row) {
      const auto same = rows.find(row.first);
      return same == rows.end() || same->second.run->hash == row.second.run->hash;
    });
  }
  return answer.first->second;
}

// The same for a table that was imported before, and one that is imported now.
// - file: place of the one before
bool KnownRuns::is_copy_of_known(const std::string& file, const std::string& path) {
  const auto answer = known_copies_.try_emplace({file, path}, true);
  if (answer.second) {
    answer.first->second = std::ranges::all_of(tables_[path], [&](const auto& row) {
      const std::string place = file + row.second.run->found.part;
      return !by_place_.contains(place) || find(by_place_, place, [&](const KnownTrial& one) {
                                             return row.second.is_of(one);
                                           }) != nullptr;
    });
  }
  return answer.first->second;
}

// Whether the run is the trial, whose file was renamed or copied.
bool KnownRuns::may_be(const KnownTrial& one, const RunText& text) {
  const FoundRun& found = text.run->found;
  const bool is_here = one.cell == text.run->cell->hash;
  if (!is_ok(*text.run) || !text.is_of(one) ||
      are_declared_apart(one.row, text.run->record.trial)) {
    return false;
  }
  const bool has_its_name = one.is_displaced || (is_here && has_same_name(one.place, found));
  if (!found.record) {
    return has_its_name;
  }
  const bool tells_all = !found.part.empty() && found.part == "#" + describe_values(found.values);
  return is_here && one.place.ends_with(found.part) && (has_its_name || tells_all) &&
         is_copy_of_known(one.place.substr(0, one.place.size() - found.part.size()), found.path);
}

// The trial that the run is, by its place or because its file was renamed or copied.
KnownTrial* KnownRuns::trial_of(const RunText& text) {
  const ReadRun& run = *text.run;
  const auto is_in_place = [&](const KnownTrial& one) {
    return text.is_of(one) && (is_ok(run) || one.cell == run.cell->hash);
  };
  if (KnownTrial* one = find(by_place_, run.place, is_in_place)) {
    return one;
  }
  for (const bool is_anywhere : {false, true}) {
    for (const std::string& hash : text.hashes) {
      const auto is_it = [&](const KnownTrial& one) {
        return !one.is_found && (is_anywhere || one.cell == run.cell->hash) && may_be(one, text);
      };
      if (KnownTrial* one = find(by_hash_, hash, is_it)) {
        return one;
      }
    }
  }
  return nullptr;
}

// The counted run that is the same run in another file; "" if none is.
std::string KnownRuns::copied_from(const ReadRun& run) {
  const auto range = counted_.equal_range(copy_key(run));
  const auto copy = std::find_if(range.first, range.second, [&](const auto& one) {
    const FoundRun& other = one.second->found;
    return is_ok(run) && other.path != run.found.path &&
           (!run.found.record || are_copies(other.path, run.found.path));
  });
  return copy == range.second ? "" : copy->second->found.source;
}

// Gives a run with the text of another one a hash of its own in its cell.
void KnownRuns::tell_from_twins(const RunText& text, ReadRun& run) {
  TrialRow& row = run.record.trial;
  if (!is_ok(run)) {
    return;
  }
  if (const auto twin = twins_.find(run.hash); twin != twins_.end()) {
    run.twin = twin->second;
  }
  const auto is_free = [&](const std::string& hash) {
    return find(by_hash_, hash, [&](const KnownTrial& one) {
             return one.cell == run.cell->hash && one.row.source_hash == hash;
           }) == nullptr;
  };
  row.source_hash = *std::ranges::find_if(text.hashes, is_free);  // the last one always is
  row.plan = row.plan == run.hash ? *row.source_hash : row.plan;
}

std::string KnownRuns::settle(ReadRun& run) {
  TrialRow& row = run.record.trial;
  const std::string& cell = run.cell->hash;
  const RunText text = text_of_run(run);
  KnownTrial* one = trial_of(text);
  const std::string original = copied_from(run);
  if (!original.empty() && (one == nullptr || one->place != run.place)) {
    run.effect = RunEffect::kKnown;
    run.known_as = original;
    return "";
  }
  if (one != nullptr) {
    run.effect = RunEffect::kKnown;
    const bool is_in_place = one->place == run.place;
    run.known_as = is_in_place ? run.found.source : one->row.source.value_or("");
    if (!one->is_found) {
      one->is_found = true;
      count(run);
    }
    if (one->cell != cell) {
      return fmt::format("has the same text as {}, which is of another cell", run.known_as);
    }
    return is_in_place && declared(one->row) != declared(row) ? was_declared_otherwise() : "";
  }
  KnownTrial* before = earlier_text(run);
  if (before != nullptr && before->is_excluded) {
    run.effect = RunEffect::kKnown;
    run.known_as = run.found.source;
    run.excluded_trial = before->row.id;
    before->is_found = true;
    return "";
  }
  tell_from_twins(text, run);
  count(run);
  if (std::string problem = collision(run, before); !problem.empty()) {
    return problem;
  }
  if (before != nullptr) {
    if (!is_declared_alike(before->row, row)) {
      return was_declared_otherwise();
    }
    run.effect = RunEffect::kChanged;
    run.known_as = run.found.source;
    row.plan = before->row.plan;
    row.attempt = before->row.attempt + 1;
    before->row = row;
    before->is_found = true;
    add_hash(static_cast<std::size_t>(before - trials_.data()));
    return "";
  }
  while (!row.has_block && plans_.contains({cell, row.plan})) {  // its log has another text now
    row.plan = text_hash(row.plan + " " + row.source.value_or(""));
  }
  plans_.emplace(cell, row.plan);
  add({.cell = cell, .row = row, .place = run.place, .is_found = true});
  return "";
}

// The trial that was last read from the run's file; none if its text is in another file now, since
// the file was only renamed then.
KnownTrial* KnownRuns::earlier_text(const ReadRun& run) {
  KnownTrial* last = nullptr;
  const auto in_place = by_place_.equal_range(run.place);
  for (auto entry = in_place.first; entry != in_place.second; ++entry) {
    KnownTrial& one = trials_[entry->second];
    last = one.cell == run.cell->hash ? &one : last;
  }
  if (last == nullptr || last->is_found) {
    return nullptr;
  }
  const auto moved = unplaced_.equal_range(last->row.source_hash.value_or(""));
  const bool has_moved = std::any_of(
      moved.first, moved.second, [&](const auto& entry) { return may_be(*last, entry.second); });
  return has_moved ? nullptr : last;
}

// Why the run cannot be beside the other trials of its cell.
std::string KnownRuns::collision(const ReadRun& run, const KnownTrial* replaced) const {
  const TrialRow& row = run.record.trial;
  if (!row.has_block && !row.has_order) {
    return "";
  }
  for (const KnownTrial& one : trials_) {
    if (one.cell != run.cell->hash || &one == replaced) {
      continue;
    }
    if (row.has_block && one.row.has_block && one.row.block == row.block) {
      return fmt::format(
          "block {} of {} is {} already", row.block, run.cell->label, one.row.source.value_or(""));
    }
    if (row.has_order && one.row.has_order && one.row.position == row.position) {
      return fmt::format("comes at the same place of the order as {}, in the same cell",
                         one.row.source.value_or(""));
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
