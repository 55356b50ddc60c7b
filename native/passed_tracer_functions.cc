// See passed_tracer_functions.h. A passed tracer is a value that JavaScript only passes back: the
// part of one thread, with the buffer into which this thread encodes events.
#include "passed_tracer_functions.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "flag_page.h"
#include "passed_tracer.h"
#include "provider.h"

namespace tracewright {
namespace {

struct Part {
  std::shared_ptr<PassedTracer> tracer;
  uint8_t* scratch;
  size_t scratch_size;
  Napi::Reference<Napi::Uint8Array> keeps_scratch;
};

Part& From(const Napi::Value& handle) { return *handle.As<Napi::External<Part>>().Data(); }

uint32_t Uint32(const Napi::Value& value) { return value.As<Napi::Number>().Uint32Value(); }

// { handle, words: Uint32Array of the tracepoints' indexes among the enabled words }
void SetPart(Napi::Object result, std::shared_ptr<PassedTracer> tracer, Napi::Uint8Array scratch) {
  Napi::Env env = result.Env();
  const std::vector<uint32_t>& words = tracer->Words();
  Napi::Uint32Array indexes = Napi::Uint32Array::New(env, words.size());
  for (size_t i = 0; i < words.size(); ++i) indexes[i] = words[i];
  result["words"] = indexes;
  auto part =
      new Part{std::move(tracer), scratch.Data(), scratch.ByteLength(), Napi::Persistent(scratch)};
  result["handle"] =
      Napi::External<Part>::New(env, part, [](Napi::Env, Part* gone) { delete gone; });
}

// passedTracerStart(id, descriptor, definitions: string[], scratch: Uint8Array)
// -> { error, failedAt } or { error: 0, failedAt, handle, words }
Napi::Value Start(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  auto texts = info[2].As<Napi::Array>();
  std::vector<std::string> definitions;
  for (uint32_t i = 0; i < texts.Length(); ++i) {
    definitions.push_back(texts.Get(i).ToString().Utf8Value());
  }
  PassedTracer::Started started = PassedTracer::Start(
      info[0].ToString().Utf8Value(), info[1].As<Napi::Number>().Int32Value(), definitions);
  Napi::Object result = Napi::Object::New(env);
  result["error"] = Napi::Number::New(env, started.error);
  result["failedAt"] = Napi::Number::New(env, static_cast<double>(started.failed_at));
  if (started.tracer) SetPart(result, std::move(started.tracer), info[3].As<Napi::Uint8Array>());
  return result;
}

// passedTracerJoin(id, scratch: Uint8Array) -> { handle, words }, or undefined if it has ended.
Napi::Value Join(const Napi::CallbackInfo& info) {
  std::shared_ptr<PassedTracer> tracer = PassedTracer::Find(info[0].ToString().Utf8Value());
  if (!tracer) return info.Env().Undefined();
  Napi::Object result = Napi::Object::New(info.Env());
  SetPart(result, std::move(tracer), info[1].As<Napi::Uint8Array>());
  return result;
}

// passedTracerWords() -> Uint32Array: all enabled words; undefined if the embedder forbids memory
// that V8 does not own.
Napi::Value Words(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  uint32_t* page = FlagPage::Words();
  napi_value buffer;
  if (page == nullptr ||
      napi_create_external_arraybuffer(
          env, page, FlagPage::kWords * sizeof(uint32_t), nullptr, nullptr, &buffer) != napi_ok) {
    return env.Undefined();
  }
  return Napi::Uint32Array::New(env, FlagPage::kWords, Napi::ArrayBuffer(env, buffer), 0);
}

// passedTracerKind(handle, text) -> number of the kind of events, or 0xffffffff
Napi::Value KindOf(const Napi::CallbackInfo& info) {
  uint32_t kind = From(info[0]).tracer->KindOf(info[1].ToString().Utf8Value());
  return Napi::Number::New(info.Env(), kind);
}

// passedTracerIsDescribed(handle, kind) -> boolean
Napi::Value IsDescribed(const Napi::CallbackInfo& info) {
  bool is_described = From(info[0]).tracer->IsDescribed(Uint32(info[1]));
  return Napi::Boolean::New(info.Env(), is_described);
}

// passedTracerWrite(handle, tracepoint, size, describes) -> undefined, or an error. It is called
// for every event, so it uses Node-API directly and creates no value on success.
napi_value Write(napi_env env, napi_callback_info info) {
  size_t count = 4;
  napi_value arguments[4];
  napi_get_cb_info(env, info, &count, arguments, nullptr, nullptr);
  void* data = nullptr;
  uint32_t tracepoint = 0;
  uint32_t size = 0;
  uint32_t describes = PassedTracer::kNoKind;
  napi_get_value_external(env, arguments[0], &data);
  napi_get_value_uint32(env, arguments[1], &tracepoint);
  napi_get_value_uint32(env, arguments[2], &size);
  napi_get_value_uint32(env, arguments[3], &describes);
  int error = provider::kNotRegistered;
  if (data != nullptr) {
    Part& part = *static_cast<Part*>(data);
    if (size <= part.scratch_size) {
      error = part.tracer->Write(tracepoint, part.scratch, size, describes);
    }
  }
  if (error == 0) return nullptr;
  napi_value result = nullptr;
  napi_create_int32(env, error, &result);
  return result;
}

// passedTracerDrop(handle): counts an event that could not be encoded.
void Drop(const Napi::CallbackInfo& info) { From(info[0]).tracer->Drop(); }

// passedTracerCounts(handle) -> { written, dropped }
Napi::Value Counts(const Napi::CallbackInfo& info) {
  PassedTracer::Counts counts = From(info[0]).tracer->Count();
  Napi::Object result = Napi::Object::New(info.Env());
  result["written"] = Napi::Number::New(info.Env(), static_cast<double>(counts.written));
  result["dropped"] = Napi::Number::New(info.Env(), static_cast<double>(counts.dropped));
  return result;
}

// passedTracerEnd(handle): ends it, for all threads.
void End(const Napi::CallbackInfo& info) { From(info[0]).tracer->End(); }

}  // namespace

void AddPassedTracerFunctions(Napi::Env env, Napi::Object exports) {
  exports["passedTracerStart"] = Napi::Function::New<Start>(env, "passedTracerStart");
  exports["passedTracerJoin"] = Napi::Function::New<Join>(env, "passedTracerJoin");
  exports["passedTracerWords"] = Napi::Function::New<Words>(env, "passedTracerWords");
  exports["passedTracerKind"] = Napi::Function::New<KindOf>(env, "passedTracerKind");
  exports["passedTracerIsDescribed"] =
      Napi::Function::New<IsDescribed>(env, "passedTracerIsDescribed");
  exports["passedTracerDrop"] = Napi::Function::New<Drop>(env, "passedTracerDrop");
  exports["passedTracerCounts"] = Napi::Function::New<Counts>(env, "passedTracerCounts");
  exports["passedTracerEnd"] = Napi::Function::New<End>(env, "passedTracerEnd");
  napi_value write;
  napi_create_function(env, "passedTracerWrite", NAPI_AUTO_LENGTH, Write, nullptr, &write);
  exports["passedTracerWrite"] = write;
}

}  // namespace tracewright
