// One ETW provider of this process: its registration, the requests of sessions, and the enabled
// words of its events. Shared by all environments that define the provider.
#pragma once

#include <windows.h>
//
#include <evntprov.h>

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "provider.h"

namespace tracewright::etw {

// An event of a provider, as defined by one environment.
struct Event {
  class Provider* provider;
  EVENT_DESCRIPTOR descriptor;
  // The bytes for EventProviderSetTraits: size, name, group GUID.
  std::string traits;
  uint32_t* word;
};

class Provider {
 public:
  // Registers with ETW, which accepts one set of traits per registration; they may be empty.
  Provider(const GUID& id, const std::string& traits);
  ~Provider();
  Provider(const Provider&) = delete;
  Provider& operator=(const Provider&) = delete;

  // The status of EventRegister: 0, or why the provider cannot be used.
  ULONG status() const { return status_; }
  const GUID& id() const { return id_; }

  // Makes bit 0 of the event's word follow the sessions, from now until Remove has returned.
  void Add(Event* event);
  void Remove(Event* event);
  bool IsEmpty();

  // The last enable or disable; false if there was none.
  bool LastCommand(provider::Command* command);

  // Writes an event that begins with a header of 4 bytes (see provider.cc).
  ULONG Write(const Event& event, const uint8_t* data, size_t size);

 private:
  static void NTAPI OnCommand(LPCGUID source, ULONG code, UCHAR level, ULONGLONG any_keyword,
                              ULONGLONG all_keyword, PEVENT_FILTER_DESCRIPTOR filter,
                              PVOID context);
  void Apply(Event* event) const;
  bool IsEnabled(const EVENT_DESCRIPTOR& descriptor) const;

  const GUID id_;
  REGHANDLE handle_ = 0;
  ULONG status_ = 0;

  std::mutex mutex_;  // guards what follows; never held while ETW is called, which calls OnCommand
  // The order is 0 until there is one.
  provider::Command state_ = {};
  std::vector<Event*> events_;
};

}  // namespace tracewright::etw
