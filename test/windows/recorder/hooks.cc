// See hooks.h. Source of the signatures: evntprov.h.
#include "hooks.h"

#include <cstring>
#include <cwchar>
#include <string>

#include "call_log.h"
#include "etw_model.h"
#include "list_hooks.h"
#include "real_time_hooks.h"
#include "session_hooks.h"
#include "session_model.h"

namespace etwrec {
namespace {

ULONG WINAPI HookRegister(LPCGUID provider, PENABLECALLBACK callback, PVOID context,
                          PREGHANDLE handle) {
  ULONG status = Register(provider, callback, context, handle);
  Line("register")
      .Guid("provider", provider)
      .Boolean("callback", callback != nullptr)
      .Hex64("handle", handle == nullptr ? 0 : *handle)
      .Number("status", status);
  return status;
}

ULONG WINAPI HookUnregister(REGHANDLE handle) {
  ULONG status = Unregister(handle);
  Line("unregister").Hex64("handle", handle).Number("status", status);
  return status;
}

ULONG WINAPI HookSetInformation(REGHANDLE handle, EVENT_INFO_CLASS information_class, PVOID data,
                                ULONG size) {
  ULONG status = SetInformation(handle, information_class, data, size);
  Line("setInformation")
      .Hex64("handle", handle)
      .Number("class", information_class)
      .Bytes("data", data, size)
      .Number("status", status);
  return status;
}

std::string DataJson(ULONG count, const EVENT_DATA_DESCRIPTOR* data) {
  std::string json = "[";
  for (ULONG i = 0; i < count; ++i) {
    if (i > 0) json += ',';
    const void* bytes = reinterpret_cast<const void*>(data[i].Ptr);
    json += "{\"type\":" + std::to_string(data[i].Reserved) +
            ",\"size\":" + std::to_string(data[i].Size) + ",\"bytes\":\"" +
            Hex(bytes, data[i].Size) + "\"}";
  }
  return json + ']';
}

ULONG RecordWrite(const char* function, REGHANDLE handle, const EVENT_DESCRIPTOR& descriptor,
                  const GUID* activity_id, const GUID* related_id, ULONG count,
                  const EVENT_DATA_DESCRIPTOR* data) {
  Outcome outcome = Write(handle, descriptor, count, data);
  GUID provider = ProviderOf(handle);
  if (outcome.delivered) {
    for (TRACEHANDLE session : Trace(EventOfThisProcess(provider, descriptor, count, data))) {
      WriteRealTime(session, {provider, descriptor, activity_id, related_id, count, data});
    }
  }
  GUID thread_activity_id = ThreadActivityId();
  Line("write")
      .Text("function", function)
      .Hex64("handle", handle)
      .Guid("provider", &provider)
      .Bytes("descriptor", &descriptor, sizeof descriptor)
      .Guid("activityId", activity_id)
      .Guid("relatedActivityId", related_id)
      .Guid("threadActivityId", &thread_activity_id)
      .Number("count", count)
      .Json("data", DataJson(count > MAX_EVENT_DATA_DESCRIPTORS ? 0 : count, data))
      .Boolean("delivered", outcome.delivered)
      .Number("status", outcome.status);
  return outcome.status;
}

ULONG WINAPI HookWrite(REGHANDLE handle, PCEVENT_DESCRIPTOR descriptor, ULONG count,
                       PEVENT_DATA_DESCRIPTOR data) {
  return RecordWrite("EventWrite", handle, *descriptor, nullptr, nullptr, count, data);
}

ULONG WINAPI HookWriteTransfer(REGHANDLE handle, PCEVENT_DESCRIPTOR descriptor, LPCGUID activity_id,
                               LPCGUID related_id, ULONG count, PEVENT_DATA_DESCRIPTOR data) {
  return RecordWrite(
      "EventWriteTransfer", handle, *descriptor, activity_id, related_id, count, data);
}

ULONG WINAPI HookWriteEx(REGHANDLE handle, PCEVENT_DESCRIPTOR descriptor, ULONG64, ULONG,
                         LPCGUID activity_id, LPCGUID related_id, ULONG count,
                         PEVENT_DATA_DESCRIPTOR data) {
  return RecordWrite("EventWriteEx", handle, *descriptor, activity_id, related_id, count, data);
}

ULONG WINAPI HookWriteString(REGHANDLE handle, UCHAR level, ULONGLONG keyword, PCWSTR string) {
  EVENT_DESCRIPTOR descriptor = {};
  descriptor.Level = level;
  descriptor.Keyword = keyword;
  EVENT_DATA_DESCRIPTOR data;
  EventDataDescCreate(&data, string, static_cast<ULONG>((wcslen(string) + 1) * sizeof *string));
  return RecordWrite("EventWriteString", handle, descriptor, nullptr, nullptr, 1, &data);
}

ULONG WINAPI HookActivityIdControl(ULONG code, LPGUID id) {
  GUID given = id == nullptr ? GUID{} : *id;
  ULONG status = ActivityIdControl(code, id);
  Line("activityIdControl")
      .Number("code", code)
      .Guid("in", id == nullptr ? nullptr : &given)
      .Guid("out", id)
      .Number("status", status);
  return status;
}

BOOLEAN WINAPI HookEnabled(REGHANDLE handle, PCEVENT_DESCRIPTOR descriptor) {
  bool enabled = IsEnabled(handle, descriptor->Level, descriptor->Keyword);
  Line("eventEnabled")
      .Hex64("handle", handle)
      .Bytes("descriptor", descriptor, sizeof *descriptor)
      .Boolean("enabled", enabled);
  return enabled;
}

BOOLEAN WINAPI HookProviderEnabled(REGHANDLE handle, UCHAR level, ULONGLONG keyword) {
  bool enabled = IsEnabled(handle, level, keyword);
  Line("providerEnabled")
      .Hex64("handle", handle)
      .Number("level", level)
      .Hex64("keyword", keyword)
      .Boolean("enabled", enabled);
  return enabled;
}

template <typename Function>
void* Address(Function* function) {
  return reinterpret_cast<void*>(function);
}

}  // namespace

void* HookFor(const char* name) {
  static const struct {
    const char* name;
    void* function;
  } hooks[] = {
      {"EventRegister", Address(HookRegister)},
      {"EventUnregister", Address(HookUnregister)},
      {"EventSetInformation", Address(HookSetInformation)},
      {"EventWrite", Address(HookWrite)},
      {"EventWriteTransfer", Address(HookWriteTransfer)},
      {"EventWriteEx", Address(HookWriteEx)},
      {"EventWriteString", Address(HookWriteString)},
      {"EventActivityIdControl", Address(HookActivityIdControl)},
      {"EventEnabled", Address(HookEnabled)},
      {"EventProviderEnabled", Address(HookProviderEnabled)},
  };
  for (auto& hook : hooks) {
    if (strcmp(hook.name, name) == 0) return hook.function;
  }
  for (auto find : {ListHookFor, SessionHookFor, RealTimeHookFor}) {
    if (void* function = find(name)) return function;
  }
  return nullptr;
}

}  // namespace etwrec
