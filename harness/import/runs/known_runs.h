// The runs that a store has of a study, so that none counts twice and none is lost.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/import/runs/import_runs.h"

namespace scalestudy {

struct KnownTrial {
  std::string cell;  // hash
  TrialRow row;
  std::string place{};        // place_of() its source
  bool is_excluded = false;   // by hand
  bool is_found = false;      // a log that is imported now is this trial's
  bool is_displaced = false;  // its file is gone, or was read now and has another text there
};

// Where the run of a source is, in whatever folder a command is typed: the source with its file's
// folder as an absolute path without symbolic links.
// - home: what a relative source is seen from.
std::string place_of(const std::string& source, const std::filesystem::path& home);

// The trials of the study with that name, earlier attempts included; none without a store.
// - home: as in RunsRequest
std::vector<KnownTrial> known_trials(const Store* store,
                                     const std::string& study,
                                     const std::filesystem::path& home);

// A run is known by its text, so that a log may be renamed after its import. Equal texts are of
// different runs if they are parts of one file, if their names give different values (an axis,
// run, block, order), or if an earlier import's file is still there under another name. A row of a
// table is known only with its own values, and if no run that both tables name differs.
class KnownRuns {
 public:
  // - trials: as known_trials() gives them.
  // - runs: all that are imported now, those to settle; they outlive this.
  KnownRuns(std::string study, std::vector<KnownTrial> trials, const std::vector<ReadRun>& runs);

  // Sets the run's effect and, of a further attempt, its plan and number; a new run is known from
  // then on. Returns why it cannot be a trial; "" if it can.
  std::string settle(ReadRun& run);

  [[nodiscard]] bool has_trial(const Cell& cell) const;

 private:
  using Index = std::multimap<std::string, std::size_t>;  // of trials_
  using Pair = std::pair<std::string, std::string>;
  struct RunText {
    const ReadRun* run = nullptr;
    std::vector<std::string> hashes;  // source hashes by which a trial of its cell has this text
    [[nodiscard]] bool is_of(const KnownTrial& trial) const;
  };
  [[nodiscard]] RunText text_of_run(const ReadRun& run) const;
  void add(KnownTrial trial);
  void add_hash(std::size_t index);
  template <typename Is>
  KnownTrial* find(const Index& index, const std::string& key, const Is& is);
  void count(const ReadRun& run);
  bool are_copies(const std::string& path, const std::string& other);
  bool is_copy_of_known(const std::string& file, const std::string& path);
  bool may_be(const KnownTrial& one, const RunText& text);
  KnownTrial* trial_of(const RunText& text);
  std::string copied_from(const ReadRun& run);
  void tell_from_twins(const RunText& text, ReadRun& run);
  KnownTrial* earlier_text(const ReadRun& run);
  [[nodiscard]] std::string collision(const ReadRun& run, const KnownTrial* replaced) const;
  [[nodiscard]] std::string was_declared_otherwise() const;

  std::string study_;
  std::vector<KnownTrial> trials_;  // last attempts
  Index by_place_;
  Index by_hash_;                                       // an attempt that was replaced stays in it
  std::set<Pair> hashes_;                               // by cell; of earlier attempts too
  std::set<Pair> plans_;                                // by cell
  std::multimap<std::string, const ReadRun*> counted_;  // runs that are trials, by copy_key()
  std::map<std::string, std::string> twins_;            // source of the first counted one, by hash
  std::multimap<std::string, RunText> unplaced_;        // not where a trial has them from, by hash
  std::map<std::string, std::map<NamedTexts, RunText>> tables_;  // rows by path and values
  std::map<Pair, bool> copies_;                                  // are_copies(), of two paths
  std::map<Pair, bool> known_copies_;                            // is_copy_of_known()
};

}  // namespace scalestudy
