// Notices clients that wait at a listening socket because the thread that should accept them does
// not return to its event loop, and calls a function there in the middle of its JavaScript.
#pragma once

#include <napi.h>
#include <pthread.h>

#include <atomic>
#include <cstdint>

namespace tracewright {

class PortWatch {
 public:
  // Calls the function each time that a client has waited this long and none has been accepted
  // meanwhile. It runs at any point of any JavaScript, like the inspector's calls. Ends with the
  // environment. Returns 0 or -errno: -ENOTSUP if Node.js cannot be interrupted.
  static int Start(Napi::Env env, int listener, int patience_ms, Napi::Function function);
  // Call this before closing the listener.
  static void Stop(int listener);

  // A client has been accepted.
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
  // Whether a client is waiting, or arrives within this time; also false at the end of the watch.
  bool IsClientThere(int timeout_ms);
  // Returns whether the watch has ended.
  bool Pause();

  static std::atomic<uint32_t> accepted_;

  Napi::Env env_;
  Napi::FunctionReference function_;
  void* isolate_ = nullptr;
  int listener_;
  int patience_ms_;
  int stop_ = -1;  // an eventfd that ends the watch
  pthread_t thread_{};
  std::atomic<bool> is_pending_{false};  // an interrupt that has been requested
};

}  // namespace tracewright
