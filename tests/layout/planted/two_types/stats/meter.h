#pragma once
namespace scalestudy {
struct Reading {
  int value = 0;
};
}  // namespace scalestudy
