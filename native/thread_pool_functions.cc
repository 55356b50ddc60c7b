// See thread_pool_functions.h.
#include "thread_pool_functions.h"

#include <chrono>

namespace tracewright {
namespace {

using Clock = std::chrono::steady_clock;

// Work that does nothing but note when a thread of the pool began with it. What a callback of
// JavaScript would measure includes how long the event loop was busy.
class Canary : public Napi::AsyncWorker {
 public:
  Canary(const Napi::Object& resource, const Napi::Function& done)
      : Napi::AsyncWorker(done, "ThreadPoolCanary", resource) {}

 protected:
  void Execute() override { waited_ = Clock::now() - queued_; }
  void OnOK() override { Callback().Call({Napi::Number::New(Env(), waited_.count())}); }

 private:
  Clock::time_point queued_ = Clock::now();
  std::chrono::duration<double, std::milli> waited_{};
};

// probeThreadPool(resource: object, done: function(milliseconds)): calls the function with how long
// work has waited for a thread of the pool; the resource is that of the callback.
void ProbeThreadPool(const Napi::CallbackInfo& info) {
  if (!info[0].IsObject() || !info[1].IsFunction()) return;
  (new Canary(info[0].As<Napi::Object>(), info[1].As<Napi::Function>()))->Queue();
}

}  // namespace

void AddThreadPoolFunctions(Napi::Env env, Napi::Object exports) {
  exports["probeThreadPool"] = Napi::Function::New<ProbeThreadPool>(env, "probeThreadPool");
}

}  // namespace tracewright
