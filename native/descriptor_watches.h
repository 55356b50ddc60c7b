// Notifies JavaScript when a descriptor can be read or written, through the environment's own event
// loop. Watching does not keep the process alive.
#pragma once

#include <napi.h>
#include <uv.h>

#include <unordered_map>

namespace tracewright {

class DescriptorWatches {
 public:
  // Destroyed with the environment.
  static DescriptorWatches* Create(Napi::Env env);
  DescriptorWatches(const DescriptorWatches&) = delete;
  DescriptorWatches& operator=(const DescriptorWatches&) = delete;

  // Calls the function with those of the events (1: readable, 2: writable) that apply, as long as
  // any do. Replaces an earlier call for the descriptor. Returns 0 or -errno.
  int Watch(int fd, int events, Napi::Function function);
  // Call this before closing the descriptor.
  void Unwatch(int fd);

 private:
  struct Entry;

  explicit DescriptorWatches(Napi::Env env);
  static void OnReady(uv_poll_t* poll, int status, int ready);
  void Call(const Entry& entry, int events);
  // While the event loop uses an entry, the environment must not go. Only then, because Deno frees
  // a hook that is removed at its call twice (ext/napi/node_api.rs, async_cleanup_handler).
  void HoldEnvironment();
  void End();
  void Closed();

  Napi::Env env_;
  napi_async_cleanup_hook_handle hook_ = nullptr;
  std::unordered_map<int, Entry*> entries_;
  size_t closing_ = 0;  // entries that the event loop still uses
  bool is_ending_ = false;
  bool is_over_ = false;  // the environment has let go
};

}  // namespace tracewright
