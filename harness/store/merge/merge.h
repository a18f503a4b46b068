// The union of two stores.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/store/rows/content_rows.h"

namespace scalestudy {

struct NamedContent {
  std::string name;  // for messages: the folder
  StoreContent content;
};

// A file of a trial's output to copy: its paths relative to both results folders.
struct CarriedFile {
  std::string from;
  std::string to;
};

struct Merged {
  StoreContent content;
  bool has_changed = false;        // whether `into` lacked anything
  std::int64_t taken = 0;          // attempts that have run, but not yet according to `into`
  std::int64_t known = 0;          // attempts that have run in both stores
  std::int64_t restored = 0;       // of those taken, the ones that `prune` had removed
  std::vector<CarriedFile> files;  // files of the attempts taken; their log rows name `to`
};

// Adds to `into` what only `from` has.
// - A session is identified by its uid, an attempt by cell, plan, block and attempt, and a
//   publication by its hash.
// - An attempt that has run replaces the same one planned; a session that has ended replaces the
//   same one running.
// - Texts that may differ between machines (the study file's path, a cell's label, an imported
//   trial's source): the smaller one stays. A cell is oversubscribed if it is so in either store.
// - A study's text and its cells that lack secrets, as an export has them, get those of the other.
// - Projections of both stay; of two from one session, the one that rests on more trials.
// - Studies that differ in trials.count alone are one study, with the larger count.
// - What one plan has run of a study is no longer planned by the others (unite_plans()).
// - If `into` changes, it gets new ids in an order that follows from the content alone, so that
//   merging in any order gives the same store.
// - throws: Error{kUsage} naming both stores and everything that has one name but differs: a study,
//   a session, an attempt, a published dataset; or if a study is imported in one alone.
Merged merge(NamedContent into, const NamedContent& from);

}  // namespace scalestudy
