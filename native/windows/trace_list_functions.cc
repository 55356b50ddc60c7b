// See trace_list_functions.h. Structures without a fixed size go to JavaScript as bytes, which
// reads them within their bounds: lib/wire/etw/provider-lists.ts.
//
// Source: the documentation of QueryAllTracesW, EnumerateTraceGuidsEx and TdhEnumerateProviders.
#include "windows/trace_list_functions.h"

#include <windows.h>
//
#include <wmistr.h>
//
#include <evntrace.h>
#include <tlhelp32.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <cwchar>
#include <vector>

namespace tracewright {
namespace {

// The maximum length of names, with their terminators.
constexpr size_t kNameSize = 1024;
// Windows supports 64 sessions, or up to 256 since Windows 10, and refuses to list more.
constexpr ULONG kFirstSessions = 64;
constexpr ULONG kMaxSessions = 1024;
// A list may grow between two calls.
constexpr int kMaxTries = 8;
constexpr ULONG kFirstSize = 64 << 10;
constexpr ULONG kMaxSize = 64 << 20;

struct Session {
  Session() {
    numbers.Wnode.BufferSize = sizeof *this;
    numbers.LoggerNameOffset = offsetof(Session, name);
    numbers.LogFileNameOffset = offsetof(Session, file);
  }

  EVENT_TRACE_PROPERTIES numbers = {};
  wchar_t name[kNameSize] = {};
  wchar_t file[kNameSize] = {};
};

ULONG QuerySessions(std::vector<Session>* sessions) {
  ULONG error = ERROR_MORE_DATA;
  ULONG room = kFirstSessions;
  while (error == ERROR_MORE_DATA && room <= kMaxSessions) {
    sessions->assign(room, Session());
    std::vector<EVENT_TRACE_PROPERTIES*> entries;
    for (Session& session : *sessions) entries.push_back(&session.numbers);
    ULONG count = 0;
    error = QueryAllTracesW(entries.data(), room, &count);
    sessions->resize(error == ERROR_SUCCESS ? std::min(count, room) : 0);
    // The number that run is one that Windows supports; twice the room may not be.
    room = count > room ? count : 2 * room;
  }
  return error;
}

// Calls `query(bytes, size, &needed)` with as much room as it needs.
template <typename Query>
ULONG QueryBytes(std::vector<uint8_t>* bytes, Query query) {
  ULONG error = ERROR_INSUFFICIENT_BUFFER;
  ULONG size = kFirstSize;
  for (int tries = 0; tries < kMaxTries && size <= kMaxSize; ++tries) {
    bytes->assign(size, 0);
    ULONG needed = 0;
    error = query(bytes->data(), size, &needed);
    bytes->resize(error == ERROR_SUCCESS ? std::min(needed, size) : 0);
    if (error != ERROR_INSUFFICIENT_BUFFER && error != ERROR_MORE_DATA) break;
    size = std::max(needed, 2 * size);
  }
  return error;
}

Napi::Value BytesResult(Napi::Env env, ULONG error, const std::vector<uint8_t>& bytes) {
  Napi::Object result = Napi::Object::New(env);
  result["error"] = Napi::Number::New(env, error);
  result["bytes"] = Napi::Buffer<uint8_t>::Copy(env, bytes.data(), bytes.size());
  return result;
}

// Up to the terminator, or the end of the array.
Napi::String Text(Napi::Env env, const wchar_t* text, size_t room) {
  return Napi::String::New(env, reinterpret_cast<const char16_t*>(text), wcsnlen(text, room));
}

Napi::Object SessionObject(Napi::Env env, const Session& session) {
  const EVENT_TRACE_PROPERTIES& numbers = session.numbers;
  Napi::Object result = Napi::Object::New(env);
  auto set = [&](const char* name, ULONG value) { result[name] = Napi::Number::New(env, value); };
  // The handle of the session, whose lower half is the number that its providers know.
  set("id", static_cast<USHORT>(numbers.Wnode.HistoricalContext));
  result["name"] = Text(env, session.name, kNameSize);
  result["file"] = Text(env, session.file, kNameSize);
  set("mode", numbers.LogFileMode);
  set("clock", numbers.Wnode.ClientContext);
  set("bufferSize", numbers.BufferSize);
  set("buffers", numbers.NumberOfBuffers);
  set("minimumBuffers", numbers.MinimumBuffers);
  set("maximumBuffers", numbers.MaximumBuffers);
  set("freeBuffers", numbers.FreeBuffers);
  set("maximumFileSize", numbers.MaximumFileSize);
  set("flushTimer", numbers.FlushTimer);
  set("enableFlags", numbers.EnableFlags);
  set("eventsLost", numbers.EventsLost);
  set("buffersLost", numbers.LogBuffersLost);
  set("realTimeBuffersLost", numbers.RealTimeBuffersLost);
  set("buffersWritten", numbers.BuffersWritten);
  return result;
}

// traceSessions() -> { error, sessions }: those that this user may see.
Napi::Value Sessions(const Napi::CallbackInfo& info) {
  std::vector<Session> sessions;
  ULONG error = QuerySessions(&sessions);
  Napi::Array list = Napi::Array::New(info.Env(), sessions.size());
  for (uint32_t i = 0; i < sessions.size(); ++i) list[i] = SessionObject(info.Env(), sessions[i]);
  Napi::Object result = Napi::Object::New(info.Env());
  result["error"] = Napi::Number::New(info.Env(), error);
  result["sessions"] = list;
  return result;
}

// traceGuids(provider?: Uint8Array of 16) -> { error, bytes }: the GUIDs of the running providers,
// or who runs the one given and which sessions have enabled it (TRACE_GUID_INFO).
Napi::Value Guids(const Napi::CallbackInfo& info) {
  GUID provider = {};
  bool has_provider = info[0].IsTypedArray();
  if (has_provider) {
    auto given = info[0].As<Napi::Uint8Array>();
    if (given.ByteLength() != sizeof provider) {
      return BytesResult(info.Env(), ERROR_INVALID_PARAMETER, {});
    }
    memcpy(&provider, given.Data(), sizeof provider);
  }
  std::vector<uint8_t> bytes;
  ULONG error = QueryBytes(&bytes, [&](uint8_t* room, ULONG size, ULONG* needed) {
    return EnumerateTraceGuidsEx(has_provider ? TraceGuidQueryInfo : TraceGuidQueryList,
                                 has_provider ? &provider : nullptr,
                                 has_provider ? sizeof provider : 0,
                                 room,
                                 size,
                                 needed);
  });
  return BytesResult(info.Env(), error, bytes);
}

// tdh.dll is loaded only for this: applications do not need it. It is never unloaded.
FARPROC TdhFunction(const char* name) {
  HMODULE library = LoadLibraryExW(L"tdh.dll", nullptr, LOAD_LIBRARY_SEARCH_SYSTEM32);
  return library == nullptr ? nullptr : GetProcAddress(library, name);
}

// registeredProviders() -> { error, bytes }: PROVIDER_ENUMERATION_INFO.
Napi::Value RegisteredProviders(const Napi::CallbackInfo& info) {
  using Enumerate = ULONG(__stdcall*)(void* buffer, ULONG* size);
  // Between types of functions alone: Visual C++ warns of a cast by way of void* (C4054, C4055).
  auto enumerate = reinterpret_cast<Enumerate>(
      reinterpret_cast<void (*)()>(TdhFunction("TdhEnumerateProviders")));
  if (enumerate == nullptr) return BytesResult(info.Env(), ERROR_PROC_NOT_FOUND, {});
  std::vector<uint8_t> bytes;
  ULONG error = QueryBytes(&bytes, [&](uint8_t* room, ULONG size, ULONG* needed) {
    *needed = size;
    return enumerate(room, needed);
  });
  return BytesResult(info.Env(), error, bytes);
}

// processNames() -> [id, name]...: of all processes, as far as this user may see them.
Napi::Value ProcessNames(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  Napi::Array list = Napi::Array::New(env);
  HANDLE snapshot = CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0);
  if (snapshot == INVALID_HANDLE_VALUE) return list;
  PROCESSENTRY32W entry = {};
  entry.dwSize = sizeof entry;
  uint32_t count = 0;
  for (BOOL more = Process32FirstW(snapshot, &entry); more;
       more = Process32NextW(snapshot, &entry)) {
    Napi::Array pair = Napi::Array::New(env, 2);
    pair[0u] = Napi::Number::New(env, entry.th32ProcessID);
    pair[1u] = Text(env, entry.szExeFile, MAX_PATH);
    list[count++] = pair;
  }
  CloseHandle(snapshot);
  return list;
}

}  // namespace

void AddTraceListFunctions(Napi::Env env, Napi::Object exports) {
  exports["traceSessions"] = Napi::Function::New<Sessions>(env, "traceSessions");
  exports["traceGuids"] = Napi::Function::New<Guids>(env, "traceGuids");
  exports["registeredProviders"] =
      Napi::Function::New<RegisteredProviders>(env, "registeredProviders");
  exports["processNames"] = Napi::Function::New<ProcessNames>(env, "processNames");
}

}  // namespace tracewright
