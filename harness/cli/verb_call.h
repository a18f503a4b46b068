// A verb as a user types it, for "next: ..." and other advice.
#pragma once

#include <string>

namespace scalestudy {

// How a verb is called on this results folder: "scalestudy --results 'my results' run STUDY".
std::string call_of(const std::string& results, const std::string& verb, const std::string& study);

}  // namespace scalestudy
