// The library behind products on the CPU.
#pragma once

namespace scalestudy::ops {

// "2.6.3", of oneDNN.
const char* onednn_version();

// Whether these cores multiply bf16 in hardware; else the library would do it in fp32, slower.
// DNNL_MAX_CPU_ISA can take it away.
bool has_bf16_products();

}  // namespace scalestudy::ops
