// The addon's functions for recording on Windows. See windows/recorder.h.
#include "recorder_functions.h"

#include <algorithm>
#include <cstring>

#include "provider.h"
#include "windows/real_time_functions.h"
#include "windows/recorder.h"
#include "windows/trace_list_functions.h"

namespace tracewright {
namespace {

std::wstring WideText(const Napi::Value& value) {
  std::u16string text = value.ToString().Utf16Value();
  return {text.begin(), text.end()};
}

Napi::String ToText(Napi::Env env, const std::wstring& text) {
  return Napi::String::New(env, std::u16string(text.begin(), text.end()));
}

uint64_t Uint64(const Napi::Value& value) {
  bool lossless;
  return value.As<Napi::BigInt>().Uint64Value(&lossless);
}

ULONG Uint32(const Napi::Value& value) { return value.As<Napi::Number>().Uint32Value(); }

// 16 bytes in the order of the struct; all zero if there are not as many.
GUID ToGuid(const Napi::Value& value) {
  auto bytes = value.As<Napi::Uint8Array>();
  GUID guid = {};
  if (bytes.ByteLength() == sizeof guid) memcpy(&guid, bytes.Data(), sizeof guid);
  return guid;
}

// From name, numbers: Uint32Array of 14, file: string, guid: Uint8Array of 16
etw::SessionProperties ToProperties(const Napi::CallbackInfo& info, size_t at) {
  etw::SessionProperties properties;
  properties.name = WideText(info[at]);
  auto numbers = info[at + 1].As<Napi::Uint32Array>();
  size_t count = std::min(numbers.ElementLength(), properties.numbers.size());
  std::copy_n(numbers.Data(), count, properties.numbers.begin());
  properties.file = WideText(info[at + 2]);
  properties.guid = ToGuid(info[at + 3]);
  return properties;
}

// sessionStart(name: string, numbers: Uint32Array of 14, file: string, guid: Uint8Array of 16)
// -> { error, session: bigint }
Napi::Value Start(const Napi::CallbackInfo& info) {
  etw::SessionProperties properties = ToProperties(info, 0);
  ULONG error = etw::StartSession(&properties);
  Napi::Object result = Napi::Object::New(info.Env());
  result["error"] = Napi::Number::New(info.Env(), error);
  result["session"] = Napi::BigInt::New(info.Env(), static_cast<uint64_t>(properties.session));
  return result;
}

// sessionControl(code, session: bigint, name: string, numbers: Uint32Array of 14, file: string,
// guid: Uint8Array of 16) -> { error, session: bigint, name, numbers: Uint32Array, file }. The name
// matters if the session is 0.
Napi::Value Control(const Napi::CallbackInfo& info) {
  etw::SessionProperties properties = ToProperties(info, 2);
  properties.session = Uint64(info[1]);
  ULONG error = etw::ControlSession(Uint32(info[0]), &properties);
  Napi::Env env = info.Env();
  auto numbers = Napi::Uint32Array::New(env, properties.numbers.size());
  std::copy(properties.numbers.begin(), properties.numbers.end(), numbers.Data());
  Napi::Object result = Napi::Object::New(env);
  result["error"] = Napi::Number::New(env, error);
  result["session"] = Napi::BigInt::New(env, static_cast<uint64_t>(properties.session));
  result["name"] = ToText(env, properties.name);
  result["numbers"] = numbers;
  result["file"] = ToText(env, properties.file);
  return result;
}

// sessionProvider(session: bigint, provider: Uint8Array of 16, code, level, anyKeyword: bigint,
// allKeyword: bigint, enableProperty, filters: { type, data: Uint8Array }[]) -> error
Napi::Value ControlProvider(const Napi::CallbackInfo& info) {
  etw::ProviderRequest request;
  request.provider = ToGuid(info[1]);
  request.code = Uint32(info[2]);
  request.level = static_cast<UCHAR>(Uint32(info[3]));
  request.any_keyword = Uint64(info[4]);
  request.all_keyword = Uint64(info[5]);
  request.enable_property = Uint32(info[6]);
  auto filters = info[7].As<Napi::Array>();
  for (uint32_t i = 0; i < filters.Length(); ++i) {
    auto filter = filters.Get(i).As<Napi::Object>();
    auto data = filter.Get("data").As<Napi::Uint8Array>();
    request.filters.push_back(
        {Uint32(filter.Get("type")), {data.Data(), data.Data() + data.ByteLength()}});
  }
  return Napi::Number::New(info.Env(), etw::ControlProvider(Uint64(info[0]), request));
}

// sessionInformation(session: bigint, class, data: Uint8Array) -> error
Napi::Value SetInformation(const Napi::CallbackInfo& info) {
  auto data = info[2].As<Napi::Uint8Array>();
  ULONG error = etw::SetSessionInformation(
      Uint64(info[0]), Uint32(info[1]), data.Data(), static_cast<ULONG>(data.ByteLength()));
  return Napi::Number::New(info.Env(), error);
}

// enablePrivilege(name: string) -> error
Napi::Value EnablePrivilege(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), etw::EnablePrivilege(WideText(info[0])));
}

// awaitRecorder: not needed here. ETW enables a provider when it is registered.
Napi::Value Await(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), provider::kUnsupported);
}

}  // namespace

void AddRecorderFunctions(Napi::Env env, Napi::Object exports) {
  exports["sessionStart"] = Napi::Function::New<Start>(env, "sessionStart");
  exports["sessionControl"] = Napi::Function::New<Control>(env, "sessionControl");
  exports["sessionProvider"] = Napi::Function::New<ControlProvider>(env, "sessionProvider");
  exports["sessionInformation"] = Napi::Function::New<SetInformation>(env, "sessionInformation");
  exports["enablePrivilege"] = Napi::Function::New<EnablePrivilege>(env, "enablePrivilege");
  exports["awaitRecorder"] = Napi::Function::New<Await>(env, "awaitRecorder");
  AddTraceListFunctions(env, exports);
  AddRealTimeFunctions(env, exports);
}

}  // namespace tracewright
