// The modes of sessions, and which may be combined.
#pragma once

#include <windows.h>
//
#include <wmistr.h>
//
#include <evntrace.h>

namespace etwrec {

// LogFileMode; mingw's headers lack some.
enum Mode : ULONG {
  kSequential = 0x1,
  kCircular = 0x2,
  kNewFile = 0x8,
  kPreallocate = 0x20,
  kRealTime = 0x100,
  kBuffering = 0x400,
  kPrivate = 0x800,
  kKibForSize = 0x2000,
  kPrivateInProcess = 0x20000,
  kSystem = 0x02000000,
  kCompressed = 0x04000000,
  kIndependent = 0x08000000,
};

// The text at an offset of the properties; null for 0.
wchar_t* TextAt(EVENT_TRACE_PROPERTIES* properties, ULONG offset);
// The file in the properties; null: they have no room for one.
wchar_t* FileIn(EVENT_TRACE_PROPERTIES* properties);

// What StartTraceW answers to these properties, as far as they decide.
ULONG CheckStart(bool holds_profile_privilege, const wchar_t* name,
                 EVENT_TRACE_PROPERTIES* properties);

}  // namespace etwrec
