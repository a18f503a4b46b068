// What two stores hold together.
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

// A file of a trial's output, relative to the one and the other results folder.
struct CarriedFile {
  std::string from;
  std::string to;
};

struct Merged {
  StoreContent content;
  bool has_changed = false;        // whether `into` lacked anything
  std::int64_t taken = 0;          // attempts that have run and `into` did not know to have
  std::int64_t known = 0;          // attempts that have run, in both
  std::vector<CarriedFile> files;  // of those taken; their log rows name `to`
};

// Adds to `into` what `from` has more. A session is known by its uid, an attempt by cell, plan,
// block and attempt, a publication by its hash. An attempt that has run takes the place of the same
// one planned, a session that has ended that of the same one running; of what may differ between
// machines without being another (the study file's path, a cell's label) the smaller text stays,
// and a cell is oversubscribed if it is so in one of both. Projections of both stay, of one
// session that of more trials. When that changes `into`, ids are given anew, in an order that
// follows from the content alone: merging in any order comes to the same.
// Studies that differ in trials.count alone are one, of the larger count.
//   throws  Error{kUsage} naming both stores and each thing that has the same name in both and is
//           not the same: a study, a session, an attempt, a published dataset.
Merged merge(NamedContent into, const NamedContent& from);

}  // namespace scalestudy
