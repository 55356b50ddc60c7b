// See user_events.h.
#include "linux/user_events.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "provider.h"

namespace tracewright::linux_user_events {
namespace {

// Not every build machine has the kernel header, so its two structures are repeated here.
struct __attribute__((packed)) UserReg {
  uint32_t size;
  uint8_t enable_bit;
  uint8_t enable_size;
  uint16_t flags;
  uint64_t enable_addr;
  uint64_t name_args;
  uint32_t write_index;
};
static_assert(sizeof(UserReg) == 28, "struct user_reg of the user_events ABI");

struct __attribute__((packed)) UserUnreg {
  uint32_t size;
  uint8_t disable_bit;
  uint8_t reserved;
  uint16_t reserved2;
  uint64_t disable_addr;
};
static_assert(sizeof(UserUnreg) == 16, "struct user_unreg of the user_events ABI");

// The size encoded in the number is that of a pointer.
constexpr unsigned long kRegister = _IOC(_IOC_READ | _IOC_WRITE, '*', 0, sizeof(void*));
constexpr unsigned long kUnregister = _IOC(_IOC_WRITE, '*', 2, sizeof(void*));

}  // namespace

int RegisterWord(int fd, uint32_t* word, uint8_t bit, const char* definition,
                 uint32_t* write_index) {
  UserReg request{};
  request.size = sizeof request;
  request.enable_bit = bit;
  request.enable_size = sizeof *word;
  request.enable_addr = reinterpret_cast<uintptr_t>(word);
  request.name_args = reinterpret_cast<uintptr_t>(definition);
  if (ioctl(fd, kRegister, &request) != 0) return errno;
  *write_index = request.write_index;
  return 0;
}

void UnregisterWord(int fd, uint32_t* word, uint8_t bit) {
  UserUnreg request{};
  request.size = sizeof request;
  request.disable_bit = bit;
  request.disable_addr = reinterpret_cast<uintptr_t>(word);
  ioctl(fd, kUnregister, &request);
}

int WriteEvent(int fd, uint32_t write_index, uint8_t* data, size_t size) {
  memcpy(data, &write_index, sizeof write_index);
  ssize_t written;
  do {
    written = write(fd, data, size);
  } while (written < 0 && errno == EINTR);
  if (written >= 0) return static_cast<size_t>(written) == size ? 0 : EIO;
  if (errno != EBADF) return errno;
  // The kernel returns EBADF both for a tracepoint that nobody records and for a descriptor that is
  // gone.
  return fcntl(fd, F_GETFD) < 0 ? provider::kFileClosed : provider::kNobodyListens;
}

}  // namespace tracewright::linux_user_events
