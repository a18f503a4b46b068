// A side of `compare` as it is written on the command line, its sessions, and what two sides must
// not share.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "harness/analysis/studies/sides.h"
#include "harness/cli/terminal.h"

namespace scalestudy {

// The parts of "[FOLDER:]STUDY[@SESSIONS]".
struct SideArgument {
  std::string folder;  // results folder; "" if none is given
  std::string study;
  std::optional<std::string> sessions;  // absent without an @, which means all
};

SideArgument parse_side(std::string text);

// The ids in a list such as "3,5-7"; absent if the text is no such list.
std::optional<std::set<std::int64_t>> parse_ids(const std::string& text);

// The sessions that the text selects, without those that ran no trial that counts. Warns of ids
// that no session has. Throws Error{kUsage} if it selects none.
Side load_side(const SideArgument& text, Terminal& terminal);

// A warning if the sides share all their sessions: that is one set beside itself. "" if they share
// none. Verdicts take the sides as independent.
// - name_a, name_b: "[FOLDER:]STUDY", as it can be typed
// - throws: Error{kUsage} if they share some.
std::string shared_sessions(const Side& a,
                            const Side& b,
                            const std::string& name_a,
                            const std::string& name_b);

}  // namespace scalestudy
