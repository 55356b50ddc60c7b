// Notices that clients wait at a listening socket because the thread that should accept them does
// not return to its event loop, and has a function called there amid the JavaScript that it runs.
#pragma once

#include <napi.h>
#include <pthread.h>

#include <atomic>
#include <cstdint>

namespace tracewright {

class PortWatch {
 public:
  // Has the function called as often as a client has waited for so long and nobody has been
  // accepted meanwhile. It runs at any point of any JavaScript, as what the inspector calls does.
  // Ends with the environment. Returns 0 or -errno: -ENOTSUP where Node.js cannot be interrupted.
  static int Start(Napi::Env env, int listener, int patience_ms, Napi::Function function);
  // To be called before the listener is closed.
  static void Stop(int listener);

  // Somebody has been accepted.
  static void CountAccepted() { accepted_.fetch_add(1, std::memory_order_relaxed); }

  PortWatch(const PortWatch&) = delete;
  PortWatch& operator=(const PortWatch&) = delete;

 private:
  PortWatch(Napi::Env env, int listener, int patience_ms, Napi::Function function);
  ~PortWatch();

  int Run();
  void Watch();
  void Interrupt();
  void Call();
  // Whether somebody waits, or comes in this time; false at the end of the watch, too.
  bool IsClientThere(int timeout_ms);
  // Returns whether the watch is over.
  bool Pause();

  static std::atomic<uint32_t> accepted_;

  Napi::Env env_;
  Napi::FunctionReference function_;
  void* isolate_ = nullptr;
  int listener_;
  int patience_ms_;
  int stop_ = -1;  // an eventfd: the watch is over
  pthread_t thread_{};
  std::atomic<bool> is_pending_{false};  // an interrupt that has been requested
};

}  // namespace tracewright
