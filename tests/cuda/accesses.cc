// Answers the calls that -fsanitize=thread puts at every access of memory: is the address allowed,
// and could another thread touch it at the same time?
#include <array>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include <link.h>

#include "tests/cuda/execution.h"
#include "tests/cuda/fake_gpu.h"

namespace scalestudy::test {
namespace {

constexpr const char* kWithout = " without a barrier between";

enum class Kind { kRead, kWrite };

// Who touched an element last.
struct Stamp {
  std::uint32_t block = 0;
  std::uint16_t thread = 0;
  std::uint16_t interval = 0;
};
constexpr std::uint16_t kSeveral = 0xFFFF;        // threads, in that interval
constexpr std::uint16_t kSeveralBlocks = 0xFFFE;  // at any time in this launch

// Kept at the address of an access of 1 or 2 bytes, and of every 4 bytes of a larger one: no buffer
// here is accessed in both ways.
struct Stamps {
  Stamp read;
  Stamp write;
};

bool is_of_another_block(const Stamp& stamp, const Running& own) {
  return stamp.block != own.block || stamp.thread == kSeveralBlocks;
}

bool is_concurrent(const Stamp& stamp, const Running& own) {
  return stamp.block >= own.first_block &&
         (is_of_another_block(stamp, own) ||
          (stamp.thread != own.thread && stamp.interval == own.interval));
}

std::string owner(const Stamp& stamp, const Running& own) {
  if (is_of_another_block(stamp, own)) {
    return "another block";
  }
  return stamp.thread == kSeveral ? "other threads" : "thread " + std::to_string(stamp.thread);
}

void check_order(Stamps& stamps, Kind kind, const Running& own) {
  if (is_concurrent(stamps.write, own)) {
    fail((kind == Kind::kRead ? "reads what " : "writes where ") + owner(stamps.write, own) +
         (kind == Kind::kRead ? " writes" : " writes too") + kWithout);
  }
  Stamp now{own.block, own.thread, own.interval};
  const bool is_read_too = is_concurrent(stamps.read, own);
  if (kind == Kind::kWrite) {
    if (is_read_too) {
      fail("writes what " + owner(stamps.read, own) + " reads" + kWithout);
    }
    stamps.write = now;
    return;
  }
  if (is_read_too) {
    now.thread = is_of_another_block(stamps.read, own) ? kSeveralBlocks : kSeveral;
  }
  stamps.read = now;
}

Stamps& global_stamps(std::uintptr_t address) {
  constexpr std::uintptr_t page = 4096;
  using Page = std::array<Stamps, page>;
  static std::unordered_map<std::uintptr_t, std::unique_ptr<Page>> pages;
  static std::uintptr_t last = 0;
  // NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): a cache of `pages`
  static Page* last_page = nullptr;
  if (last_page == nullptr || address / page != last) {
    std::unique_ptr<Page>& found = pages[address / page];
    if (found == nullptr) {
      found = std::make_unique<Page>();
    }
    last = address / page;
    last_page = found.get();
  }
  return (*last_page)[address % page];
}

// Of the module that holds this code: kernels' shared variables are among its variables, and its
// constants may be read.
struct Segments {
  Extent writable;
  Extent constant;
};

const Segments& segments() {
  static const Segments kSegments = [] {
    Segments result;
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t /*size*/, void* data) {
          const auto here = reinterpret_cast<std::uintptr_t>(&position);
          Segments own;
          bool is_own = false;
          for (int i = 0; i < info->dlpi_phnum; ++i) {
            const ElfW(Phdr)& header = info->dlpi_phdr[i];
            const std::uintptr_t begin = info->dlpi_addr + header.p_vaddr;
            const Extent extent{begin, begin + header.p_memsz};
            if (header.p_type == PT_LOAD && (header.p_flags & PF_W) != 0) {
              own.writable = extent;
              is_own = is_own || (here >= extent.begin && here < extent.end);
            } else if (header.p_type == PT_LOAD && (header.p_flags & PF_X) == 0) {
              own.constant = extent;  // the last of them holds the constants
            }
          }
          if (is_own) {
            *static_cast<Segments*>(data) = own;
          }
          return is_own ? 1 : 0;
        },
        &result);
    return result;
  }();
  return kSegments;
}

void check_shared(std::uintptr_t address, Kind kind, const Running& own) {
  const Extent& variables = segments().writable;
  static std::vector<Stamps> all(variables.end - variables.begin);
  Stamps& stamps = all[address - variables.begin];
  if (stamps.write.block != own.block) {
    stamps = {};
    if (kind == Kind::kRead) {
      fail("reads shared memory that no thread of its block has written");
    }
  }
  check_order(stamps, kind, own);
}

bool is_within(const Extent& extent, std::uintptr_t begin, std::size_t bytes) {
  return begin >= extent.begin && begin + bytes <= extent.end;
}

bool is_own(const Running& own, std::uintptr_t begin, std::size_t bytes, Kind kind) {
  const auto where = reinterpret_cast<std::uintptr_t>(&position);
  return is_within({own.stack_begin, own.stack_end}, begin, bytes) ||
         is_within({where, where + sizeof(position)}, begin, bytes) ||
         (kind == Kind::kRead && is_within({own.call_begin, own.call_end}, begin, bytes));
}

[[noreturn]] void refuse_place(std::uintptr_t begin, std::size_t bytes, Kind kind) {
  const std::string what =
      (kind == Kind::kRead ? "reads " : "writes ") + std::to_string(bytes) + " bytes of ";
  if (!is_device_address(begin)) {
    fail(what + "host memory");
  }
  const Extent extent = extent_at(begin);
  if (extent.end == 0) {
    fail(what + "device memory that nobody has");
  }
  const auto offset = static_cast<std::ptrdiff_t>(begin - extent.begin);
  fail(what + "device memory, " + std::to_string(offset) + " bytes behind the begin of " +
       std::to_string(extent.end - extent.begin));
}

void check_place(std::uintptr_t begin, std::size_t bytes, Kind kind) {
  if (!is_within(is_device_address(begin) ? extent_at(begin) : segments().writable, begin, bytes)) {
    refuse_place(begin, bytes, kind);
  }
}

void check(std::uintptr_t begin, std::size_t bytes, Kind kind, const Running& own) {
  if (is_own(own, begin, bytes, kind) ||
      (kind == Kind::kRead && is_within(segments().constant, begin, bytes))) {
    return;
  }
  check_place(begin, bytes, kind);
  const std::size_t step = bytes % 4 == 0 ? 4 : bytes % 2 == 0 ? 2 : 1;
  for (std::uintptr_t address = begin; address < begin + bytes; address += step) {
    if (is_device_address(address)) {
      check_order(global_stamps(address), kind, own);
    } else {
      check_shared(address, kind, own);
    }
  }
}

void access(const void* memory, std::size_t bytes, std::size_t alignment, Kind kind) {
  const Running* const own = running;
  if (own == nullptr) {
    return;
  }
  running = nullptr;
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  if (begin % alignment != 0) {
    fail("accesses " + std::to_string(bytes) + " bytes at an address that is no multiple of it");
  }
  check(begin, bytes, kind, *own);
  running = own;
}

}  // namespace

// Not recorded: atomic operations on one element do not disturb each other.
int exchange_atomically(int* at, int value) {
  const Running* const own = running;
  running = nullptr;
  check_place(reinterpret_cast<std::uintptr_t>(at), sizeof(int), Kind::kWrite);
  running = own;
  return std::exchange(*at, value);
}

}  // namespace scalestudy::test

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the compiler's names
#define SCALESTUDY_ACCESS(bytes)                                                    \
  void __tsan_read##bytes(const void* memory) {                                     \
    scalestudy::test::access(memory, bytes, bytes, scalestudy::test::Kind::kRead);  \
  }                                                                                 \
  void __tsan_write##bytes(void* memory) {                                          \
    scalestudy::test::access(memory, bytes, bytes, scalestudy::test::Kind::kWrite); \
  }

extern "C" {
SCALESTUDY_ACCESS(1)
SCALESTUDY_ACCESS(2)
SCALESTUDY_ACCESS(4)
SCALESTUDY_ACCESS(8)
SCALESTUDY_ACCESS(16)
void __tsan_read_range(const void* memory, std::size_t bytes) {
  scalestudy::test::access(memory, bytes, 1, scalestudy::test::Kind::kRead);
}
void __tsan_write_range(void* memory, std::size_t bytes) {
  scalestudy::test::access(memory, bytes, 1, scalestudy::test::Kind::kWrite);
}
void __tsan_init() {}
void __tsan_func_entry(const void* /*caller*/) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void** /*object*/, void* /*value*/) {}
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
