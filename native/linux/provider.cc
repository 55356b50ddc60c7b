// The Linux platform: user_events (CONFIG_USER_EVENTS, Linux 6.4 and later). One open file per
// tracepoint, one registration per enabled word, one write(2) per event.
//
// A tracepoint lives as long as a file that has registered it is open, so each has its own file: it
// goes when its last word is unregistered. If no more files can be opened, tracepoints share the
// one opened by Open, and stay until that is closed.
//
// A definition is the text of DIAG_IOCSREG's name_args. The first 4 bytes of an event receive the
// write index, the rest is its payload.
#include "provider.h"

#include <time.h>
#include <unistd.h>

#include <map>
#include <mutex>
#include <unordered_map>

#include "linux/recorder_notice.h"
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
// A recorder answers within a few milliseconds. One that hangs delays the program by this much,
// once.
constexpr int kRecorderMilliseconds = 1000;

struct Tracepoint {
  int fd;
  int words;
};
using Tracepoints = std::map<std::string, Tracepoint>;  // by definition

struct State {
  std::mutex mutex;
  int fd = -1;
  std::string path;
  int users = 0;
  Tracepoints tracepoints;
  std::unordered_map<const uint32_t*, Tracepoints::iterator> by_word;
};

State* state = new State;  // leaked on purpose: writers may outlive every destructor

}  // namespace

const char* Name() { return "user_events"; }

OpenResult Open(const std::string& override_path, const std::string& recorder) {
  std::lock_guard<std::mutex> lock(state->mutex);
  if (state->fd < 0) {
    OpenedFile file = OpenUserEventsData(override_path);
    if (file.fd < 0 && !recorder.empty()) {
      file.fd = TracerOfRecorder(recorder, kRecorderMilliseconds);
    }
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
  close(state->fd);
  state->fd = -1;
}

namespace {

// The tracepoint, with one more word. This and the next function require the mutex.
Tracepoints::iterator Hold(const std::string& definition) {
  auto [tracepoint, is_new] = state->tracepoints.try_emplace(definition, Tracepoint{-1, 0});
  if (is_new) {
    int fd = OpenUserEventsData(state->path).fd;
    tracepoint->second.fd = fd < 0 ? state->fd : fd;
  }
  ++tracepoint->second.words;
  return tracepoint;
}

void LetGo(Tracepoints::iterator tracepoint) {
  if (--tracepoint->second.words > 0) return;
  if (tracepoint->second.fd != state->fd) close(tracepoint->second.fd);
  state->tracepoints.erase(tracepoint);
}

}  // namespace

int Register(uint32_t* word, const std::string& definition, Registration* registration) {
  std::lock_guard<std::mutex> lock(state->mutex);
  if (state->fd < 0) return kNotRegistered;
  Tracepoints::iterator tracepoint = Hold(definition);
  int fd = tracepoint->second.fd;
  int error = 0;
  uint32_t write_index = 0;
  int unstarted = Registrar::Run(
      [&] { error = RegisterWord(fd, word, kKernelBit, definition.c_str(), &write_index); });
  if (unstarted != 0) error = unstarted;
  if (error != 0) {
    LetGo(tracepoint);
    return error;
  }
  state->by_word[word] = tracepoint;
  *registration = {word, static_cast<intptr_t>(write_index), fd};
  return 0;
}

void Unregister(const Registration& registration) {
  std::lock_guard<std::mutex> lock(state->mutex);
  Registrar::Run([&] { UnregisterWord(registration.file, registration.word, kKernelBit); });
  auto held = state->by_word.find(registration.word);
  if (held == state->by_word.end()) return;
  LetGo(held->second);
  state->by_word.erase(held);
}

int Write(const Registration& registration, uint8_t* data, size_t size) {
  if (registration.word == nullptr) return kNotRegistered;
  return WriteEvent(registration.file, static_cast<uint32_t>(registration.event), data, size);
}

// On Linux, nobody is notified when a tracer comes or goes.
void AddCommandListener(const void*, CommandListener) {}
void RemoveCommandListener(const void*) {}

bool LastCommand(const uint8_t*, Command*) { return false; }

int ThreadActivityId(uint32_t, uint8_t*) { return kUnsupported; }

double ThreadCpuMilliseconds(uint32_t thread) {
  // The clock of any thread, as pthread_getcpuclockid makes it from the kernel's id: the precise
  // clock (2) of one thread (4).
  clockid_t clock =
      thread == 0 ? CLOCK_THREAD_CPUTIME_ID : static_cast<clockid_t>((~thread << 3) | 6);
  timespec time{};
  if (clock_gettime(clock, &time) != 0) return 0;
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

}  // namespace tracewright::provider
