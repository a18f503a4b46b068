// A page of docs/reference: compared with what the code says, or written from it.
#pragma once

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include <fmt/format.h>

#include "tests/support/catch.h"
#include "tests/support/program.h"

namespace scalestudy::test {

// Text as a cell of a Markdown table.
inline std::string table_cell(std::string text) {
  for (std::size_t at = 0; (at = text.find_first_of("|\n", at)) != std::string::npos; at += 2) {
    text.replace(at, 1, text[at] == '|' ? "\\|" : " ");
  }
  return text;
}

// Writes the page if SCALESTUDY_UPDATE_GOLDEN is set, as `./dev docs` does. Otherwise fails at the
// first line that differs.
inline void check_page(const std::string& name, const std::string& text) {
  const std::string path = SCALESTUDY_SOURCE_DIR "/docs/reference/" + name;
  if (std::getenv("SCALESTUDY_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path) << text;
    return;
  }
  std::istringstream wanted(text);
  std::istringstream found(read_file(path));
  std::string wanted_line;
  std::string found_line;
  for (int line = 1; wanted || found; ++line) {
    wanted_line = std::getline(wanted, wanted_line) ? wanted_line : "";
    found_line = std::getline(found, found_line) ? found_line : "";
    INFO(fmt::format("docs/reference/{}:{} is out of date: ./dev docs makes it anew", name, line));
    REQUIRE(found_line == wanted_line);
  }
}

}  // namespace scalestudy::test
