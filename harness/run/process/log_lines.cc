#include "harness/run/process/log_lines.h"

#include <limits>
#include <vector>

namespace scalestudy {

bool for_each_line(std::istream& log, const std::function<void(const std::string&)>& use) {
  constexpr std::streamsize line_bytes = std::streamsize{64} << 10U;
  constexpr std::streamsize log_bytes = std::streamsize{256} << 20U;
  std::vector<char> line(line_bytes + 1);
  for (std::streamsize left = log_bytes; left > 0;) {
    log.getline(line.data(), std::ssize(line));
    left -= log.gcount();
    if (log.fail() && log.gcount() == line_bytes) {  // the line goes on
      log.clear();
      log.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
      left -= log.gcount();
    } else if (log.fail()) {
      return !log.bad();
    }
    use(line.data());
  }
  return false;
}

}  // namespace scalestudy
