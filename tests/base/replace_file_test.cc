// Writing a file, and what is said where that fails.
#include "harness/base/replace_file.h"

#include <cerrno>
#include <filesystem>
#include <string>

#include "tests/support/catch.h"
#include "tests/support/program.h"

using namespace scalestudy;
using Catch::Contains;

TEST_CASE("the message names what the errno means and what helps against that", "[base]") {
  const auto said = [](int error) { return cannot_write("there/f", error); };

  CHECK(said(ENAMETOOLONG) ==
        "there/f: cannot be written (File name too long); choose a folder with a shorter path, or "
        "shorter names");
  CHECK_THAT(said(EACCES), Contains("(Permission denied); get the right"));
  CHECK_THAT(said(ENOSPC), Contains("(No space left on device); free space"));
  CHECK_THAT(said(EDQUOT), Contains("(Disk quota exceeded); free space or raise your limit"));
  CHECK_THAT(said(EROFS), Contains("(Read-only file system)") && Contains("not read-only"));
  CHECK_THAT(said(ENOENT), Contains("(No such file or directory); make its folder first"));
  CHECK_THAT(said(ENOTDIR), Contains("(Not a directory); something else has that name"));
}

TEST_CASE("a file that cannot be replaced is told by its own errno", "[base]") {
  const test::TemporaryFolder folder;
  const std::string long_name(300, 'a');

  CHECK_THROWS_WITH(replace_file(folder.path() / long_name, "x"),
                    Contains("a: cannot be written (File name too long)"));
  CHECK_THROWS_WITH(replace_file(folder.path() / long_name / "f", "x"),
                    Contains("a: cannot be written (File name too long)"));
  std::filesystem::create_directory(folder.path() / "folder");
  test::write_file(folder.file("folder/f"), "x");
  CHECK_THROWS_WITH(replace_file(folder.path() / "folder", "x"), Contains("(Is a directory)"));
}

TEST_CASE("a file of the current folder is replaced by its mere name", "[base]") {
  const test::TemporaryFolder folder;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());

  CHECK_NOTHROW(replace_file("f", "text"));
  std::filesystem::current_path(before);

  CHECK(test::read_file(folder.file("f")) == "text");
}

TEST_CASE("writing over a file or device says which errno ended it", "[base]") {
  const test::TemporaryFolder folder;

  CHECK(overwrite(folder.path() / "f", "longer text") == 0);
  CHECK(overwrite(folder.path() / "f", "text") == 0);
  CHECK(test::read_file(folder.file("f")) == "text");
  CHECK(overwrite("/dev/full", "text") == ENOSPC);
  CHECK(overwrite(folder.path() / "none" / "f", "text") == ENOENT);
}
