// See real_time_functions.h.
#include "windows/real_time_functions.h"

#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "windows/real_time.h"

namespace tracewright {
namespace {

// What JavaScript holds: closed when it asks for that, or with its last reference.
struct Handle {
  std::unique_ptr<etw::RealTimeConsumer> consumer;
};

Handle& From(const Napi::Value& value) { return *value.As<Napi::External<Handle>>().Data(); }

Napi::Value Open(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  std::u16string name = info[0].ToString().Utf16Value();
  etw::RealTimeConsumer::Opened opened = etw::RealTimeConsumer::Open(
      {name.begin(), name.end()}, static_cast<size_t>(info[1].As<Napi::Number>().Int64Value()));
  Napi::Object result = Napi::Object::New(env);
  result["error"] = Napi::Number::New(env, opened.error);
  result["now"] = Napi::BigInt::New(env, opened.now);
  result["header"] = Napi::Buffer<uint8_t>::Copy(env, opened.header.data(), opened.header.size());
  if (opened.consumer) {
    result["handle"] = Napi::External<Handle>::New(
        env, new Handle{std::move(opened.consumer)}, [](Napi::Env, Handle* gone) { delete gone; });
  }
  return result;
}

Napi::Value Take(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  Handle& handle = From(info[0]);
  etw::RealTimeQueue::Taken taken;
  taken.ended = true;
  if (handle.consumer) taken = handle.consumer->Take();
  size_t size = 0;
  for (auto& buffer : taken.buffers) size += buffer.size;
  Napi::Buffer<uint8_t> bytes = Napi::Buffer<uint8_t>::New(env, size);
  uint8_t* to = size == 0 ? nullptr : bytes.Data();
  for (auto& buffer : taken.buffers) {
    memcpy(to, buffer.bytes.get(), buffer.size);
    to += buffer.size;
  }
  Napi::Object result = Napi::Object::New(env);
  result["bytes"] = bytes;
  result["events"] = Napi::Number::New(env, static_cast<double>(taken.events));
  result["dropped"] = Napi::Number::New(env, static_cast<double>(taken.dropped));
  result["newest"] = Napi::BigInt::New(env, taken.newest);
  result["ended"] = Napi::Boolean::New(env, taken.ended);
  result["error"] = Napi::Number::New(env, taken.error);
  return result;
}

void Close(const Napi::CallbackInfo& info) { From(info[0]).consumer.reset(); }

}  // namespace

void AddRealTimeFunctions(Napi::Env env, Napi::Object exports) {
  exports["consumerOpen"] = Napi::Function::New<Open>(env, "consumerOpen");
  exports["consumerTake"] = Napi::Function::New<Take>(env, "consumerTake");
  exports["consumerClose"] = Napi::Function::New<Close>(env, "consumerClose");
}

}  // namespace tracewright
