// A file as text.
#include "harness/base/read_file.h"

#include "tests/support/catch.h"
#include "tests/support/program.h"

using scalestudy::read_file;

TEST_CASE("a file is read to its end, zero bytes and all", "[base]") {
  const scalestudy::test::TemporaryFolder folder;
  const std::string text = std::string("a\0b\r\n", 5);
  scalestudy::test::write_file(folder.file("f"), text);
  scalestudy::test::write_file(folder.file("empty"), "");

  CHECK(read_file(folder.file("f")) == text);
  CHECK(read_file(folder.file("empty")) == "");
  CHECK(read_file("/proc/self/status").value_or("").starts_with("Name:"));
}

TEST_CASE("a file without an end is refused and not read on and on", "[base]") {
  CHECK_THROWS_WITH(read_file("/dev/zero"),
                    Catch::Equals("/dev/zero: longer than 64 MiB, which nothing of ours is"));
}

TEST_CASE("a folder and a missing file give nothing", "[base]") {
  CHECK_FALSE(read_file("/"));
  CHECK_FALSE(read_file("/nowhere/f"));
}
