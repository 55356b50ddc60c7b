// The functions that JavaScript sees. They are plain functions, never methods of a wrapped object,
// with the environment's state as their data pointer: the cheapest calls in Node-API.
#include <napi.h>

#include <memory>

#include "diagnostic_port_functions.h"
#include "environment.h"
#include "event_id_functions.h"
#include "flag_page.h"
#include "loop_watch_functions.h"
#include "passed_tracer_functions.h"
#include "provider.h"
#include "recorder_functions.h"
#include "thread_pool_functions.h"
#include "user_functions.h"

namespace tracewright {
namespace {

Environment& From(const Napi::CallbackInfo& info) {
  return *static_cast<Environment*>(info.Data());
}

uint32_t Uint32(const Napi::Value& value) {
  uint32_t result = FlagPage::kNone;
  napi_get_value_uint32(value.Env(), value, &result);
  return result;
}

// open(path: string, recorder: string) -> { error, path }: opens the kernel's tracer, with the
// recorder's help if this user may not. Both strings may be empty.
Napi::Value Open(const Napi::CallbackInfo& info) {
  provider::OpenResult result =
      From(info).Open(info[0].ToString().Utf8Value(), info[1].ToString().Utf8Value());
  Napi::Object object = Napi::Object::New(info.Env());
  object["error"] = Napi::Number::New(info.Env(), result.error);
  object["path"] = Napi::String::New(info.Env(), result.path);
  return object;
}

// words() -> Uint32Array: the enabled words.
Napi::Value Words(const Napi::CallbackInfo& info) { return From(info).Words(info.Env()); }

// allocate() -> index of a fresh word, 0xffffffff if there is none.
Napi::Value Allocate(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), From(info).Allocate());
}

// release(index): undoes register and allocate.
void Release(const Napi::CallbackInfo& info) { From(info).Release(Uint32(info[0])); }

// register(index, definition: Uint8Array, scratch: Uint8Array) -> error: binds the word to the
// defined event, and its events to the buffer into which they will be encoded.
Napi::Value Register(const Napi::CallbackInfo& info) {
  if (!info[1].IsTypedArray() || !info[2].IsTypedArray()) {
    return Napi::Number::New(info.Env(), provider::kNotRegistered);
  }
  auto definition = info[1].As<Napi::Uint8Array>();
  int error = From(info).Register(
      Uint32(info[0]),
      std::string(reinterpret_cast<const char*>(definition.Data()), definition.ByteLength()),
      info[2].As<Napi::Uint8Array>());
  return Napi::Number::New(info.Env(), error);
}

// onCommand(function): calls it with { provider, code, level, anyKeyword, allKeyword, filter, order
// } for each command to a provider of this process. The first function stays.
void OnCommand(const Napi::CallbackInfo& info) {
  if (info[0].IsFunction()) From(info).OnCommand(info[0].As<Napi::Function>());
}

bool IsGuid(const Napi::Value& value) {
  return value.IsTypedArray() && value.As<Napi::Uint8Array>().ByteLength() == 16;
}

// lastCommand(provider: Uint8Array of 16) -> the last enable or disable sent to the provider, as
// passed to onCommand's function, or undefined.
Napi::Value LastCommand(const Napi::CallbackInfo& info) {
  if (!IsGuid(info[0])) return info.Env().Undefined();
  return Environment::LastCommand(info.Env(), info[0].As<Napi::Uint8Array>().Data());
}

// threadActivityId(code, id: Uint8Array of 16) -> error: reads or changes the thread's activity id.
Napi::Value ThreadActivityId(const Napi::CallbackInfo& info) {
  int error = provider::kUnsupported;
  if (IsGuid(info[1])) {
    error = provider::ThreadActivityId(Uint32(info[0]), info[1].As<Napi::Uint8Array>().Data());
  }
  return Napi::Number::New(info.Env(), error);
}

// threadCpuMSec(thread) -> milliseconds: how long the thread with this id of the system has been on
// a processor; 0 is the calling thread, and the answer where that is unknown.
Napi::Value ThreadCpuMSec(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), provider::ThreadCpuMilliseconds(Uint32(info[0])));
}

// write(index, size) -> undefined, or an error: sends the first `size` bytes of the word's scratch
// buffer as one event. It is called for every event, so it uses Node-API directly and creates no
// value on success: together, this saves 5 % of an event's cost.
napi_value Write(napi_env env, napi_callback_info info) {
  size_t count = 2;
  napi_value arguments[2];
  void* environment;
  napi_get_cb_info(env, info, &count, arguments, nullptr, &environment);
  uint32_t index = FlagPage::kNone;
  uint32_t size = 0;
  napi_get_value_uint32(env, arguments[0], &index);
  napi_get_value_uint32(env, arguments[1], &size);
  int error = static_cast<Environment*>(environment)->Write(index, size);
  if (error == 0) return nullptr;
  napi_value result = nullptr;
  napi_create_int32(env, error, &result);
  return result;
}

template <Napi::Value (*Callback)(const Napi::CallbackInfo&)>
void Add(Napi::Object exports, const char* name, Environment* environment) {
  exports[name] = Napi::Function::New<Callback>(exports.Env(), name, environment);
}

template <void (*Callback)(const Napi::CallbackInfo&)>
void Add(Napi::Object exports, const char* name, Environment* environment) {
  exports[name] = Napi::Function::New<Callback>(exports.Env(), name, environment);
}

Napi::Object Init(Napi::Env env, Napi::Object exports) {
  auto* environment = new Environment;
  // No JavaScript runs after the hook, so nothing is left that could use the pointer.
  env.AddCleanupHook([](Environment* gone) { delete gone; }, environment);

  exports["platform"] = Napi::String::New(env, provider::Name());
  Napi::Object codes = Napi::Object::New(env);
  codes["unsupported"] = Napi::Number::New(env, provider::kUnsupported);
  codes["fileClosed"] = Napi::Number::New(env, provider::kFileClosed);
  codes["notRegistered"] = Napi::Number::New(env, provider::kNotRegistered);
  codes["nobodyListens"] = Napi::Number::New(env, provider::kNobodyListens);
  exports["codes"] = codes;
  Add<Open>(exports, "open", environment);
  Add<Words>(exports, "words", environment);
  Add<Allocate>(exports, "allocate", environment);
  Add<Release>(exports, "release", environment);
  Add<Register>(exports, "register", environment);
  Add<OnCommand>(exports, "onCommand", environment);
  Add<LastCommand>(exports, "lastCommand", environment);
  Add<ThreadActivityId>(exports, "threadActivityId", environment);
  Add<ThreadCpuMSec>(exports, "threadCpuMSec", environment);
  napi_value write;
  napi_create_function(env, "write", NAPI_AUTO_LENGTH, Write, environment, &write);
  exports["write"] = write;
  AddEventIdFunctions(env, exports);
  AddLoopWatchFunctions(env, exports);
  AddPassedTracerFunctions(env, exports);
  AddDiagnosticPortFunctions(env, exports);
  AddRecorderFunctions(env, exports);
  AddThreadPoolFunctions(env, exports);
  AddUserFunctions(env, exports);
  return exports;
}

}  // namespace
}  // namespace tracewright

static Napi::Object InitAddon(Napi::Env env, Napi::Object exports) {
  return tracewright::Init(env, exports);
}
NODE_API_MODULE(tracewright, InitAddon)
