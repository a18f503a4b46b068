// A verb as a user types it, for "next: ..." and other advice.
#pragma once

#include <string>

namespace scalestudy {

// The command line of a verb on this results folder, quoted for a shell: "scalestudy --results
// 'my results' run STUDY". The default folder is left out.
std::string call_of(const std::string& results, const std::string& verb, const std::string& study);

}  // namespace scalestudy
