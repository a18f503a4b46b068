// A long log of any bytes: the input, again and again, until it is about as long as a log may be.
#include <fstream>
#include <iterator>

#include "harness/run/outcome/outcome.h"
#include "harness/run/process/trial_files.h"
#include "harness/text/text.h"
#include "tests/fuzz/fuzz.h"

void scalestudy::test::fuzz(const std::string& input) {
  constexpr std::size_t most = std::size_t{32} << 20U;
  if (input.empty()) {
    return;
  }
  std::string text;
  text.reserve(most + (std::size_t{1} << 17U));
  // From 64 KiB below the limit to as much above it, as the first two bytes say.
  const std::size_t more = static_cast<unsigned char>(input.front()) * 512U + input.size() % 512U;
  const std::size_t length = most - (std::size_t{1} << 16U) + more;
  while (text.size() < length) {
    text += input.substr(0, length - text.size());
  }
  const std::string path = write_scratch("stdout", text);

  (void)printable(last_lines(read_tail(path), 20));
  const std::int64_t left_out = cap_log(path);

  const auto size = std::filesystem::file_size(path);
  require(size <= most + 100, "a log has an end");
  require((left_out == 0) == (size == text.size()), "what is left out is told");
  std::ifstream log = open_log(path);
  const std::string kept{std::istreambuf_iterator<char>(log), {}};
  const std::size_t head = left_out == 0 ? kept.size() : most / 2;
  require(text.starts_with(kept.substr(0, head)), "the head stays");
  require(text.ends_with(kept.substr(kept.size() - most / 2 + 100)), "the tail stays");
  require(replace_log(path, input), "a log can be replaced");
  require(std::filesystem::file_size(path) == input.size(), "by what is kept of it");
}
