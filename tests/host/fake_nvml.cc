// A library with NVML's names and two GPUs, for tests on machines without one.
#include <cstring>

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

int nvmlSystemGetDriverVersion(char* version, unsigned length) {
  std::strncpy(version, "580.1", length);
  return 0;
}

int nvmlSystemGetCudaDriverVersion_v2(int* version) {
  *version = 13020;
  return 0;
}
}
