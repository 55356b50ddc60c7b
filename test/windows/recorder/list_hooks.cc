// See list_hooks.h. Source of the signatures, structures and answers: evntrace.h, tdh.h and the
// documentation of QueryAllTracesW, EnumerateTraceGuidsEx and TdhEnumerateProviders.
#include "list_hooks.h"

#include <windows.h>
//
#include <wmistr.h>
//
#include <evntrace.h>
#include <tdh.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "call_log.h"

namespace etwrec {
namespace {

struct ListedSession {
  EVENT_TRACE_PROPERTIES numbers;
  std::wstring name, file;
};

struct Lists {
  std::vector<ListedSession> sessions;
  ULONG supported = 256;                         // sessions of this Windows
  std::string registered;                        // PROVIDER_ENUMERATION_INFO
  std::string guids;                             // of the running providers
  std::map<std::string, std::string> instances;  // by GUID: TRACE_GUID_INFO
  std::map<std::string, ULONG> failures;         // by function, or by GUID
};

// Leaked on purpose: calls come until the very end of the process. Set before the first call.
Lists& TheLists() {
  static Lists* lists = new Lists;
  return *lists;
}

ULONG FailureOf(const std::string& what) {
  auto found = TheLists().failures.find(what);
  return found == TheLists().failures.end() ? ERROR_SUCCESS : found->second;
}

void Put(EVENT_TRACE_PROPERTIES* properties, ULONG offset, const std::wstring& text) {
  memcpy(reinterpret_cast<char*>(properties) + offset, text.c_str(), (text.size() + 1) * 2);
}

ULONG WINAPI HookQueryAll(EVENT_TRACE_PROPERTIES** entries, ULONG room, ULONG* count) {
  auto& sessions = TheLists().sessions;
  ULONG status = FailureOf("QueryAllTracesW");
  if (status == ERROR_SUCCESS && room > TheLists().supported) status = ERROR_INVALID_PARAMETER;
  if (status == ERROR_SUCCESS && room < sessions.size()) status = ERROR_MORE_DATA;
  *count = static_cast<ULONG>(sessions.size());
  bool are_alike = true;
  for (ULONG i = 0; i < room; ++i) {
    are_alike = are_alike && entries[i]->Wnode.BufferSize == entries[0]->Wnode.BufferSize &&
                entries[i]->LoggerNameOffset == entries[0]->LoggerNameOffset &&
                entries[i]->LogFileNameOffset == entries[0]->LogFileNameOffset;
  }
  Line("queryAllTraces")
      .Number("room", room)
      .Boolean("alike", are_alike)
      .Number("size", entries[0]->Wnode.BufferSize)
      .Number("nameOffset", entries[0]->LoggerNameOffset)
      .Number("fileOffset", entries[0]->LogFileNameOffset)
      .Number("count", *count)
      .Number("status", status);
  for (ULONG i = 0;
       i < std::min(room, *count) && (status == ERROR_SUCCESS || status == ERROR_MORE_DATA);
       ++i) {
    EVENT_TRACE_PROPERTIES asked = *entries[i];
    *entries[i] = sessions[i].numbers;
    entries[i]->Wnode.BufferSize = asked.Wnode.BufferSize;
    entries[i]->LoggerNameOffset = asked.LoggerNameOffset;
    entries[i]->LogFileNameOffset = asked.LogFileNameOffset;
    Put(entries[i], asked.LoggerNameOffset, sessions[i].name);
    Put(entries[i], asked.LogFileNameOffset, sessions[i].file);
  }
  return status;
}

// The list, if it fits.
ULONG Answer(const std::string& list, ULONG failure, void* room, ULONG size, ULONG* needed) {
  if (failure != ERROR_SUCCESS) return failure;
  *needed = static_cast<ULONG>(list.size());
  if (size < list.size()) return ERROR_INSUFFICIENT_BUFFER;
  memcpy(room, list.data(), list.size());
  return ERROR_SUCCESS;
}

ULONG WINAPI HookEnumerateGuids(TRACE_QUERY_INFO_CLASS query, void* in, ULONG in_size, void* room,
                                ULONG size, ULONG* needed) {
  std::string guid = in == nullptr ? "" : GuidText(*static_cast<GUID*>(in));
  auto found = TheLists().instances.find(guid);
  ULONG status;
  if (query == TraceGuidQueryList && in == nullptr && in_size == 0) {
    status = Answer(TheLists().guids, FailureOf("EnumerateTraceGuidsEx"), room, size, needed);
  } else if (query != TraceGuidQueryInfo || in_size != sizeof(GUID)) {
    status = ERROR_INVALID_PARAMETER;
  } else if (found == TheLists().instances.end()) {
    status = ERROR_WMI_GUID_NOT_FOUND;
  } else {
    status = Answer(found->second, FailureOf(guid), room, size, needed);
  }
  Line("enumerateTraceGuids")
      .Number("class", query)
      .Text("provider", guid)
      .Number("size", size)
      .Number("needed", *needed)
      .Number("status", status);
  return status;
}

ULONG WINAPI HookEnumerateProviders(PROVIDER_ENUMERATION_INFO* room, ULONG* size) {
  ULONG given = *size;
  ULONG failure = FailureOf("TdhEnumerateProviders");
  ULONG status = Answer(TheLists().registered, failure, room, given, size);
  Line("tdhEnumerateProviders")
      .Number("size", given)
      .Number("needed", *size)
      .Number("status", status);
  return status;
}

template <typename Function>
void* Address(Function* function) {
  return reinterpret_cast<void*>(function);
}

FARPROC WINAPI HookGetProcAddress(HMODULE library, const char* name) {
  bool is_name = reinterpret_cast<uintptr_t>(name) > 0xffff;
  if (is_name && strcmp(name, "TdhEnumerateProviders") == 0) {
    return reinterpret_cast<FARPROC>(Address(HookEnumerateProviders));
  }
  return GetProcAddress(library, name);
}

ULONG Uint32(const Napi::Object& of, const char* name) {
  Napi::Value value = of.Get(name);
  return value.IsNumber() ? value.As<Napi::Number>().Uint32Value() : 0;
}

ULONGLONG Uint64(const Napi::Object& of, const char* name) {
  Napi::Value value = of.Get(name);
  bool lossless;
  return value.IsBigInt() ? value.As<Napi::BigInt>().Uint64Value(&lossless) : 0;
}

std::wstring Wide(const Napi::Object& of, const char* name) {
  Napi::Value value = of.Get(name);
  std::u16string text = value.IsString() ? value.As<Napi::String>().Utf16Value() : u"";
  return {text.begin(), text.end()};
}

GUID GuidOf(const Napi::Object& of) {
  std::string text = of.Get("guid").ToString();
  GUID guid = {};
  if (!ParseGuid(text, &guid)) throw Napi::TypeError::New(of.Env(), text + " is no GUID.");
  return guid;
}

template <typename Value>
void Append(std::string* bytes, const Value& value) {
  bytes->append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <typename Each>
void ForEach(const Napi::Object& of, const char* name, Each each) {
  if (!of.Get(name).IsArray()) return;
  auto list = of.Get(name).As<Napi::Array>();
  for (uint32_t i = 0; i < list.Length(); ++i) each(list.Get(i).As<Napi::Object>());
}

ListedSession SessionOf(const Napi::Object& given) {
  ListedSession session = {};
  session.name = Wide(given, "name");
  session.file = Wide(given, "file");
  EVENT_TRACE_PROPERTIES& numbers = session.numbers;
  // The handle has more than the number.
  numbers.Wnode.HistoricalContext = 0xabcd000000000000 | Uint32(given, "number");
  numbers.Wnode.ClientContext = 1;
  numbers.LogFileMode = Uint32(given, "mode");
  numbers.BufferSize = Uint32(given, "bufferKib");
  numbers.NumberOfBuffers = Uint32(given, "buffers");
  numbers.EventsLost = Uint32(given, "eventsLost");
  numbers.LogBuffersLost = Uint32(given, "buffersLost");
  numbers.RealTimeBuffersLost = Uint32(given, "realTimeBuffersLost");
  return session;
}

std::string EnumerationOf(const Napi::Object& lists) {
  std::string names;
  std::vector<TRACE_PROVIDER_INFO> providers;
  ULONG count = 0;
  ForEach(lists, "registered", [&](const Napi::Object&) { ++count; });
  size_t names_at =
      offsetof(PROVIDER_ENUMERATION_INFO, TraceProviderInfoArray) + count * sizeof providers[0];
  ForEach(lists, "registered", [&](const Napi::Object& given) {
    std::wstring name = Wide(given, "name");
    providers.push_back(
        {GuidOf(given), Uint32(given, "source"), static_cast<ULONG>(names_at + names.size())});
    names.append(reinterpret_cast<const char*>(name.c_str()), (name.size() + 1) * 2);
  });
  std::string bytes;
  Append(&bytes, count);
  Append(&bytes, ULONG{0});
  for (auto& provider : providers) Append(&bytes, provider);
  return bytes + names;
}

std::string InstanceOf(const Napi::Object& given, bool is_last) {
  std::string enablings;
  ULONG count = 0;
  ForEach(given, "enabledBy", [&](const Napi::Object& by) {
    TRACE_ENABLE_INFO info = {};
    info.IsEnabled = 1;
    info.Level = static_cast<UCHAR>(Uint32(by, "level"));
    info.LoggerId = static_cast<USHORT>(Uint32(by, "number"));
    info.EnableProperty = Uint32(by, "properties");
    info.MatchAnyKeyword = Uint64(by, "any");
    info.MatchAllKeyword = Uint64(by, "all");
    Append(&enablings, info);
    ++count;
  });
  TRACE_PROVIDER_INSTANCE_INFO instance = {};
  instance.NextOffset = is_last ? 0 : static_cast<ULONG>(sizeof instance + enablings.size());
  instance.EnableCount = count;
  instance.Pid = Uint32(given, "pid");
  instance.Flags = Uint32(given, "flags");
  std::string bytes;
  Append(&bytes, instance);
  return bytes + enablings;
}

std::string InstancesOf(const Napi::Object& provider) {
  TRACE_GUID_INFO info = {};
  ForEach(provider, "instances", [&](const Napi::Object&) { ++info.InstanceCount; });
  std::string bytes;
  Append(&bytes, info);
  ULONG index = 0;
  ForEach(provider, "instances", [&](const Napi::Object& given) {
    bytes += InstanceOf(given, ++index == info.InstanceCount);
  });
  // What Windows would never do.
  bytes.resize(bytes.size() - std::min<size_t>(bytes.size(), Uint32(provider, "cut")));
  return bytes;
}

}  // namespace

void* ListHookFor(const char* name) {
  if (strcmp(name, "QueryAllTracesW") == 0) return Address(HookQueryAll);
  if (strcmp(name, "EnumerateTraceGuidsEx") == 0) return Address(HookEnumerateGuids);
  return nullptr;
}

void* GetProcAddressHook() { return Address(HookGetProcAddress); }

void JsSetLists(const Napi::CallbackInfo& info) {
  auto given = info[0].As<Napi::Object>();
  Lists& lists = TheLists();
  ForEach(given, "sessions", [&](const Napi::Object& one) {
    lists.sessions.push_back(SessionOf(one));
  });
  if (given.Has("supported")) lists.supported = Uint32(given, "supported");
  lists.registered = EnumerationOf(given);
  ForEach(given, "running", [&](const Napi::Object& one) {
    GUID guid = GuidOf(one);
    Append(&lists.guids, guid);
    if (!one.Get("isGone").ToBoolean()) lists.instances[GuidText(guid)] = InstancesOf(one);
  });
  ForEach(given, "fail", [&](const Napi::Object& one) {
    lists.failures[one.Get("what").ToString()] = Uint32(one, "status");
  });
}

}  // namespace etwrec
