// A full disk, for tests.
#pragma once

#include <csignal>

#include <sys/resource.h>

namespace scalestudy::test {

// As on a full disk: no file may grow beyond so many bytes.
class NoRoom {
 public:
  explicit NoRoom(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  NoRoom(const NoRoom&) = delete;
  NoRoom& operator=(const NoRoom&) = delete;
  ~NoRoom() { setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

}  // namespace scalestudy::test
