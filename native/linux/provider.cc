// The Linux platform: user_events (CONFIG_USER_EVENTS, Linux 6.4 and later). One open file a
// process, one tracepoint registration an enabled word, one write(2) an event.
//
// A definition is the text of DIAG_IOCSREG's name_args. The first 4 bytes of an event are filled
// with the write index, the rest is its payload.
//
// Source of the numbers: the kernel's include/uapi/linux/user_events.h, 6.12, tried on 6.12
// and 7.3.
#include "provider.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>

#include "linux/registrar.h"
#include "linux/tracefs.h"

namespace tracewright::provider {
namespace {

using linux_user_events::OpenedFile;
using linux_user_events::OpenUserEventsData;
using linux_user_events::Registrar;

// The kernel header is not on every build machine, so its two structures stand here.
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

// The size encoded in the number is a pointer's.
constexpr unsigned long kRegister = _IOC(_IOC_READ | _IOC_WRITE, '*', 0, sizeof(void*));
constexpr unsigned long kUnregister = _IOC(_IOC_WRITE, '*', 2, sizeof(void*));
constexpr uint8_t kKernelBit = 0;

struct State {
  std::mutex mutex;  // guards all but the descriptor's use by writers
  std::atomic<int> fd{-1};
  std::string path;
  int users = 0;
};

State* state = new State;  // leaked on purpose: writers may outlive every destructor

int RegisterWord(int fd, uint32_t* word, const char* definition, uint32_t* write_index) {
  UserReg request{};
  request.size = sizeof request;
  request.enable_bit = kKernelBit;
  request.enable_size = sizeof *word;
  request.enable_addr = reinterpret_cast<uintptr_t>(word);
  request.name_args = reinterpret_cast<uintptr_t>(definition);
  if (ioctl(fd, kRegister, &request) != 0) return errno;
  *write_index = request.write_index;
  return 0;
}

void UnregisterWord(int fd, uint32_t* word) {
  UserUnreg request{};
  request.size = sizeof request;
  request.disable_bit = kKernelBit;
  request.disable_addr = reinterpret_cast<uintptr_t>(word);
  ioctl(fd, kUnregister, &request);
}

}  // namespace

const char* Name() { return "user_events"; }

OpenResult Open(const std::string& override_path) {
  std::lock_guard<std::mutex> lock(state->mutex);
  if (state->fd < 0) {
    OpenedFile file = OpenUserEventsData(override_path);
    if (file.fd < 0) return {file.error, file.path};
    state->fd = file.fd;
    state->path = file.path;
  }
  ++state->users;
  return {0, state->path};
}

void Close() {
  std::lock_guard<std::mutex> lock(state->mutex);
  if (--state->users > 0) return;
  close(state->fd.exchange(-1));
}

int Register(uint32_t* word, const std::string& definition, Registration* registration) {
  std::lock_guard<std::mutex> lock(state->mutex);
  if (state->fd < 0) return kNotRegistered;
  int error = 0;
  uint32_t write_index = 0;
  int unstarted = Registrar::Run(
      [&] { error = RegisterWord(state->fd, word, definition.c_str(), &write_index); });
  if (unstarted != 0) return unstarted;
  if (error != 0) return error;
  *registration = {word, static_cast<intptr_t>(write_index)};
  return 0;
}

void Unregister(const Registration& registration) {
  std::lock_guard<std::mutex> lock(state->mutex);
  Registrar::Run([&] { UnregisterWord(state->fd, registration.word); });
}

int Write(const Registration& registration, uint8_t* data, size_t size) {
  if (registration.word == nullptr) return kNotRegistered;
  auto write_index = static_cast<uint32_t>(registration.event);
  memcpy(data, &write_index, sizeof write_index);
  int fd = state->fd.load(std::memory_order_relaxed);
  if (write(fd, data, size) >= 0) return 0;
  if (errno != EBADF) return errno;
  // The kernel says EBADF both of a tracepoint that nobody records and of a descriptor that is
  // gone.
  return fcntl(fd, F_GETFD) < 0 ? kFileClosed : kNobodyListens;
}

// Nobody is told here when a tracer comes or goes.
void AddCommandListener(const void*, CommandListener) {}
void RemoveCommandListener(const void*) {}

int ThreadActivityId(uint32_t, uint8_t*) { return kUnsupported; }

}  // namespace tracewright::provider
