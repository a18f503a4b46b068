// Values of NVML's enumerations, declared by hand from its reference (stable C interface).
#pragma once

namespace scalestudy {

inline constexpr int kNvmlSuccess = 0;     // nvmlReturn_t
inline constexpr int kNvmlPeerRead = 0;    // nvmlGpuP2PCapsIndex_t
inline constexpr int kNvmlPeerNvlink = 2;  // nvmlGpuP2PCapsIndex_t
inline constexpr int kNvmlPeerOk = 0;      // nvmlGpuP2PStatus_t

}  // namespace scalestudy
