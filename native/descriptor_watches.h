// Tells JavaScript when a descriptor can be read or written, through the event loop that the
// environment has anyway. Watching does not keep the process running.
#pragma once

#include <napi.h>
#include <uv.h>

#include <unordered_map>

namespace tracewright {

class DescriptorWatches {
 public:
  // Ends with the environment.
  static DescriptorWatches* Create(Napi::Env env);
  DescriptorWatches(const DescriptorWatches&) = delete;
  DescriptorWatches& operator=(const DescriptorWatches&) = delete;

  // Has the function called with those of the events (1: can be read, 2: can be written) that there
  // are, as long as there are any. Takes the place of an earlier call for the descriptor. Returns 0
  // or -errno.
  int Watch(int fd, int events, Napi::Function function);
  // To be called before the descriptor is closed.
  void Unwatch(int fd);

 private:
  struct Entry;

  explicit DescriptorWatches(Napi::Env env);
  static void OnReady(uv_poll_t* poll, int status, int ready);
  void Call(const Entry& entry, int events);
  void End();
  void DeleteIfDone();

  Napi::Env env_;
  Napi::AsyncContext context_;
  napi_async_cleanup_hook_handle hook_ = nullptr;
  std::unordered_map<int, Entry*> entries_;
  size_t closing_ = 0;  // entries that the event loop still has in its hands
  bool is_ending_ = false;
};

}  // namespace tracewright
