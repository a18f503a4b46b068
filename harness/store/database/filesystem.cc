#include "harness/store/database/filesystem.h"

#include <algorithm>
#include <array>

#include <sys/vfs.h>

namespace scalestudy {

bool is_network_filesystem(unsigned long magic) {
  // linux/magic.h and the file systems' own sources; statfs(2) lists them.
  constexpr std::array<unsigned long, 12> network{
      0x6969,      // NFS
      0x517b,      // SMB
      0xff534d42,  // CIFS
      0xfe534d42,  // SMB2
      0x65735546,  // FUSE
      0x00c36400,  // Ceph
      0x0bd00bd0,  // Lustre
      0x47504653,  // GPFS
      0x19830326,  // BeeGFS
      0x5346414f,  // AFS
      0x01021997,  // 9P: folders of virtual machines and WSL
      0x20030528,  // OrangeFS
  };
  // f_type is signed and 32 bits wide on some systems: compare the low 32 bits.
  return std::find(network.begin(), network.end(), magic & 0xffffffffUL) != network.end();
}

bool is_on_network_filesystem(const std::filesystem::path& path) {
  struct statfs status {};
  return statfs(path.c_str(), &status) == 0 &&
         is_network_filesystem(static_cast<unsigned long>(status.f_type));
}

}  // namespace scalestudy
