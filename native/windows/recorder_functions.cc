// The addon's functions for recording on Windows. See windows/recorder.h.
#include "recorder_functions.h"

#include <cstring>

#include "provider.h"
#include "windows/recorder.h"

namespace tracewright {
namespace {

std::wstring WideText(const Napi::Value& value) {
  std::u16string text = value.ToString().Utf16Value();
  return {text.begin(), text.end()};
}

uint64_t Uint64(const Napi::Value& value) {
  bool lossless;
  return value.As<Napi::BigInt>().Uint64Value(&lossless);
}

Napi::Object Counts(Napi::Env env, ULONG error, const etw::SessionCounts& counts) {
  Napi::Object result = Napi::Object::New(env);
  result["error"] = Napi::Number::New(env, error);
  result["eventsLost"] = Napi::Number::New(env, counts.events_lost);
  result["buffersLost"] = Napi::Number::New(env, counts.buffers_lost);
  result["buffersWritten"] = Napi::Number::New(env, counts.buffers_written);
  return result;
}

// sessionStart(name: string, file: string, bufferKib, buffers, maxMib) -> { error, session: bigint
// }
Napi::Value Start(const Napi::CallbackInfo& info) {
  etw::SessionOptions options;
  options.name = WideText(info[0]);
  options.file = WideText(info[1]);
  options.buffer_kib = info[2].As<Napi::Number>().Uint32Value();
  options.buffers = info[3].As<Napi::Number>().Uint32Value();
  options.max_mib = info[4].As<Napi::Number>().Uint32Value();
  TRACEHANDLE session = 0;
  ULONG error = etw::StartSession(options, &session);
  Napi::Object result = Napi::Object::New(info.Env());
  result["error"] = Napi::Number::New(info.Env(), error);
  result["session"] = Napi::BigInt::New(info.Env(), static_cast<uint64_t>(session));
  return result;
}

// sessionEnable(session: bigint, provider: Uint8Array of 16, level, anyKeyword: bigint, stacks:
// boolean) -> error
Napi::Value Enable(const Napi::CallbackInfo& info) {
  auto bytes = info[1].As<Napi::Uint8Array>();
  GUID provider;
  if (bytes.ByteLength() != sizeof provider) {
    return Napi::Number::New(info.Env(), ERROR_INVALID_PARAMETER);
  }
  memcpy(&provider, bytes.Data(), sizeof provider);
  ULONG error = etw::EnableProvider(Uint64(info[0]),
                                    provider,
                                    static_cast<UCHAR>(info[2].As<Napi::Number>().Uint32Value()),
                                    Uint64(info[3]),
                                    info[4].ToBoolean());
  return Napi::Number::New(info.Env(), error);
}

// sessionStop(session: bigint) -> { error, eventsLost, buffersLost, buffersWritten }
Napi::Value Stop(const Napi::CallbackInfo& info) {
  etw::SessionCounts counts;
  ULONG error = etw::StopSession(Uint64(info[0]), &counts);
  return Counts(info.Env(), error, counts);
}

// sessionQuery(session: bigint): the same as sessionStop, but the session continues.
Napi::Value Query(const Napi::CallbackInfo& info) {
  etw::SessionCounts counts;
  ULONG error = etw::QuerySession(Uint64(info[0]), &counts);
  return Counts(info.Env(), error, counts);
}

// sessionFind(name: string) -> { error, file: string }
Napi::Value Find(const Napi::CallbackInfo& info) {
  std::wstring file;
  ULONG error = etw::FindSession(WideText(info[0]), &file);
  Napi::Object result = Napi::Object::New(info.Env());
  result["error"] = Napi::Number::New(info.Env(), error);
  result["file"] = Napi::String::New(info.Env(), std::u16string(file.begin(), file.end()));
  return result;
}

// sessionStopNamed(name: string) -> error
Napi::Value StopNamed(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), etw::StopSession(WideText(info[0])));
}

// awaitRecorder: not needed here. ETW enables a provider when it is registered.
Napi::Value Await(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), provider::kUnsupported);
}

}  // namespace

void AddRecorderFunctions(Napi::Env env, Napi::Object exports) {
  exports["sessionStart"] = Napi::Function::New<Start>(env, "sessionStart");
  exports["sessionEnable"] = Napi::Function::New<Enable>(env, "sessionEnable");
  exports["sessionStop"] = Napi::Function::New<Stop>(env, "sessionStop");
  exports["sessionQuery"] = Napi::Function::New<Query>(env, "sessionQuery");
  exports["sessionFind"] = Napi::Function::New<Find>(env, "sessionFind");
  exports["sessionStopNamed"] = Napi::Function::New<StopNamed>(env, "sessionStopNamed");
  exports["awaitRecorder"] = Napi::Function::New<Await>(env, "awaitRecorder");
}

}  // namespace tracewright
