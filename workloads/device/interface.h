// The base of interfaces.
#pragma once

namespace scalestudy::device {

// What implements an interface is deleted through it, and never copied.
class Interface {
 public:
  Interface() = default;
  Interface(const Interface&) = delete;
  Interface& operator=(const Interface&) = delete;
  virtual ~Interface() = default;
};

}  // namespace scalestudy::device
