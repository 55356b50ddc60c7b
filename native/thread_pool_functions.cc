// See thread_pool_functions.h.
#include "thread_pool_functions.h"

#include <atomic>
#include <chrono>

namespace tracewright {
namespace {

using Clock = std::chrono::steady_clock;

// Work that does nothing but note when a thread of the pool began with it. What a callback of
// JavaScript would measure includes how long the event loop was busy.
class Canary : public Napi::AsyncWorker {
 public:
  Canary(Napi::Float64Array delay, const Napi::Object& resource, const Napi::Function& done)
      : Napi::AsyncWorker(done, "ThreadPoolCanary", resource),
        array_(Napi::Persistent(delay)),
        delay_(reinterpret_cast<std::atomic<double>*>(delay.Data())) {}

 protected:
  void Execute() override {
    const std::chrono::duration<double, std::milli> waited = Clock::now() - queued_;
    delay_->store(waited.count(), std::memory_order_relaxed);
  }
  void OnOK() override { Callback().Call({}); }

 private:
  static_assert(std::atomic<double>::is_always_lock_free &&
                sizeof(std::atomic<double>) == sizeof(double));

  Clock::time_point queued_ = Clock::now();
  Napi::Reference<Napi::Float64Array> array_;  // keeps what delay_ points to
  std::atomic<double>* delay_;
};

// probeThreadPool(delay: Float64Array, resource: object, done: function()): writes into delay[0]
// how many milliseconds work has waited for a thread of the pool, as soon as one begins with it,
// and calls the function later; the resource is that of the callback.
void ProbeThreadPool(const Napi::CallbackInfo& info) {
  if (!info[0].IsTypedArray() || !info[1].IsObject() || !info[2].IsFunction()) return;
  const auto array = info[0].As<Napi::TypedArray>();
  if (array.TypedArrayType() != napi_float64_array || array.ElementLength() == 0) return;
  const auto delay = info[0].As<Napi::Float64Array>();
  (new Canary(delay, info[1].As<Napi::Object>(), info[2].As<Napi::Function>()))->Queue();
}

}  // namespace

void AddThreadPoolFunctions(Napi::Env env, Napi::Object exports) {
  exports["probeThreadPool"] = Napi::Function::New<ProbeThreadPool>(env, "probeThreadPool");
}

}  // namespace tracewright
