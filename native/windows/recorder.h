// Recording on Windows: an ETW session, which the system runs and writes to an .etl file, keeps in
// memory, or hands to consumers. It outlives this process, until somebody stops it.
//
// What is asked of a session are numbers and bytes that JavaScript builds: lib/wire/etw names them.
// Results are Win32 errors; 0 means success.
#pragma once

#include <windows.h>
//
#include <wmistr.h>
//
#include <evntrace.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tracewright::etw {

// The numbers of EVENT_TRACE_PROPERTIES as they lie there, from BufferSize to RealTimeBuffersLost.
using SessionNumbers = std::array<ULONG, 14>;

struct SessionProperties {
  TRACEHANDLE session = 0;
  std::wstring name;
  std::wstring file;  // an absolute path; empty: none, or as it is
  GUID guid = {};     // of the system's session, or of the provider of a private one
  SessionNumbers numbers = {};
};

// Starts the session, and sets its handle.
ULONG StartSession(SessionProperties* properties);

// `code` is one of EVENT_TRACE_CONTROL_. Finds the session by its handle, or if that is 0 by its
// name, whoever started it; and sets what ETW answers. If the session does not exist, or no longer,
// the error is ERROR_WMI_INSTANCE_NOT_FOUND.
ULONG ControlSession(ULONG code, SessionProperties* properties);

struct EventFilter {
  ULONG type;  // one of EVENT_FILTER_TYPE_
  std::vector<uint8_t> data;
};

struct ProviderRequest {
  GUID provider = {};
  ULONG code = EVENT_CONTROL_CODE_ENABLE_PROVIDER;
  UCHAR level = 0;
  ULONGLONG any_keyword = 0;
  ULONGLONG all_keyword = 0;
  ULONG enable_property = 0;
  std::vector<EventFilter> filters;
};

// Has the session record the provider, in all present and future processes, or record it otherwise,
// or no longer; or asks the provider for its state. Returns before the providers know.
ULONG ControlProvider(TRACEHANDLE session, const ProviderRequest& request);

// Sets a TRACE_INFO_CLASS, such as the events of the kernel that get stacks.
ULONG SetSessionInformation(TRACEHANDLE session, ULONG information_class, const void* data,
                            ULONG size);

// Turns on a privilege that this process's user has. ERROR_NOT_ALL_ASSIGNED: the user lacks it.
ULONG EnablePrivilege(const std::wstring& name);

}  // namespace tracewright::etw
