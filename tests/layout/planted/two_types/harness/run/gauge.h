#pragma once
namespace scalestudy {
class Reading;
enum class Reading { kLow, kHigh };
}  // namespace scalestudy
