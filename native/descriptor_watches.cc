// See descriptor_watches.h.
#include "descriptor_watches.h"

#include <cerrno>
#include <utility>

namespace tracewright {

struct DescriptorWatches::Entry {
  uv_poll_t poll;
  int events;
  DescriptorWatches* owner;
  Napi::FunctionReference function;
};

DescriptorWatches::DescriptorWatches(Napi::Env env) : env_(env) {}

DescriptorWatches* DescriptorWatches::Create(Napi::Env env) {
  auto* watches = new DescriptorWatches(env);
  env.AddCleanupHook(
      [](DescriptorWatches* self) {
        self->End();
        self->is_over_ = true;
        if (self->closing_ == 0) delete self;
      },
      watches);
  return watches;
}

int DescriptorWatches::Watch(int fd, int events, Napi::Function function) {
  Entry*& entry = entries_[fd];
  if (!entry) {
    uv_loop_t* loop = nullptr;
    napi_get_uv_event_loop(env_, &loop);
    auto* fresh = new Entry;
    int error = loop && !is_ending_ ? uv_poll_init(loop, &fresh->poll, fd) : -ENOTSUP;
    if (error) {
      delete fresh;
      entries_.erase(fd);
      return error;
    }
    HoldEnvironment();
    fresh->owner = this;
    fresh->poll.data = fresh;
    uv_unref(reinterpret_cast<uv_handle_t*>(&fresh->poll));
    entry = fresh;
  }
  entry->events = events;
  entry->function = Napi::Persistent(function);
  return uv_poll_start(&entry->poll, events, OnReady);
}

void DescriptorWatches::OnReady(uv_poll_t* poll, int status, int ready) {
  auto* of = static_cast<Entry*>(poll->data);
  // A later system call reports the failure, after any bytes that arrived before it. libuv has
  // ended the watch.
  if (status < 0) uv_poll_start(poll, of->events, OnReady);
  of->owner->Call(*of, status < 0 ? UV_READABLE | UV_WRITABLE : ready);
}

void DescriptorWatches::Unwatch(int fd) {
  auto found = entries_.find(fd);
  if (found == entries_.end()) return;
  Entry* entry = found->second;
  entries_.erase(found);
  entry->function.Reset();
  ++closing_;
  uv_close(reinterpret_cast<uv_handle_t*>(&entry->poll), [](uv_handle_t* handle) {
    auto* closed = static_cast<Entry*>(handle->data);
    DescriptorWatches* owner = closed->owner;
    delete closed;
    owner->Closed();
  });
}

void DescriptorWatches::Call(const Entry& entry, int events) {
  Napi::HandleScope scope(env_);
  // Without an asynchronous context, which would be that of whichever request loaded the addon.
  napi_value ready = Napi::Number::New(env_, events);
  entry.function.Value().MakeCallback(env_.Global(), 1, &ready, nullptr);
  if (!env_.IsExceptionPending()) return;
  napi_value error;
  napi_get_and_clear_last_exception(env_, &error);
  napi_fatal_exception(env_, error);
}

void DescriptorWatches::HoldEnvironment() {
  if (hook_) return;
  auto end = [](napi_async_cleanup_hook_handle, void* self) {
    static_cast<DescriptorWatches*>(self)->End();
  };
  napi_add_async_cleanup_hook(env_, end, this, &hook_);
}

void DescriptorWatches::End() {
  is_ending_ = true;
  while (!entries_.empty()) Unwatch(entries_.begin()->first);
}

void DescriptorWatches::Closed() {
  if (--closing_ > 0 || !entries_.empty()) return;
  napi_async_cleanup_hook_handle hook = std::exchange(hook_, nullptr);
  if (is_over_) delete this;
  napi_remove_async_cleanup_hook(hook);
}

}  // namespace tracewright
