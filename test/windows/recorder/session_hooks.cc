// See session_hooks.h. Source of the signatures: evntrace.h and the documentation of StartTraceW,
// EnableTraceEx2, ControlTraceW, TraceSetInformation and AdjustTokenPrivileges.
#include "session_hooks.h"

#include <windows.h>
//
#include <wmistr.h>
//
#include <evntprov.h>
#include <evntrace.h>

#include <cstring>
#include <cwchar>
#include <string>

#include "call_log.h"
#include "etw_model.h"
#include "session_model.h"
#include "session_modes.h"

namespace etwrec {
namespace {

// UTF-16, as it stands there: paths have characters that JSON would want escaped.
Line& WideText(Line& line, const char* name, const wchar_t* text) {
  return line.Bytes(name, text, text == nullptr ? 0 : wcslen(text) * sizeof *text);
}

// The numbers of the properties, and the names behind them.
void Describe(Line& line, EVENT_TRACE_PROPERTIES& properties) {
  line.Number("size", properties.Wnode.BufferSize)
      .Number("flags", properties.Wnode.Flags)
      .Number("clock", properties.Wnode.ClientContext)
      .Number("bufferKib", properties.BufferSize)
      .Number("minimumBuffers", properties.MinimumBuffers)
      .Number("maximumBuffers", properties.MaximumBuffers)
      .Number("maximumFileSize", properties.MaximumFileSize)
      .Number("mode", properties.LogFileMode)
      .Number("flushTimer", properties.FlushTimer)
      .Number("enableFlags", properties.EnableFlags)
      .Number("nameOffset", properties.LoggerNameOffset)
      .Number("fileOffset", properties.LogFileNameOffset);
  WideText(line, "file", FileIn(&properties));
}

// The structure alone, before ETW fills it in.
std::string Given(const EVENT_TRACE_PROPERTIES& properties) {
  return Hex(&properties, sizeof properties);
}

// And the name of a file that is given.
std::wstring GivenFile(EVENT_TRACE_PROPERTIES* properties) {
  const wchar_t* file = FileIn(properties);
  return file == nullptr ? L"" : file;
}

std::string FiltersJson(const ENABLE_TRACE_PARAMETERS& parameters) {
  std::string json = "[";
  for (ULONG i = 0; i < parameters.FilterDescCount; ++i) {
    const EVENT_FILTER_DESCRIPTOR& filter = parameters.EnableFilterDesc[i];
    if (i > 0) json += ',';
    json += "{\"type\":" + std::to_string(filter.Type) +
            ",\"size\":" + std::to_string(filter.Size) + ",\"bytes\":\"" +
            Hex(reinterpret_cast<const void*>(filter.Ptr), filter.Size) + "\"}";
  }
  return json + ']';
}

ULONG WINAPI HookStartTrace(TRACEHANDLE* session, const wchar_t* name,
                            EVENT_TRACE_PROPERTIES* properties) {
  std::string given = Given(*properties);
  ULONG status = Start(name, properties, session);
  Line line("startTrace");
  WideText(line, "name", name);
  Describe(line, *properties);
  line.Text("properties", given).Hex64("session", *session).Number("status", status);
  return status;
}

ULONG WINAPI HookEnableTrace(TRACEHANDLE session, const GUID* provider, ULONG code, UCHAR level,
                             ULONGLONG any_keyword, ULONGLONG all_keyword, ULONG timeout,
                             ENABLE_TRACE_PARAMETERS* parameters) {
  ULONG status = Enable(session, *provider, code, level, any_keyword, all_keyword, *parameters);
  Line("enableTrace")
      .Hex64("session", session)
      .Guid("provider", provider)
      .Number("code", code)
      .Number("level", level)
      .Hex64("any", any_keyword)
      .Hex64("all", all_keyword)
      .Number("timeout", timeout)
      .Bytes("parameters", parameters, sizeof *parameters)
      .Json("filters", FiltersJson(*parameters))
      .Number("status", status);
  return status;
}

ULONG WINAPI HookControlTrace(TRACEHANDLE session, const wchar_t* name,
                              EVENT_TRACE_PROPERTIES* properties, ULONG code) {
  std::string given = Given(*properties);
  std::wstring given_file = GivenFile(properties);
  ULONG status = Control(session, name, properties, code);
  Line line("controlTrace");
  line.Hex64("session", session).Number("code", code);
  WideText(line, "name", name);
  Describe(line, *properties);
  line.Text("properties", given);
  WideText(line, "givenFile", given_file.c_str()).Number("status", status);
  return status;
}

ULONG WINAPI HookTraceInformation(TRACEHANDLE session, TRACE_INFO_CLASS information_class,
                                  void* data, ULONG size) {
  ULONG status = SetTraceInformation(session, information_class, data, size);
  Line("traceInformation")
      .Hex64("session", session)
      .Number("class", information_class)
      .Bytes("data", data, size)
      .Number("status", status);
  return status;
}

BOOL WINAPI HookAdjustPrivileges(HANDLE, BOOL disables_all, TOKEN_PRIVILEGES* given, DWORD,
                                 TOKEN_PRIVILEGES*, DWORD*) {
  ULONG status = NextFailure(Operation::kPrivilege);
  auto& privilege = given->Privileges[0];
  if (status == ERROR_SUCCESS) HoldPrivilege(privilege.Luid);
  Line("privilege")
      .Boolean("disablesAll", disables_all)
      .Number("count", given->PrivilegeCount)
      .Number("privilege", privilege.Luid.LowPart)
      .Number("attributes", privilege.Attributes)
      .Number("status", status);
  SetLastError(status);
  return TRUE;
}

template <typename Function>
void* Address(Function* function) {
  return reinterpret_cast<void*>(function);
}

}  // namespace

void* SessionHookFor(const char* name) {
  if (strcmp(name, "StartTraceW") == 0) return Address(HookStartTrace);
  if (strcmp(name, "EnableTraceEx2") == 0) return Address(HookEnableTrace);
  if (strcmp(name, "ControlTraceW") == 0) return Address(HookControlTrace);
  if (strcmp(name, "TraceSetInformation") == 0) return Address(HookTraceInformation);
  if (strcmp(name, "AdjustTokenPrivileges") == 0) return Address(HookAdjustPrivileges);
  return nullptr;
}

}  // namespace etwrec
