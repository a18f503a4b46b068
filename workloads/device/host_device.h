// Marks a small function that compiles for the host and, under nvcc, for the device as well.
#pragma once

// Always inlined on the host: a loop around a call is not vectorised.
#if defined(__CUDACC__)
#define SCALESTUDY_HOST_DEVICE __host__ __device__
#elif defined(__GNUC__)
#define SCALESTUDY_HOST_DEVICE __attribute__((always_inline))
#else
#define SCALESTUDY_HOST_DEVICE
#endif
