// etwprobe.node, test-only: ETW's functions as JavaScript sees them, to try the recorder by itself.
// GUIDs are 16 bytes as Windows has them in memory, handles and keywords bigints.
#include <napi.h>
#include <windows.h>
//
#include <evntprov.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace {

struct Command {
  DWORD thread;
  bool handle_is_set;
  ULONG code;
  UCHAR level;
  ULONGLONG any_keyword;
  ULONGLONG all_keyword;
  std::string filter;
};

// What a registration's callback has been told. Never freed: tests are short.
struct Heard {
  std::mutex mutex;
  std::vector<Command> commands;
  REGHANDLE handle = 0;
};
std::vector<std::unique_ptr<Heard>> all_heard;

void NTAPI OnCommand(LPCGUID, ULONG code, UCHAR level, ULONGLONG any_keyword, ULONGLONG all_keyword,
                     PEVENT_FILTER_DESCRIPTOR filter, PVOID context) {
  auto* heard = static_cast<Heard*>(context);
  std::string data;
  if (filter != nullptr) data.assign(reinterpret_cast<const char*>(filter->Ptr), filter->Size);
  std::lock_guard<std::mutex> lock(heard->mutex);
  bool handle_is_set = heard->handle != 0;
  heard->commands.push_back(
      {GetCurrentThreadId(), handle_is_set, code, level, any_keyword, all_keyword, data});
}

uint64_t Uint64(const Napi::Value& value) {
  bool lossless;
  return value.As<Napi::BigInt>().Uint64Value(&lossless);
}

uint32_t Uint32(const Napi::Value& value) { return value.As<Napi::Number>().Uint32Value(); }

// Null for what is no Uint8Array.
template <typename Type>
Type* Bytes(const Napi::Value& value) {
  if (!value.IsTypedArray()) return nullptr;
  return reinterpret_cast<Type*>(value.As<Napi::Uint8Array>().Data());
}

// register(provider) -> { status, handle, index }
Napi::Value Register(const Napi::CallbackInfo& info) {
  all_heard.push_back(std::make_unique<Heard>());
  Heard* heard = all_heard.back().get();
  ULONG status = EventRegister(Bytes<GUID>(info[0]), OnCommand, heard, &heard->handle);
  Napi::Object result = Napi::Object::New(info.Env());
  result["status"] = Napi::Number::New(info.Env(), status);
  result["handle"] = Napi::BigInt::New(info.Env(), static_cast<uint64_t>(heard->handle));
  result["index"] = Napi::Number::New(info.Env(), static_cast<double>(all_heard.size() - 1));
  return result;
}

// commands(index): what the registration's callback was told, in order.
Napi::Value Commands(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  Heard& heard = *all_heard[Uint32(info[0])];
  std::lock_guard<std::mutex> lock(heard.mutex);
  Napi::Array result = Napi::Array::New(env);
  for (const Command& command : heard.commands) {
    Napi::Object object = Napi::Object::New(env);
    object["sameThread"] = Napi::Boolean::New(env, command.thread == GetCurrentThreadId());
    object["handleIsSet"] = Napi::Boolean::New(env, command.handle_is_set);
    object["code"] = Napi::Number::New(env, command.code);
    object["level"] = Napi::Number::New(env, command.level);
    object["any"] = Napi::String::New(env, std::to_string(command.any_keyword));
    object["all"] = Napi::String::New(env, std::to_string(command.all_keyword));
    object["filter"] = Napi::String::New(env, command.filter);
    result[result.Length()] = object;
  }
  return result;
}

// unregister(handle) -> status
Napi::Value Unregister(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), EventUnregister(Uint64(info[0])));
}

// setTraits(handle, traits) -> status
Napi::Value SetTraits(const Napi::CallbackInfo& info) {
  auto traits = info[1].As<Napi::Uint8Array>();
  constexpr auto kSetTraits = static_cast<EVENT_INFO_CLASS>(2);  // which mingw's header lacks
  ULONG status = EventSetInformation(
      Uint64(info[0]), kSetTraits, traits.Data(), static_cast<ULONG>(traits.ByteLength()));
  return Napi::Number::New(info.Env(), status);
}

// write(handle, descriptor, activityId, relatedId, parts: [type, bytes][]) -> status
Napi::Value Write(const Napi::CallbackInfo& info) {
  std::vector<EVENT_DATA_DESCRIPTOR> data;
  auto parts = info[4].As<Napi::Array>();
  for (uint32_t i = 0; i < parts.Length(); ++i) {
    auto part = parts.Get(i).As<Napi::Array>();
    auto bytes = part.Get(1u).As<Napi::Uint8Array>();
    EVENT_DATA_DESCRIPTOR descriptor;
    EventDataDescCreate(&descriptor, bytes.Data(), static_cast<ULONG>(bytes.ByteLength()));
    descriptor.Reserved = Uint32(part.Get(0u));
    data.push_back(descriptor);
  }
  ULONG status = EventWriteTransfer(Uint64(info[0]),
                                    Bytes<EVENT_DESCRIPTOR>(info[1]),
                                    Bytes<GUID>(info[2]),
                                    Bytes<GUID>(info[3]),
                                    static_cast<ULONG>(data.size()),
                                    data.data());
  return Napi::Number::New(info.Env(), status);
}

// writeOtherWays(handle, descriptor) -> the statuses of EventWrite, EventWriteEx, EventWriteString
Napi::Value WriteOtherWays(const Napi::CallbackInfo& info) {
  REGHANDLE handle = Uint64(info[0]);
  auto* descriptor = Bytes<EVENT_DESCRIPTOR>(info[1]);
  Napi::Array result = Napi::Array::New(info.Env());
  ULONG statuses[] = {
      EventWrite(handle, descriptor, 0, nullptr),
      EventWriteEx(handle, descriptor, 0, 0, nullptr, nullptr, 0, nullptr),
      EventWriteString(handle, descriptor->Level, descriptor->Keyword, L"text"),
  };
  for (ULONG status : statuses) result[result.Length()] = Napi::Number::New(info.Env(), status);
  return result;
}

// activityIdControl(code, id) -> status; changes the id's bytes
Napi::Value ActivityIdControl(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(),
                           EventActivityIdControl(Uint32(info[0]), Bytes<GUID>(info[1])));
}

// enabled(handle, descriptor) -> [EventEnabled, EventProviderEnabled]
Napi::Value Enabled(const Napi::CallbackInfo& info) {
  auto* descriptor = Bytes<EVENT_DESCRIPTOR>(info[1]);
  REGHANDLE handle = Uint64(info[0]);
  Napi::Array result = Napi::Array::New(info.Env());
  result[0u] = Napi::Boolean::New(info.Env(), EventEnabled(handle, descriptor));
  result[1u] = Napi::Boolean::New(
      info.Env(), EventProviderEnabled(handle, descriptor->Level, descriptor->Keyword));
  return result;
}

// crash(): an exception that nobody catches, on a thread of its own. Its code becomes the exit
// code, of which Linux sees the low 8 bits: a crash that looks like success.
void Crash(const Napi::CallbackInfo&) {
  HANDLE thread = CreateThread(
      nullptr,
      0,
      [](void*) -> DWORD {
        RaiseException(0xe0000000, EXCEPTION_NONCONTINUABLE, 0, nullptr);
        return 0;
      },
      nullptr,
      0,
      nullptr);
  WaitForSingleObject(thread, INFINITE);
}

// messages(dll, language, ids) -> { texts, size }: without insertions, null for none; the size of
// its WEVT_TEMPLATE. The DLL is loaded as the Event Log does: for data.
Napi::Value Messages(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  std::u16string path = info[0].As<Napi::String>().Utf16Value();
  HMODULE dll = LoadLibraryExW(reinterpret_cast<const wchar_t*>(path.c_str()),
                               nullptr,
                               LOAD_LIBRARY_AS_DATAFILE | LOAD_LIBRARY_AS_IMAGE_RESOURCE);
  Napi::Array texts = Napi::Array::New(env);
  Napi::Array ids = info[2].As<Napi::Array>();
  for (uint32_t index = 0; index < ids.Length(); index++) {
    wchar_t text[1024];
    DWORD length = FormatMessageW(FORMAT_MESSAGE_FROM_HMODULE | FORMAT_MESSAGE_IGNORE_INSERTS,
                                  dll,
                                  Uint32(ids.Get(index)),
                                  Uint32(info[1]),
                                  text,
                                  1024,
                                  nullptr);
    texts.Set(index,
              length == 0 ? env.Null()
                          : Napi::String::New(env, reinterpret_cast<const char16_t*>(text), length)
                                .As<Napi::Value>());
  }
  HRSRC resource = dll == nullptr ? nullptr : FindResourceExW(dll, L"WEVT_TEMPLATE", L"#1", 0);
  Napi::Object result = Napi::Object::New(env);
  result.Set("texts", texts);
  result.Set("size", static_cast<double>(resource == nullptr ? 0 : SizeofResource(dll, resource)));
  FreeLibrary(dll);
  return result;
}

Napi::Object Init(Napi::Env env, Napi::Object exports) {
  exports["register"] = Napi::Function::New<Register>(env, "register");
  exports["commands"] = Napi::Function::New<Commands>(env, "commands");
  exports["unregister"] = Napi::Function::New<Unregister>(env, "unregister");
  exports["setTraits"] = Napi::Function::New<SetTraits>(env, "setTraits");
  exports["write"] = Napi::Function::New<Write>(env, "write");
  exports["writeOtherWays"] = Napi::Function::New<WriteOtherWays>(env, "writeOtherWays");
  exports["activityIdControl"] = Napi::Function::New<ActivityIdControl>(env, "activityIdControl");
  exports["enabled"] = Napi::Function::New<Enabled>(env, "enabled");
  exports["messages"] = Napi::Function::New<Messages>(env, "messages");
  exports["crash"] = Napi::Function::New<Crash>(env, "crash");
  return exports;
}

}  // namespace

NODE_API_MODULE(etwprobe, Init)
