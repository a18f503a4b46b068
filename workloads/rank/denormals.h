// Lets numbers too small for a normalised form (denormals) count as zero.
#pragma once

namespace scalestudy::rank {

// From here on this thread, and every thread started by it or by one of those, reads and writes
// denormals as zero, in float and double. Cores compute with them up to a hundred times slower, and
// training fills up with them: moments of an optimizer fall towards zero, and steps became more
// than twice as long within 2,000 of them. Without effect on processors other than x86-64 and
// AArch64.
// source: pthread_create(3), a thread inherits its creator's floating-point environment; Intel 64
// manual, volume 1, 10.2.3 (MXCSR); Arm architecture reference manual, FPCR.FZ.
void flush_denormals();

// Whether denormals count as zero on this thread, tried in float and double.
bool flushes_denormals();

}  // namespace scalestudy::rank
