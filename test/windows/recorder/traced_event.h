// An event, as sessions see it before they decide whether to record it.
#pragma once

#include <windows.h>
//
#include <evntprov.h>

#include <string>

namespace etwrec {

struct TracedEvent {
  GUID provider;
  GUID group;  // of the provider; all zero: none
  ULONG process;
  std::wstring executable;
  EVENT_DESCRIPTOR descriptor;
  std::string name;  // empty: it has an id
  ULONG size;        // with its header
  bool is_of_this_process;
};

// Of this process, and its name in the event's metadata.
TracedEvent EventOfThisProcess(const GUID& provider, const EVENT_DESCRIPTOR& descriptor,
                               ULONG count, const EVENT_DATA_DESCRIPTOR* data);

}  // namespace etwrec
