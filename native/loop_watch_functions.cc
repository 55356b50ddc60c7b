// See loop_watch_functions.h. libuv's own count of the time that the loop waited lacks what was
// before each signal (src/unix/linux.c, uv__io_poll, starts anew after EINTR), and V8's profiler
// sends one per sample.
#include "loop_watch_functions.h"

#include <cerrno>

#ifndef _WIN32
#include <uv.h>

#include <cmath>
#include <utility>
#endif

namespace tracewright {
namespace {

#ifdef _WIN32

// V8's profiler suspends the thread there, and sends no signals.
class LoopWatch {
 public:
  int Start(Napi::Env, Napi::Float64Array) { return -ENOTSUP; }
  void Stop() {}
};

#else

constexpr double kNsPerMs = 1e6;

// Lives until the loop has closed it; the environment must not go before.
struct Watch {
  uv_prepare_t prepare;
  Napi::Reference<Napi::Float64Array> array;  // keeps what `time` points to
  double* time;
  napi_async_cleanup_hook_handle hook;

  // The loop calls this right before it asks the system for events.
  static void OnPrepare(uv_prepare_t* prepare) {
    double* time = static_cast<Watch*>(prepare->data)->time;
    if (std::isnan(*time)) *time = static_cast<double>(uv_hrtime()) / kNsPerMs;
  }

  void Close() {
    auto* handle = reinterpret_cast<uv_handle_t*>(&prepare);
    if (uv_is_closing(handle)) return;
    array.Reset();
    uv_close(handle, [](uv_handle_t* closed) {
      auto* self = static_cast<Watch*>(closed->data);
      napi_remove_async_cleanup_hook(self->hook);
      delete self;
    });
  }
};

// An environment's watch, if there is one.
class LoopWatch {
 public:
  int Start(Napi::Env env, Napi::Float64Array time) {
    Stop();
    uv_loop_t* loop = nullptr;
    napi_get_uv_event_loop(env, &loop);
    if (!loop) return UV_ENOTSUP;
    auto* watch = new Watch{};
    auto end = [](napi_async_cleanup_hook_handle, void* self) {
      static_cast<Watch*>(self)->Close();
    };
    if (napi_add_async_cleanup_hook(env, end, watch, &watch->hook) != napi_ok) {
      delete watch;
      return UV_ENOTSUP;
    }
    uv_prepare_init(loop, &watch->prepare);
    watch->prepare.data = watch;
    uv_unref(reinterpret_cast<uv_handle_t*>(&watch->prepare));
    watch->array = Napi::Persistent(time);
    watch->time = time.Data();
    watch_ = watch;
    return uv_prepare_start(&watch->prepare, Watch::OnPrepare);
  }

  void Stop() {
    if (Watch* watch = std::exchange(watch_, nullptr)) watch->Close();
  }

 private:
  Watch* watch_ = nullptr;
};

#endif

LoopWatch& From(const Napi::CallbackInfo& info) { return *static_cast<LoopWatch*>(info.Data()); }

// watchLoop(time: Float64Array) -> error: from now on, whenever time[0] is not a number, it is set
// to the time at which the loop next asks the system for events, in milliseconds of uv_hrtime.
// Replaces an earlier call. The watch does not keep the process alive.
Napi::Value Start(const Napi::CallbackInfo& info) {
  int error = -EINVAL;
  if (info[0].IsTypedArray()) {
    const auto array = info[0].As<Napi::TypedArray>();
    if (array.TypedArrayType() == napi_float64_array && array.ElementLength() > 0)
      error = From(info).Start(info.Env(), info[0].As<Napi::Float64Array>());
  }
  return Napi::Number::New(info.Env(), error);
}

// unwatchLoop()
void Stop(const Napi::CallbackInfo& info) { From(info).Stop(); }

}  // namespace

void AddLoopWatchFunctions(Napi::Env env, Napi::Object exports) {
  auto* watch = new LoopWatch;
  env.AddCleanupHook(
      [](LoopWatch* self) {
        self->Stop();
        delete self;
      },
      watch);
  exports["watchLoop"] = Napi::Function::New<Start>(env, "watchLoop", watch);
  exports["unwatchLoop"] = Napi::Function::New<Stop>(env, "unwatchLoop", watch);
}

}  // namespace tracewright
