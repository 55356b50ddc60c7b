// See etw_provider.h. Source: the documentation of evntprov.h, and Microsoft's TraceLogging
// libraries.
#include "windows/etw_provider.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "windows/command_listeners.h"

namespace tracewright::etw {
namespace {

// EVENT_INFO_CLASS and the types of data descriptors that older SDKs, and mingw's, lack.
constexpr auto kSetTraits = static_cast<EVENT_INFO_CLASS>(2);
constexpr ULONG kProviderMetadata = 2;
constexpr ULONG kEventMetadata = 1;

constexpr ULONG kDisable = 0;
constexpr ULONG kEnable = 1;

constexpr uint32_t kTracerBit = 1;

// The layout of an event, made by the encoders of lib/wire/tracelogging and lib/wire/manifest.
constexpr size_t kMetadataSizeOffset = 0;  // u16: 0 for an event that a manifest describes
constexpr size_t kIdFlagsOffset = 2;       // u8: which of the ids are there
constexpr uint8_t kHasRelatedId = 2;
constexpr size_t kActivityIdOffset = 4;
constexpr size_t kRelatedIdOffset = 20;
constexpr size_t kMetadataOffset = 36;

EVENT_DATA_DESCRIPTOR Data(const void* bytes, size_t size, ULONG type) {
  EVENT_DATA_DESCRIPTOR descriptor;
  EventDataDescCreate(&descriptor, bytes, static_cast<ULONG>(size));
  descriptor.Reserved = type;
  return descriptor;
}

}  // namespace

Provider::Provider(const GUID& id, std::string traits) : id_(id), traits_(std::move(traits)) {
  // Calls OnCommand before it returns when a session waits for the provider already.
  status_ = EventRegister(&id_, OnCommand, this, &handle_);
  if (status_ != ERROR_SUCCESS || traits_.empty()) return;
  // Windows 7 refuses; then sessions do without the provider's name and group, as they always did
  // there.
  EventSetInformation(
      handle_, kSetTraits, const_cast<char*>(traits_.data()), static_cast<ULONG>(traits_.size()));
}

Provider::~Provider() {
  // Waits for an OnCommand that runs.
  if (handle_ != 0) EventUnregister(handle_);
}

void NTAPI Provider::OnCommand(LPCGUID, ULONG code, UCHAR level, ULONGLONG any_keyword,
                               ULONGLONG all_keyword, PEVENT_FILTER_DESCRIPTOR filter,
                               PVOID context) {
  auto* self = static_cast<Provider*>(context);
  // Other codes, like the request for a rundown, change nothing of what is enabled.
  if (code == kDisable || code == kEnable) {
    std::lock_guard<std::mutex> lock(self->mutex_);
    self->enabled_ = code == kEnable;
    self->level_ = level;
    self->any_keyword_ = any_keyword;
    self->all_keyword_ = all_keyword;
    for (Event* event : self->events_) self->Apply(event);
  }
  provider::Command command{};
  memcpy(command.provider, &self->id_, sizeof command.provider);
  command.code = code;
  command.level = level;
  command.any_keyword = any_keyword;
  command.all_keyword = all_keyword;
  if (filter != nullptr && filter->Ptr != 0) {
    auto* bytes = reinterpret_cast<const char*>(static_cast<uintptr_t>(filter->Ptr));
    command.filter.assign(bytes, filter->Size);
  }
  CommandListeners::Call(command);
}

// ETW's rule. A session's level 0 asks for all levels, its keyword 0 for all keywords; an event of
// level 0 or keyword 0 passes every filter.
void Provider::Apply(Event* event) const {
  const EVENT_DESCRIPTOR& descriptor = event->descriptor;
  bool level_passes = level_ == 0 || descriptor.Level <= level_;
  bool keyword_passes =
      descriptor.Keyword == 0 || ((any_keyword_ == 0 || (descriptor.Keyword & any_keyword_) != 0) &&
                                  (descriptor.Keyword & all_keyword_) == all_keyword_);
  auto* word = reinterpret_cast<volatile LONG*>(event->word);
  if (enabled_ && level_passes && keyword_passes) {
    InterlockedOr(word, kTracerBit);
  } else {
    InterlockedAnd(word, ~static_cast<LONG>(kTracerBit));
  }
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

ULONG Provider::Write(const EVENT_DESCRIPTOR& descriptor, const uint8_t* data, size_t size) {
  uint16_t metadata_size;
  memcpy(&metadata_size, data + kMetadataSizeOffset, sizeof metadata_size);
  size_t payload_offset = kMetadataOffset + metadata_size;
  if (size < payload_offset) return ERROR_INVALID_PARAMETER;
  // Never absent: ETW would stamp the thread's id, and all of JavaScript shares one thread. No
  // activity is the empty id, which stands in the buffer then.
  auto* activity_id = reinterpret_cast<const GUID*>(data + kActivityIdOffset);
  auto* related_id = (data[kIdFlagsOffset] & kHasRelatedId) != 0
                         ? reinterpret_cast<const GUID*>(data + kRelatedIdOffset)
                         : nullptr;
  EVENT_DATA_DESCRIPTOR parts[3];
  ULONG count = 0;
  if (metadata_size != 0) {
    parts[count++] = Data(traits_.data(), traits_.size(), kProviderMetadata);
    parts[count++] = Data(data + kMetadataOffset, metadata_size, kEventMetadata);
  }
  if (size > payload_offset) {
    parts[count++] = Data(data + payload_offset, size - payload_offset, 0);
  }
  return EventWriteTransfer(handle_, &descriptor, activity_id, related_id, count, parts);
}

}  // namespace tracewright::etw
