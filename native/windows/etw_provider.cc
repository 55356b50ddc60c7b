// See etw_provider.h. Source: the documentation of evntprov.h, and Microsoft's TraceLogging
// libraries.
#include "windows/etw_provider.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include "windows/command_listeners.h"

namespace tracewright::etw {
namespace {

// Missing from older SDKs and mingw's headers: EventProviderSetTraits, and the types of data
// descriptors.
constexpr int kSetTraits = 2;
constexpr ULONG kProviderMetadata = 2;
constexpr ULONG kEventMetadata = 1;

constexpr ULONG kDisable = 0;
constexpr ULONG kEnable = 1;

constexpr uint32_t kTracerBit = 1;

// The layout of an event, created by the encoders in lib/wire/tracelogging and lib/wire/manifest.
constexpr size_t kMetadataSizeOffset = 0;  // u16: 0 for an event that a manifest describes
constexpr size_t kIdFlagsOffset = 2;       // u8: which of the ids are present
constexpr uint8_t kHasRelatedId = 2;
constexpr size_t kActivityIdOffset = 4;
constexpr size_t kRelatedIdOffset = 20;
constexpr size_t kMetadataOffset = 36;

EVENT_INFO_CLASS InfoClass(int value) { return static_cast<EVENT_INFO_CLASS>(value); }

EVENT_DATA_DESCRIPTOR Data(const void* bytes, size_t size, ULONG type) {
  EVENT_DATA_DESCRIPTOR descriptor;
  EventDataDescCreate(&descriptor, bytes, static_cast<ULONG>(size));
  descriptor.Reserved = type;
  return descriptor;
}

}  // namespace

Provider::Provider(const GUID& id, const std::string& traits) : id_(id) {
  // Calls OnCommand before it returns if a session is already waiting for the provider.
  status_ = EventRegister(&id_, OnCommand, this, &handle_);
  if (status_ != ERROR_SUCCESS || traits.empty()) return;
  // Windows 7 refuses this; then sessions lack the provider's name and group, as always there.
  EventSetInformation(handle_,
                      InfoClass(kSetTraits),
                      const_cast<char*>(traits.data()),
                      static_cast<ULONG>(traits.size()));
}

Provider::~Provider() {
  // Waits for a running OnCommand.
  if (handle_ != 0) EventUnregister(handle_);
}

void NTAPI Provider::OnCommand(LPCGUID, ULONG code, UCHAR level, ULONGLONG any_keyword,
                               ULONGLONG all_keyword, PEVENT_FILTER_DESCRIPTOR filter,
                               PVOID context) {
  static std::atomic<uint64_t> commands{0};
  auto* self = static_cast<Provider*>(context);
  provider::Command command{};
  memcpy(command.provider, &self->id_, sizeof command.provider);
  command.code = code;
  command.level = level;
  command.any_keyword = any_keyword;
  command.all_keyword = all_keyword;
  command.order = ++commands;
  if (filter != nullptr && filter->Ptr != 0) {
    auto* bytes = reinterpret_cast<const char*>(static_cast<uintptr_t>(filter->Ptr));
    command.filter.assign(bytes, filter->Size);
  }
  // Other codes, such as the request for a rundown, do not change what is enabled.
  if (code == kDisable || code == kEnable) {
    std::lock_guard<std::mutex> lock(self->mutex_);
    self->state_ = command;
    for (Event* event : self->events_) self->Apply(event);
  }
  CommandListeners::Call(command);
}

// ETW's rule. A session's level 0 requests all levels, its keyword 0 all keywords; an event with
// level 0 or keyword 0 passes every filter.
bool Provider::IsEnabled(const EVENT_DESCRIPTOR& descriptor) const {
  if (state_.code != kEnable) return false;
  if (state_.level != 0 && descriptor.Level > state_.level) return false;
  if (descriptor.Keyword == 0) return true;
  bool any = state_.any_keyword == 0 || (descriptor.Keyword & state_.any_keyword) != 0;
  return any && (descriptor.Keyword & state_.all_keyword) == state_.all_keyword;
}

void Provider::Apply(Event* event) const {
  auto* word = reinterpret_cast<volatile LONG*>(event->word);
  if (IsEnabled(event->descriptor)) {
    InterlockedOr(word, kTracerBit);
  } else {
    InterlockedAnd(word, ~static_cast<LONG>(kTracerBit));
  }
}

bool Provider::LastCommand(provider::Command* command) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (state_.order == 0) return false;
  *command = state_;
  return true;
}

void Provider::Add(Event* event) {
  std::lock_guard<std::mutex> lock(mutex_);
  events_.push_back(event);
  Apply(event);
}

void Provider::Remove(Event* event) {
  std::lock_guard<std::mutex> lock(mutex_);
  events_.erase(std::find(events_.begin(), events_.end(), event));
}

bool Provider::IsEmpty() {
  std::lock_guard<std::mutex> lock(mutex_);
  return events_.empty();
}

ULONG Provider::Write(const Event& event, const uint8_t* data, size_t size) {
  uint16_t metadata_size;
  memcpy(&metadata_size, data + kMetadataSizeOffset, sizeof metadata_size);
  size_t payload_offset = kMetadataOffset + metadata_size;
  if (size < payload_offset) return ERROR_INVALID_PARAMETER;
  // Never absent: ETW would use the thread's id, and all of JavaScript shares one thread. Without
  // an activity, the buffer contains the empty id.
  auto* activity_id = reinterpret_cast<const GUID*>(data + kActivityIdOffset);
  auto* related_id = (data[kIdFlagsOffset] & kHasRelatedId) != 0
                         ? reinterpret_cast<const GUID*>(data + kRelatedIdOffset)
                         : nullptr;
  EVENT_DATA_DESCRIPTOR parts[3];
  ULONG count = 0;
  if (metadata_size != 0) {
    parts[count++] = Data(event.traits.data(), event.traits.size(), kProviderMetadata);
    parts[count++] = Data(data + kMetadataOffset, metadata_size, kEventMetadata);
  }
  if (size > payload_offset) {
    parts[count++] = Data(data + payload_offset, size - payload_offset, 0);
  }
  return EventWriteTransfer(handle_, &event.descriptor, activity_id, related_id, count, parts);
}

}  // namespace tracewright::etw
