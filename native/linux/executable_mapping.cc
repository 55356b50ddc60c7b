// See executable_mapping.h.
#include "linux/executable_mapping.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

namespace tracewright {

int MapLikeDotNet() {
  int fd = memfd_create("doublemapper", MFD_CLOEXEC);
  if (fd < 0) return -errno;
  auto size = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  int error = 0;
  if (ftruncate(fd, static_cast<off_t>(size)) != 0 ||
      mmap(nullptr, size, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0) == MAP_FAILED)
    error = -errno;
  // The mapping no longer needs it.
  close(fd);
  return error;
}

}  // namespace tracewright
