// See port_watch.h. V8's interrupts are what Node.js's inspector uses for the same purpose.
// Node-API does not offer them, so their two functions are looked up by name: they have only taken
// and returned pointers since V8 3.
#include "linux/port_watch.h"

#include <dlfcn.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>

namespace tracewright {
namespace {

using Interruption = void (*)(void* isolate, void* data);
using CurrentIsolate = void* (*)();
using RequestInterrupt = void (*)(void* isolate, Interruption, void* data);

// The thread does almost nothing.
constexpr size_t kStackSize = 64 * 1024;

template <typename Function>
Function Find(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
}

CurrentIsolate FindCurrentIsolate() { return Find<CurrentIsolate>("_ZN2v87Isolate10GetCurrentEv"); }

RequestInterrupt FindRequestInterrupt() {
  static auto found = Find<RequestInterrupt>("_ZN2v87Isolate16RequestInterruptEPFvPS0_PvES2_");
  return found;
}

// By listener; used only by the thread that owns them.
std::map<int, PortWatch*> watches;

}  // namespace

std::atomic<uint32_t> PortWatch::accepted_{0};

PortWatch::PortWatch(Napi::Env env, int listener, int patience_ms, Napi::Function function)
    : env_(env),
      function_(Napi::Persistent(function)),
      listener_(listener),
      patience_ms_(patience_ms) {}

PortWatch::~PortWatch() {
  if (stop_ < 0) return;
  uint64_t one = 1;
  while (write(stop_, &one, sizeof one) < 0 && errno == EINTR) {
  }
  pthread_join(thread_, nullptr);
  close(stop_);
}

int PortWatch::Start(Napi::Env env, int listener, int patience_ms, Napi::Function function) {
  auto current = FindCurrentIsolate();
  if (!current || !FindRequestInterrupt()) return -ENOTSUP;
  Stop(listener);
  auto* watch = new PortWatch(env, listener, patience_ms, function);
  watch->isolate_ = current();
  int error = watch->isolate_ ? watch->Run() : -ENOTSUP;
  if (error) {
    delete watch;
    return error;
  }
  if (watches.empty()) {
    env.AddCleanupHook([] {
      while (!watches.empty()) Stop(watches.begin()->first);
    });
  }
  watches[listener] = watch;
  return 0;
}

void PortWatch::Stop(int listener) {
  auto found = watches.find(listener);
  if (found == watches.end()) return;
  PortWatch* watch = found->second;
  watches.erase(found);
  delete watch;
}

int PortWatch::Run() {
  int stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (stop < 0) return -errno;
  stop_ = stop;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, std::max<size_t>(kStackSize, PTHREAD_STACK_MIN));
  // Signals are for the other threads.
  sigset_t all, usual;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &usual);
  auto run = [](void* self) -> void* {
    static_cast<PortWatch*>(self)->Watch();
    return nullptr;
  };
  int error = pthread_create(&thread_, &attributes, run, this);
  pthread_sigmask(SIG_SETMASK, &usual, nullptr);
  pthread_attr_destroy(&attributes);
  if (!error) return 0;
  close(stop_);
  stop_ = -1;
  return -error;
}

void PortWatch::Watch() {
  while (true) {
    bool is_there = IsClientThere(-1);
    uint32_t accepted = accepted_.load(std::memory_order_relaxed);
    if (Pause()) return;
    if (!is_there || accepted != accepted_.load(std::memory_order_relaxed)) continue;
    if (IsClientThere(0)) Interrupt();
  }
}

bool PortWatch::IsClientThere(int timeout_ms) {
  pollfd wanted[] = {{listener_, POLLIN, 0}, {stop_, POLLIN, 0}};
  return poll(wanted, 2, timeout_ms) > 0 && wanted[0].revents != 0;
}

bool PortWatch::Pause() {
  pollfd over{stop_, POLLIN, 0};
  return poll(&over, 1, patience_ms_) > 0;
}

void PortWatch::Interrupt() {
  // If the thread runs no JavaScript, it is called when it does again.
  if (is_pending_.exchange(true)) return;
  auto call = [](void*, void* listener) {
    // The watch may have ended.
    auto found = watches.find(static_cast<int>(reinterpret_cast<intptr_t>(listener)));
    if (found != watches.end()) found->second->Call();
  };
  FindRequestInterrupt()(isolate_, call, reinterpret_cast<void*>(intptr_t{listener_}));
}

void PortWatch::Call() {
  is_pending_ = false;
  if (!IsClientThere(0)) return;
  Napi::HandleScope scope(env_);
  function_.Value().Call({});
  // An error concerns nobody: the interrupted JavaScript did not request anything.
  if (!env_.IsExceptionPending()) return;
  napi_value error;
  napi_get_and_clear_last_exception(env_, &error);
}

}  // namespace tracewright
