// Marks a function that compiles for the host and, under nvcc, for the device as well.
#pragma once

#ifdef __CUDACC__
#define SCALESTUDY_HOST_DEVICE __host__ __device__
#else
#define SCALESTUDY_HOST_DEVICE
#endif
