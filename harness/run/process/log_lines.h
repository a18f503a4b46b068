// The lines of a log that a stranger's program wrote.
#pragma once

#include <functional>
#include <istream>
#include <string>

namespace scalestudy {

// Calls `use` with each line, without its end; of a line over 64 KiB with its first 64 KiB. Returns
// whether the log was read to its end: not where reading failed, and not past 256 MiB.
bool for_each_line(std::istream& log, const std::function<void(const std::string&)>& use);

}  // namespace scalestudy
