// A library with NVML's names and four GPUs, two pairs of them joined by NVLink, for tests on
// machines without one: 0 and 1 by three links and one that is down, 2 and 3 by a switch, two links
// each. 0 and 2 read each other's memory over PCI Express, other pairs nothing.
#include <cstdint>
#include <cstring>

namespace {

// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): each is a GPU by its address
int numbers[4];

int index_of(void* device) {
  return static_cast<int>(static_cast<int*>(device) - numbers);
}

struct PciInfo {
  char legacy_bus_id[16];
  unsigned domain;
  unsigned bus;
  unsigned device;
  unsigned device_id;
  unsigned subsystem_id;
  char bus_id[32];
};

struct FieldValue {
  unsigned field;
  unsigned scope;
  std::int64_t timestamp;
  std::int64_t latency_us;
  int value_type;
  int result;
  std::uint64_t value;
};

int place(int gpu, PciInfo* info) {
  *info = {};
  info->bus = 0x10U * (static_cast<unsigned>(gpu) + 1);
  return 0;
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): NVML's names
extern "C" {

int nvmlInit_v2() {
  return 0;
}

int nvmlShutdown() {
  return 0;
}

int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = 4;
  return 0;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  *device = &numbers[index];
  return 0;
}

int nvmlDeviceGetP2PStatus(void* first, void* second, int capability, int* status) {
  const int a = index_of(first);
  const int b = index_of(second);
  const bool has_nvlink = (a == 0 && b == 1) || (a == 2 && b == 3);
  const bool can_read = has_nvlink || (a == 0 && b == 2);
  *status = (capability == 2 && has_nvlink) || (capability == 0 && can_read) ? 0 : 5;
  return 0;
}

int nvmlDeviceGetPciInfo_v3(void* device, PciInfo* info) {
  return place(index_of(device), info);
}

int nvmlDeviceGetNvLinkState(void* device, unsigned link, int* is_active) {
  const bool is_direct = index_of(device) < 2;
  if (link >= (is_direct ? 4U : 2U)) {
    return 2;  // NVML_ERROR_INVALID_ARGUMENT
  }
  *is_active = is_direct && link == 1 ? 0 : 1;
  return 0;
}

int nvmlDeviceGetNvLinkRemoteDeviceType(void* device, unsigned /*link*/, int* type) {
  *type = index_of(device) < 2 ? 0 : 2;
  return 0;
}

int nvmlDeviceGetNvLinkRemotePciInfo_v2(void* device, unsigned /*link*/, PciInfo* info) {
  return place(1 - index_of(device), info);
}

int nvmlDeviceGetFieldValues(void* device, int count, FieldValue* values) {
  if (count != 1 || values->field != 90) {
    return 2;
  }
  values->result = 0;
  values->value = index_of(device) < 2 ? 25'781 : 26'562;
  return 0;
}

int nvmlDeviceGetMaxPcieLinkGeneration(void* device, unsigned* generation) {
  *generation = index_of(device) == 2 ? 4 : 5;
  return 0;
}

int nvmlDeviceGetMaxPcieLinkWidth(void* /*device*/, unsigned* width) {
  *width = 16;
  return 0;
}
}
// NOLINTEND(readability-identifier-naming)
