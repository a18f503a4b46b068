#include "stats/status.h"

#include <stdexcept>

namespace scalestudy::stats {

std::string_view format_status(Status status) {
  switch (status) {
    case Status::kOk:
      return "ok";
    case Status::kInvalidInput:
      return "invalid_input";
    case Status::kInsufficientData:
      return "insufficient_data";
    case Status::kZeroVariance:
      return "zero_variance";
    case Status::kUnattainable:
      return "unattainable";
    case Status::kDegenerate:
      return "degenerate";
    case Status::kBounded:
      return "bounded";
    case Status::kUnboundedComplement:
      return "unbounded_complement";
    case Status::kUnboundedAll:
      return "unbounded_all";
    case Status::kKappaAtBound:
      return "kappa_at_bound";
    case Status::kSerialBelowZero:
      return "serial_below_zero";
    case Status::kNegativeComponent:
      return "negative_component";
    case Status::kNoSteadyState:
      return "no_steady_state";
    case Status::kAllTied:
      return "all_tied";
    case Status::kCrossed:
      return "crossed";
    case Status::kCrossedDown:
      return "crossed_down";
    case Status::kAlways:
      return "always";
    case Status::kNotReached:
      return "not_reached";
    case Status::kMultiple:
      return "multiple";
    case Status::kUnresolved:
      return "unresolved";
    case Status::kExtrapolated:
      return "extrapolated";
  }
  throw std::logic_error("format_status: not a Status");
}

}  // namespace scalestudy::stats
