// A profiler as NVTX knows it: loaded from $NVTX_INJECTION64_PATH, it writes "+name" for a range
// that begins and "-" for one that ends into $NVTX_RECORDER_FOLDER/ranges.PID.
#include <cstdlib>
#include <fstream>
#include <string>

#include <nvtx3/nvToolsExt.h>
#include <unistd.h>

namespace {

std::ofstream& ranges() {
  // NOLINTNEXTLINE(clang-analyzer-cplusplus.StringChecker): tests set it
  static std::ofstream file(std::string(std::getenv("NVTX_RECORDER_FOLDER")) + "/ranges." +
                            std::to_string(getpid()));
  return file;
}

int begin_range(const char* name) {
  ranges() << '+' << name << '\n' << std::flush;
  return 0;
}

int end_range() {
  ranges() << "-\n" << std::flush;
  return 0;
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): the name that NVTX looks for
extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(
    NvtxGetExportTableFunc_t export_table) {
  const auto* callbacks =
      static_cast<const NvtxExportTableCallbacks*>(export_table(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable table = nullptr;
  unsigned int size = 0;
  if (callbacks == nullptr ||
      callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &size) == 0) {
    return 0;
  }
  *table[NVTX_CBID_CORE_RangePushA] = reinterpret_cast<NvtxFunctionPointer>(begin_range);
  *table[NVTX_CBID_CORE_RangePop] = reinterpret_cast<NvtxFunctionPointer>(end_range);
  return 1;
}
