// Memory of the CPU: where it lies and on which pages.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/catch.h"
#include "workloads/device/arena.h"

using namespace scalestudy;

namespace {

constexpr std::size_t kHugePage = std::size_t{1} << 21U;

// Whether the kernel may put huge pages behind this address: "hg" of its mapping in
// /proc/self/smaps. source: proc(5), VmFlags.
bool may_be_huge(const void* address) {
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  std::ifstream maps("/proc/self/smaps");
  bool is_inside = false;
  for (std::string line; std::getline(maps, line);) {
    const std::size_t dash = line.find('-');
    if (dash != std::string::npos && dash < line.find(' ')) {
      is_inside = std::stoull(line, nullptr, 16) <= wanted &&
                  wanted < std::stoull(line.substr(dash + 1), nullptr, 16);
    } else if (is_inside && line.rfind("VmFlags:", 0) == 0) {
      return (line + ' ').find(" hg ") != std::string::npos;
    }
  }
  return false;
}

}  // namespace

TEST_CASE("large buffers lie on huge pages, and the rest of the last one on small", "[device]") {
  if (!std::filesystem::exists("/sys/kernel/mm/transparent_hugepage")) {
    SUCCEED("this kernel has no huge pages");
    return;
  }
  const auto device = device::make_cpu_device();
  device::Arena arena(*device);

  const auto large = arena.take<std::byte>(2 * kHugePage + 1);
  const auto small = arena.take<std::byte>(kHugePage - 1);

  CHECK(reinterpret_cast<std::uintptr_t>(large.data()) % kHugePage == 0);
  CHECK(may_be_huge(large.data()));
  CHECK(may_be_huge(&large[2 * kHugePage - 1]));
  CHECK_FALSE(may_be_huge(&large[2 * kHugePage]));
  CHECK_FALSE(may_be_huge(small.data()));
}

TEST_CASE("buffers of any size are zero, aligned and apart", "[device]") {
  const auto device = device::make_cpu_device();
  device::Arena arena(*device);
  const std::size_t size = GENERATE(0, 1, 4097, kHugePage, kHugePage + 4097);

  const auto first = arena.take<char>(size);
  const auto second = arena.take<char>(size);

  CHECK(first.data() != second.data());
  CHECK(reinterpret_cast<std::uintptr_t>(first.data()) % 4096 == 0);
  CHECK(std::count(first.begin(), first.end(), 0) == static_cast<std::ptrdiff_t>(size));
}
