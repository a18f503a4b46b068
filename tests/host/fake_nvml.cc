// A library with NVML's names and two GPUs, for tests on machines without one.
#include <cstring>

// NOLINTBEGIN(readability-identifier-naming): NVML's names
extern "C" {

int nvmlInit_v2() {
  return 0;
}

int nvmlShutdown() {
  return 0;
}

int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = 2;
  return 0;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  static int devices[2];
  *device = &devices[index];
  return 0;
}

int nvmlDeviceGetName(void* /*device*/, char* name, unsigned length) {
  std::strncpy(name, "Fake GPU", length);
  return 0;
}

int nvmlDeviceGetUUID(void* device, char* uuid, unsigned length) {
  void* first = nullptr;
  nvmlDeviceGetHandleByIndex_v2(0, &first);
  std::strncpy(uuid, device == first ? "GPU-6f1c" : "GPU-77aa", length);
  return 0;
}

// NVLink (capability 2) does not join them, reading (0) does.
int nvmlDeviceGetP2PStatus(void* /*first*/, void* /*second*/, int capability, int* status) {
  *status = capability == 0 ? 0 : 5;
  return 0;
}

int nvmlDeviceGetMaxPcieLinkGeneration(void* /*device*/, unsigned* generation) {
  *generation = 5;
  return 0;
}

int nvmlDeviceGetMaxPcieLinkWidth(void* /*device*/, unsigned* width) {
  *width = 16;
  return 0;
}

// Each GPU is near the memory of a NUMA node of its own.
int nvmlDeviceGetMemoryAffinity(void* device,
                                unsigned size,
                                unsigned long* nodes,  // NOLINT(google-runtime-int): as NVML's
                                unsigned scope) {
  void* first = nullptr;
  nvmlDeviceGetHandleByIndex_v2(0, &first);
  *nodes = device == first ? 1 : 2;
  return size == 1 && scope == 0 ? 0 : 2;
}

// GPU 0 is slowed by heat (0x40) every second time it is asked and at its power limit (0x4) always;
// GPU 1 is idle (0x1).
int nvmlDeviceGetCurrentClocksThrottleReasons(void* device, unsigned long long* reasons) {
  static int first_device_asked = 0;
  void* first = nullptr;
  nvmlDeviceGetHandleByIndex_v2(0, &first);
  *reasons = device != first ? 0x1U : 0x4U | (first_device_asked++ % 2 == 0 ? 0x40U : 0x0U);
  return 0;
}

int nvmlDeviceGetClockInfo(void* /*device*/, int type, unsigned* megahertz) {
  *megahertz = 1000;
  return type == 1 ? 0 : 3;
}

int nvmlDeviceGetPowerUsage(void* /*device*/, unsigned* milliwatts) {
  *milliwatts = 250'000;
  return 0;
}

// Hotter each time.
int nvmlDeviceGetTemperature(void* /*device*/, int /*sensor*/, unsigned* degrees) {
  static unsigned asked = 60;
  *degrees = asked++;
  return 0;
}

// 500 J more each time.
int nvmlDeviceGetTotalEnergyConsumption(void* /*device*/, unsigned long long* millijoules) {
  static unsigned long long used = 0;
  *millijoules = used += 500'000;
  return 0;
}

int nvmlDeviceGetMemoryInfo(void* /*device*/, unsigned long long* total_free_used) {
  total_free_used[0] = 80'000;
  total_free_used[1] = 20'000;
  total_free_used[2] = 60'000;
  return 0;
}

// Not supported, as on some GPUs.
int nvmlDeviceGetUtilizationRates(void* /*device*/, unsigned* /*percents*/) {
  return 3;
}

int nvmlSystemGetDriverVersion(char* version, unsigned length) {
  std::strncpy(version, "580.1", length);
  return 0;
}

int nvmlSystemGetCudaDriverVersion_v2(int* version) {
  *version = 13020;
  return 0;
}
}
// NOLINTEND(readability-identifier-naming)
