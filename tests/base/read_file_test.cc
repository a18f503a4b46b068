// A file as text.
#include "harness/base/read_file.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/support/catch.h"
#include "tests/support/program.h"

using scalestudy::read_file;
using scalestudy::why_unread;

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
  CHECK(why_unread("/") == "it is a folder");
  CHECK_FALSE(read_file("/nowhere/f"));
  CHECK(why_unread("/nowhere/f") == "there is no such file");
  CHECK(why_unread(std::string(300, 'f')) == "File name too long");
  CHECK_THROWS_WITH(scalestudy::read_given_file("/nowhere/f"),
                    "/nowhere/f: cannot be read; there is no such file");
}

TEST_CASE("a missing file of a working folder that was removed is told as such", "[base]") {
  const scalestudy::test::TemporaryFolder folder;
  const auto before = std::filesystem::current_path();
  const std::string gone = folder.file("gone");
  std::filesystem::create_directory(gone);
  std::filesystem::current_path(gone);
  std::filesystem::remove(gone);
  const std::string why = why_unread("f");
  std::filesystem::current_path(before);

  CHECK(why == "the working folder no longer exists");
}

TEST_CASE("a file that cannot be read to its end is refused and not taken as short", "[base]") {
  const std::string broken = "/proc/self/mem";  // reading at 0 fails with EIO

  CHECK_THROWS_WITH(read_file(broken),
                    Catch::Equals("/proc/self/mem: cannot be read to its end; look at the disk, or "
                                  "at the network that it is read over, and try again"));
  CHECK(scalestudy::read_system_file(broken).empty());
  std::ifstream folder("/");
  CHECK_THROWS_WITH(scalestudy::read_stream(folder, "standard input"),
                    Catch::StartsWith("standard input: cannot be read to its end"));
}

TEST_CASE("a named pipe or a socket is not waited for, the shell's pipes are read", "[base]") {
  const scalestudy::test::TemporaryFolder folder;
  const std::string pipe = folder.file("pipe");
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  CHECK_FALSE(read_file(pipe));
  CHECK(why_unread(pipe) == "it is a pipe");

  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  REQUIRE(write(ends[1], "text", 4) == 4);
  close(ends[1]);
  CHECK(read_file("/dev/fd/" + std::to_string(ends[0])) == "text");
  close(ends[0]);

  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  const std::string socket_path = folder.file("socket");
  std::ranges::copy(socket_path, address.sun_path);
  const int listening = socket(AF_UNIX, SOCK_STREAM, 0);
  REQUIRE(bind(listening, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0);
  CHECK_FALSE(read_file(socket_path));
  CHECK(why_unread(socket_path) == "it is a socket or a device");
  close(listening);
}
