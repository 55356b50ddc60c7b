// A model of ETW, as one process and its providers see it: who is registered, what a session asks
// of them, and what becomes of an event. There is no tracing in it.
//
// It follows Microsoft's documentation of evntprov.h and of EnableTraceEx2. What is still to be
// confirmed by a real Windows, because the documentation is silent or was not tried:
//  - a session's level 0 lets all levels through, and its any-keyword 0 all keywords; and the
//    callback sees that 0 as it was given, not as 255 or as all ones;
//  - inside EventRegister the callback runs before the caller's handle is set;
//  - EventRegister's own callback and one that a control thread brings never overlap for one
//    registration, and the last to run tells the last state;
//  - more than 128 descriptors are refused (87) also when nobody listens, and too large an event
//    (534) only when somebody does;
//  - the 64 KB of an event hold its header of 80 bytes and no other extra;
//  - a callback that unregisters its own provider does not deadlock;
//  - the ids that EventActivityIdControl creates: here a count, never random;
//  - of several sessions a provider is told what they ask together: the most verbose level, all
//    keywords of any-keyword, those common to every all-keyword, and the latest session's filter
//    data; when one of them goes, by another "enable", and only the last one's end is a "disable";
//  - a provider that registers then is called once, with what they ask together; one that then
//  tells
//    its group, once more if a session has the group enabled.
#pragma once

#include <windows.h>
//
#include <evntprov.h>

#include <cstdint>
#include <string>

namespace etwrec {

// What a session asks of a provider: the control codes of an enable callback.
enum class Command : ULONG { kDisable = 0, kEnable = 1, kCaptureState = 2 };

struct Filter {
  UCHAR level = 0;
  ULONGLONG any_keyword = 0;
  ULONGLONG all_keyword = 0;
  // Asked of all providers of a group, with EVENT_ENABLE_PROPERTY_PROVIDER_GROUP.
  bool is_group = false;
  bool has_data = false;
  std::string data;  // for the callback's EVENT_FILTER_DESCRIPTOR, of the schematized type
};

ULONG Register(const GUID* provider, PENABLECALLBACK callback, void* context, REGHANDLE* handle);
ULONG Unregister(REGHANDLE handle);
ULONG SetInformation(REGHANDLE handle, int information_class, const void* data, ULONG size);
bool IsEnabled(REGHANDLE handle, UCHAR level, ULONGLONG keyword);

struct Outcome {
  ULONG status;
  bool delivered;  // whether a session has got the event
};
Outcome Write(REGHANDLE handle, const EVENT_DESCRIPTOR& descriptor, ULONG count,
              const EVENT_DATA_DESCRIPTOR* data);

// All zero for a handle that never was one.
GUID ProviderOf(REGHANDLE handle);

// The five codes of evntprov.h.
ULONG ActivityIdControl(ULONG code, GUID* id);
// What ETW stamps on an event whose writer gives no activity id.
GUID ThreadActivityId();

// Has the session, by its name, ask this of the provider: a thread of the recorder's own calls the
// callbacks of all its registrations, after those of the commands before; `wait` for that.
void Send(const GUID& provider, const std::string& session, Command command, const Filter& filter,
          bool wait);
// Waits for the callbacks of all commands.
void Settle();

// Gives the sessions buffers of this size: larger events are refused.
void SetBufferSize(uint64_t bytes);

enum class Operation {
  kRegister,
  kSetInformation,
  kWrite,
  kStartTrace,
  kEnableTrace,
  kControlTrace,
  kTraceInformation,
  kPrivilege,
  kOpenTrace,
  kProcessTrace
};
// Has the next `count` calls with a valid handle fail.
void FailNext(Operation operation, ULONG status, ULONG count);
// What the next call answers, unless it is not valid; 0: no failure.
ULONG NextFailure(Operation operation);

}  // namespace etwrec
