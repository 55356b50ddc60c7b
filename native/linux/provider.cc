// The Linux platform: user_events (CONFIG_USER_EVENTS, Linux 6.4 and later). One open file a
// process, one tracepoint registration an enabled word, one write(2) an event.
//
// A definition is the text of DIAG_IOCSREG's name_args. The first 4 bytes of an event are filled
// with the write index, the rest is its payload.
#include "provider.h"

#include <unistd.h>

#include <atomic>
#include <mutex>

#include "linux/registrar.h"
#include "linux/tracefs.h"
#include "linux/user_events.h"

namespace tracewright::provider {
namespace {

using linux_user_events::OpenedFile;
using linux_user_events::OpenUserEventsData;
using linux_user_events::RegisterWord;
using linux_user_events::Registrar;
using linux_user_events::UnregisterWord;
using linux_user_events::WriteEvent;

constexpr uint8_t kKernelBit = 0;

struct State {
  std::mutex mutex;  // guards all but the descriptor's use by writers
  std::atomic<int> fd{-1};
  std::string path;
  int users = 0;
};

State* state = new State;  // leaked on purpose: writers may outlive every destructor

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
      [&] { error = RegisterWord(state->fd, word, kKernelBit, definition.c_str(), &write_index); });
  if (unstarted != 0) return unstarted;
  if (error != 0) return error;
  *registration = {word, static_cast<intptr_t>(write_index)};
  return 0;
}

void Unregister(const Registration& registration) {
  std::lock_guard<std::mutex> lock(state->mutex);
  Registrar::Run([&] { UnregisterWord(state->fd, registration.word, kKernelBit); });
}

int Write(const Registration& registration, uint8_t* data, size_t size) {
  if (registration.word == nullptr) return kNotRegistered;
  int fd = state->fd.load(std::memory_order_relaxed);
  return WriteEvent(fd, static_cast<uint32_t>(registration.event), data, size);
}

// Nobody is told here when a tracer comes or goes.
void AddCommandListener(const void*, CommandListener) {}
void RemoveCommandListener(const void*) {}

int ThreadActivityId(uint32_t, uint8_t*) { return kUnsupported; }

}  // namespace tracewright::provider
