// NCCL's profiler plugin, called as NCCL calls it, and read as a confirm run reads it.
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

#include "harness/run/nccl/nccl_profile.h"
#include "tests/profiler/nccl_host.h"
#include "tests/support/catch.h"
#include "tests/support/program.h"

using namespace scalestudy;
using test::NcclHost;

namespace {

// A folder that the plugin writes to while this lives.
class Profile {
 public:
  // subfolder  that the files are to be in, and which is not there
  explicit Profile(const std::string& subfolder = "") {
    setenv("SCALESTUDY_NCCL_PROFILE", (folder_.path() / subfolder / "of.").c_str(), 1);
  }
  Profile(const Profile&) = delete;
  Profile& operator=(const Profile&) = delete;
  ~Profile() { unsetenv("SCALESTUDY_NCCL_PROFILE"); }

  const std::filesystem::path& folder() const { return folder_.path(); }

  // What this process's file holds; "" where there is none.
  std::string text() const {
    std::string text;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path())) {
      if (entry.is_directory()) {
        continue;
      }
      CHECK(entry.path().filename().string().ends_with("." + std::to_string(getpid())));
      std::ostringstream all;
      all << std::ifstream(entry.path()).rdbuf();
      text += all.str();
    }
    return text;
  }

  NcclTrace trace() const {
    NcclTrace trace;
    std::istringstream lines(text());
    read_nccl_profile(lines, trace);
    return trace;
  }

 private:
  test::TemporaryFolder folder_;
};

// A copy of the plugin: it remembers what it has told as long as it is loaded.
std::string new_plugin(const test::TemporaryFolder& folder) {
  const std::filesystem::path copy = folder.path() / "plugin.so";
  std::filesystem::copy_file(SCALESTUDY_NCCL_PROFILER, copy);
  return copy.string();
}

using Collective = NcclTrace::Collective;

}  // namespace

TEST_CASE("what NCCL chose is told by each version of its interface", "[profiler]") {
  for (const test::Layout& layout : test::kLayouts) {
    INFO("version " << layout.version);
    const test::TemporaryFolder folder;
    const Profile profile;
    const NcclHost nccl(new_plugin(folder), layout.version);
    REQUIRE(nccl.version() == layout.version);
    CHECK(std::string(nccl.name()) == "scalestudy");
    void* context = nullptr;
    CHECK(nccl.init(&context) == 6);  // collectives (2) and messages (4)
    REQUIRE(context != nullptr);
    nccl.other(context, 1);  // a group
    if (layout.has_numbers) {
      nccl.collective(context, "4", "1", "2", 2, 17);
      nccl.collective(context, "0", "6", "0", 1, 3);
    } else {
      nccl.collective(context, "AllReduce", "RING", "SIMPLE", 2, 17);
      nccl.collective(context, "Broadcast", "PAT", "LL", 1, 3);
    }
    nccl.message(context, layout.has_numbers ? "6" : "Send", 4);
    CHECK(nccl.finalize(context) == 0);

    const NcclTrace trace = profile.trace();
    CHECK(trace.has_profile);
    CHECK_FALSE(trace.has_started);
    // 17 warps of 32 threads are 544, 3 are 96. Versions 1 to 3 tell the most channels there may
    // be.
    const int is_count = layout.version < 4 ? 0 : 1;
    CHECK(trace.collectives ==
          std::set<Collective>{{"AllReduce", "RING", "SIMPLE", 2 * is_count, 544},
                               {"Broadcast", "PAT", "LL", 1 * is_count, 96}});
    CHECK(trace.message_channels == (layout.version < 4 ? std::set<int>() : std::set<int>{4}));
    CHECK_THAT(profile.text(),
               Catch::StartsWith("scalestudy-nccl-profile 1\ncommunicator abi=" +
                                 std::to_string(layout.version) + "\n"));
  }
}

TEST_CASE("the newest version that NCCL knows is taken", "[profiler]") {
  CHECK(NcclHost(SCALESTUDY_NCCL_PROFILER).version() == 5);
}

TEST_CASE("communicators and threads tell each thing once", "[profiler]") {
  const test::TemporaryFolder folder;
  const Profile profile;
  const NcclHost nccl(new_plugin(folder));
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&nccl, thread] {
      void* context = nullptr;
      nccl.init(&context);
      for (int call = 0; call < 200; ++call) {
        nccl.collective(context,
                        thread % 2 == 0 ? "AllReduce" : "AllGather",
                        "RING",
                        "LL",
                        static_cast<std::uint8_t>(1 + call % 4),
                        16);
      }
      nccl.finalize(context);
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  const NcclTrace trace = profile.trace();
  CHECK(trace.collectives.size() == 8);  // two functions, each of 1, 2, 3 and 4 channels
  const std::string text = profile.text();
  CHECK(std::ranges::count(text, '\n') == 10);  // with the header and the communicators' line
}

TEST_CASE("names that are none, or too much, end no program and make no line of their own",
          "[profiler]") {
  const test::TemporaryFolder folder;
  const Profile profile;
  const NcclHost nccl(new_plugin(folder));
  void* context = nullptr;
  nccl.init(&context);
  nccl.init(nullptr);
  const std::string longest(100'000, 'x');
  nccl.collective(context, nullptr, nullptr, nullptr, 0, 0);
  nccl.collective(nullptr, "Reduce", "Unknown", "Unknown", 255, 255);
  nccl.collective(context, "a b\ncollective c", "", "SIMPLE", 1, 1);
  nccl.collective(context, longest.c_str(), "RING", "LL", 1, 1);
  nccl.other(context, std::uint64_t{1} << 40U);

  CHECK(profile.text() ==
        "scalestudy-nccl-profile 1\n"
        "communicator abi=5\n"
        "collective - - - channels=0 threads=0\n"
        "collective Reduce - - channels=255 threads=8160\n"
        "collective a?b?collective?c - SIMPLE channels=1 threads=32\n"
        "collective xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx RING LL channels=1 threads=32\n");
  // Of a symmetric kernel neither is said.
  CHECK(profile.trace().collectives.contains({"Reduce", "", "", 255, 8160}));
  CHECK(profile.trace().collectives.contains({"a?b?collective?c", "", "", 1, 32}));
}

// As of a file system that comes back.
TEST_CASE("lines behind one that could not be written are read", "[profiler]") {
  const test::TemporaryFolder plugin;
  const Profile profile("later");
  const NcclHost nccl(new_plugin(plugin));
  void* context = nullptr;
  nccl.init(&context);
  CHECK(profile.text().empty());

  std::filesystem::create_directory(profile.folder() / "later");
  nccl.init(&context);
  nccl.collective(context, "AllReduce", "RING", "LL", 2, 4);

  const NcclTrace trace = profile.trace();
  CHECK(trace.has_profile);
  CHECK(trace.collectives == std::set<Collective>{{"AllReduce", "RING", "LL", 2, 128}});
}

TEST_CASE("a program with ever other sizes does not fill the disk", "[profiler]") {
  const test::TemporaryFolder folder;
  const Profile profile;
  const NcclHost nccl(new_plugin(folder));
  void* context = nullptr;
  nccl.init(&context);
  for (int channels = 1; channels <= 64; ++channels) {
    for (int warps = 1; warps <= 100; ++warps) {
      nccl.collective(context,
                      "AllReduce",
                      "RING",
                      "LL",
                      static_cast<std::uint8_t>(channels),
                      static_cast<std::uint8_t>(warps));
    }
  }
  const std::string text = profile.text();
  CHECK(std::ranges::count(text, '\n') == 4097);  // 4096 and the header
}

TEST_CASE("without being asked for it writes nothing and wants no events", "[profiler]") {
  const test::TemporaryFolder folder;
  const NcclHost nccl(new_plugin(folder));
  void* context = nullptr;
  CHECK(nccl.init(&context) == 0);
  CHECK(context != nullptr);
  nccl.collective(context, "AllReduce", "RING", "LL", 1, 16);
  CHECK(Profile().text().empty());
}

TEST_CASE("a file that cannot be written ends no program", "[profiler]") {
  const test::TemporaryFolder folder;
  const NcclHost nccl(new_plugin(folder));
  setenv("SCALESTUDY_NCCL_PROFILE", "/no/such/folder/of.", 1);
  void* context = nullptr;
  CHECK(nccl.init(&context) == 6);
  nccl.collective(context, "AllReduce", "RING", "LL", 1, 16);
  CHECK(nccl.finalize(context) == 0);
  unsetenv("SCALESTUDY_NCCL_PROFILE");
}

TEST_CASE("text that is not of the format says nothing", "[profiler]") {
  const auto read = [](const std::string& text) {
    NcclTrace trace;
    std::istringstream lines(text);
    read_nccl_profile(lines, trace);
    return trace;
  };
  const std::string line = "collective AllReduce RING LL channels=1 threads=512\n";
  CHECK(read("scalestudy-nccl-profile 1\n" + line).collectives.size() == 1);
  CHECK_FALSE(read("scalestudy-nccl-profile 1\n" + line).has_profile);
  CHECK(read("scalestudy-nccl-profile 2\n" + line).collectives.empty());
  CHECK(read(line).collectives.empty());
  for (const char* other : {"collective AllReduce RING LL channels=1",
                            "collective AllReduce RING channels=1 threads=512",
                            "collective AllReduce RING LL channels=99999999999 threads=512",
                            "collective AllReduce RING LL channels=-1 threads=512",
                            "collective AllReduce RING LL channels=1 threads=512 more"}) {
    INFO(other);
    CHECK(read("scalestudy-nccl-profile 1\n" + std::string(other) + "\n").collectives.empty());
  }
  // The example of workloads/profiler/FORMAT.md.
  std::ostringstream page;
  page << std::ifstream(SCALESTUDY_SOURCE_DIR "/workloads/profiler/FORMAT.md").rdbuf();
  const std::string text = page.str();
  const std::size_t begin = text.find("```\n") + 4;
  const NcclTrace example = read(text.substr(begin, text.find("```", begin) - begin));
  CHECK(example.has_profile);
  CHECK(example.message_channels == std::set<int>{2});
  CHECK(example.collectives == std::set<Collective>{{"AllReduce", "RING", "SIMPLE", 2, 544},
                                                    {"AllReduce", "", "", 4, 512}});
}
