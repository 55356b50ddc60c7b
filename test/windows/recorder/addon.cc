// etwrec.node, test-only: has the addons that are loaded after it call this recorder in place of
// Windows' ETW, which is a stub in Wine, and lets JavaScript play the sessions that listen.
//
// The calls go, one JSON line each, into the file that the environment variable TRACEWRIGHT_ETW_LOG
// names (etw-call.ts has their shapes). The functions below take positional arguments; recorder.mjs
// is what programs use.
#include <napi.h>
#include <windows.h>

#include <map>
#include <string>

#include "call_log.h"
#include "etw_model.h"
#include "import_table.h"
#include "list_hooks.h"
#include "real_time_hooks.h"
#include "session_model.h"

namespace etwrec {
namespace {

uint64_t Uint64(const Napi::Value& value) {
  bool lossless;
  return value.As<Napi::BigInt>().Uint64Value(&lossless);
}

uint32_t Uint32(const Napi::Value& value) { return value.As<Napi::Number>().Uint32Value(); }

GUID ToGuid(const Napi::Value& value) {
  std::string text = value.ToString();
  GUID guid;
  if (!ParseGuid(text, &guid)) throw Napi::TypeError::New(value.Env(), text + " is no GUID.");
  return guid;
}

// send(provider, code, level, any: bigint, all: bigint, filter: Uint8Array | undefined, wait,
// session, isGroup)
void JsSend(const Napi::CallbackInfo& info) {
  Filter filter;
  filter.level = static_cast<UCHAR>(Uint32(info[2]));
  filter.any_keyword = Uint64(info[3]);
  filter.all_keyword = Uint64(info[4]);
  filter.is_group = info[8].ToBoolean();
  filter.has_data = info[5].IsTypedArray();
  if (filter.has_data) {
    auto bytes = info[5].As<Napi::Uint8Array>();
    filter.data.assign(reinterpret_cast<const char*>(bytes.Data()), bytes.ByteLength());
  }
  Send(ToGuid(info[0]),
       info[7].ToString(),
       static_cast<Command>(Uint32(info[1])),
       filter,
       info[6].ToBoolean());
}

void JsSettle(const Napi::CallbackInfo&) { Settle(); }

// failNext(operation, status, count)
void JsFailNext(const Napi::CallbackInfo& info) {
  static const std::map<std::string, Operation> operations = {
      {"register", Operation::kRegister},
      {"setInformation", Operation::kSetInformation},
      {"write", Operation::kWrite},
      {"startTrace", Operation::kStartTrace},
      {"enableTrace", Operation::kEnableTrace},
      {"controlTrace", Operation::kControlTrace},
      {"traceInformation", Operation::kTraceInformation},
      {"privilege", Operation::kPrivilege},
      {"openTrace", Operation::kOpenTrace},
      {"processTrace", Operation::kProcessTrace},
  };
  std::string name = info[0].ToString();
  auto found = operations.find(name);
  if (found == operations.end()) {
    throw Napi::TypeError::New(info.Env(), name + " is no operation that can fail.");
  }
  FailNext(found->second, Uint32(info[1]), Uint32(info[2]));
}

// setBufferSize(bytes)
void JsSetBufferSize(const Napi::CallbackInfo& info) { SetBufferSize(Uint32(info[0])); }

// setLosses(events, buffers, realTimeBuffers)
void JsSetLosses(const Napi::CallbackInfo& info) {
  SetLosses(Uint32(info[0]), Uint32(info[1]), Uint32(info[2]));
}

std::wstring WideText(const Napi::Value& value) {
  std::u16string text = value.ToString().Utf16Value();
  return {text.begin(), text.end()};
}

// addSession(name, file, provider | undefined)
void JsAddSession(const Napi::CallbackInfo& info) {
  AddSession(WideText(info[0]), WideText(info[1]));
  if (info[2].IsString()) RecordInRealTime(WideText(info[0]), ToGuid(info[2]));
}

// limitRealTime(bytes)
void JsLimitRealTime(const Napi::CallbackInfo& info) { LimitRealTime(Uint32(info[0])); }

// endSession(name) -> boolean
Napi::Value JsEndSession(const Napi::CallbackInfo& info) {
  return Napi::Boolean::New(info.Env(), EndSession(WideText(info[0])));
}

// elsewhere(provider, group, process, executable, id, level, keyword: bigint, name, size)
void JsElsewhere(const Napi::CallbackInfo& info) {
  TracedEvent event = {};
  event.provider = ToGuid(info[0]);
  event.group = ToGuid(info[1]);
  event.process = Uint32(info[2]);
  event.executable = WideText(info[3]);
  event.descriptor.Id = static_cast<USHORT>(Uint32(info[4]));
  event.descriptor.Level = static_cast<UCHAR>(Uint32(info[5]));
  event.descriptor.Keyword = Uint64(info[6]);
  event.name = info[7].ToString();
  event.size = Uint32(info[8]);
  Trace(event);
}

// kernel(flag, kind, type)
void JsKernel(const Napi::CallbackInfo& info) {
  TraceKernel(Uint32(info[0]), ToGuid(info[1]), static_cast<UCHAR>(Uint32(info[2])));
}

// tracedFiles() -> string, JSON
Napi::Value JsTracedFiles(const Napi::CallbackInfo& info) {
  return Napi::String::New(info.Env(), TracedFiles());
}

// mark(text): a line of the test's own among the calls. Letters, digits and spaces.
void JsMark(const Napi::CallbackInfo& info) { Line("mark").Text("text", info[0].ToString()); }

// Import tables point into this module, also when the environment that loaded it is gone.
void PinModule() {
  HMODULE module;
  GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_PIN | GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS,
                     reinterpret_cast<LPCWSTR>(&PinModule),
                     &module);
}

bool Start() {
  PinModule();
  return HookAddonsLoadedFromNowOn();
}

Napi::Object Init(Napi::Env env, Napi::Object exports) {
  static bool started = Start();
  if (!started) throw Napi::Error::New(env, "The loader does not tell of the addons it loads.");
  exports["send"] = Napi::Function::New<JsSend>(env, "send");
  exports["settle"] = Napi::Function::New<JsSettle>(env, "settle");
  exports["failNext"] = Napi::Function::New<JsFailNext>(env, "failNext");
  exports["setBufferSize"] = Napi::Function::New<JsSetBufferSize>(env, "setBufferSize");
  exports["setLosses"] = Napi::Function::New<JsSetLosses>(env, "setLosses");
  exports["addSession"] = Napi::Function::New<JsAddSession>(env, "addSession");
  exports["endSession"] = Napi::Function::New<JsEndSession>(env, "endSession");
  exports["setLists"] = Napi::Function::New<JsSetLists>(env, "setLists");
  exports["elsewhere"] = Napi::Function::New<JsElsewhere>(env, "elsewhere");
  exports["kernel"] = Napi::Function::New<JsKernel>(env, "kernel");
  exports["tracedFiles"] = Napi::Function::New<JsTracedFiles>(env, "tracedFiles");
  exports["limitRealTime"] = Napi::Function::New<JsLimitRealTime>(env, "limitRealTime");
  exports["mark"] = Napi::Function::New<JsMark>(env, "mark");
  return exports;
}

}  // namespace
}  // namespace etwrec

static Napi::Object InitRecorder(Napi::Env env, Napi::Object exports) {
  return etwrec::Init(env, exports);
}
NODE_API_MODULE(etwrec, InitRecorder)
