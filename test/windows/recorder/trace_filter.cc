// See trace_filter.h. Source: evntprov.h and evntcons.h, whose later parts mingw's lack, and the
// documentation of EVENT_FILTER_DESCRIPTOR, EVENT_FILTER_EVENT_ID, EVENT_FILTER_EVENT_NAME and
// EVENT_FILTER_LEVEL_KW.
#include "trace_filter.h"

#include <algorithm>
#include <cstring>
#include <cwchar>

namespace etwrec {
namespace {

enum FilterType : ULONG {
  kProcessId = 0x80000004,
  kExecutable = 0x80000008,
  kEventId = 0x80000200,
  kEventName = 0x80000400,
  kStackWalk = 0x80001000,
  kStackWalkLevel = 0x80004000,
};

enum Property : ULONG {
  kSid = 0x1,
  kTerminalSession = 0x2,
  kStackTrace = 0x4,
  kIgnoreKeyword0 = 0x10,
  kProviderGroup = 0x20,
  kProcessStartKey = 0x80,
  kEventKey = 0x100,
};

constexpr size_t kMaxProcessIds = 8;
constexpr size_t kMaxEventIds = 64;
constexpr size_t kMaxData = 1024;
constexpr size_t kMaxNames = 4096;

struct EventIds {
  BOOLEAN filter_in;
  UCHAR reserved;
  USHORT count;
  USHORT events[1];
};
static_assert(offsetof(EventIds, events) == 4);

struct LevelAndKeywords {
  ULONGLONG any;
  ULONGLONG all;
  UCHAR level;
  BOOLEAN filter_in;
};
static_assert(sizeof(LevelAndKeywords) == 24);

struct EventNames {
  ULONGLONG any;
  ULONGLONG all;
  UCHAR level;
  BOOLEAN filter_in;
  USHORT count;
  char names[1];
};
static_assert(offsetof(EventNames, names) == 20);

template <typename Structure>
const Structure& As(const std::string& data) {
  return *reinterpret_cast<const Structure*>(data.data());
}

bool PassesLevel(UCHAR level, ULONGLONG any, ULONGLONG all, const EVENT_DESCRIPTOR& event) {
  if (level != 0 && event.Level > level) return false;
  if (event.Keyword == 0) return true;
  return (any == 0 || (event.Keyword & any) != 0) && (event.Keyword & all) == all;
}

bool HasId(const std::string& data, USHORT id) {
  auto& ids = As<EventIds>(data);
  return std::find(ids.events, ids.events + ids.count, id) != ids.events + ids.count;
}

// Of the names, which each have a NUL behind them.
bool HasName(const std::string& data, const std::string& name) {
  auto& names = As<EventNames>(data);
  const char* at = names.names;
  for (USHORT i = 0; i < names.count; ++i, at += strlen(at) + 1) {
    if (name == at) return true;
  }
  return false;
}

bool HasExecutable(const std::string& data, const std::wstring& executable) {
  std::wstring names(reinterpret_cast<const wchar_t*>(data.data()));
  for (size_t start = 0; start <= names.size();) {
    size_t end = std::min(names.find(L';', start), names.size());
    if (_wcsicmp(names.substr(start, end - start).c_str(), executable.c_str()) == 0) return true;
    start = end + 1;
  }
  return false;
}

bool IsEventIds(const std::string& data) {
  if (data.size() < offsetof(EventIds, events)) return false;
  auto& ids = As<EventIds>(data);
  return ids.count >= 1 && ids.count <= kMaxEventIds && ids.reserved == 0 &&
         data.size() == offsetof(EventIds, events) + ids.count * sizeof(USHORT);
}

bool IsEventNames(const std::string& data) {
  constexpr size_t kStart = offsetof(EventNames, names);
  if (data.size() <= kStart || data.size() > kMaxNames || data.back() != '\0') return false;
  auto count = std::count(data.begin() + kStart, data.end(), '\0');
  return As<EventNames>(data).count == count;
}

bool IsExecutables(const std::string& data) {
  constexpr char kEnd[] = {0, 0};
  return data.size() >= 4 && data.size() % 2 == 0 && data.size() <= kMaxData &&
         data.compare(data.size() - 2, 2, kEnd, 2) == 0;
}

}  // namespace

bool TraceFilter::IsWellFormed(const Part& part) {
  switch (part.type) {
    case kProcessId:
      return !part.data.empty() && part.data.size() % sizeof(ULONG) == 0 &&
             part.data.size() <= kMaxProcessIds * sizeof(ULONG);
    case kExecutable:
      return IsExecutables(part.data);
    case kEventId:
    case kStackWalk:
      return IsEventIds(part.data);
    case kEventName:
      return IsEventNames(part.data);
    case kStackWalkLevel:
      return part.data.size() == sizeof(LevelAndKeywords);
    default:
      return false;
  }
}

ULONG TraceFilter::Set(UCHAR level, ULONGLONG any_keyword, ULONGLONG all_keyword,
                       const ENABLE_TRACE_PARAMETERS& parameters) {
  constexpr ULONG kKnown = kSid | kTerminalSession | kStackTrace | kIgnoreKeyword0 |
                           kProviderGroup | kProcessStartKey | kEventKey;
  if (parameters.Version != 2 || (parameters.EnableProperty & ~kKnown) != 0) {
    return ERROR_INVALID_PARAMETER;
  }
  std::vector<Part> parts;
  for (ULONG i = 0; i < parameters.FilterDescCount; ++i) {
    auto& filter = parameters.EnableFilterDesc[i];
    auto* data = reinterpret_cast<const char*>(filter.Ptr);
    Part part{filter.Type, {data, filter.Size}};
    auto is_same = [&](const Part& other) { return other.type == part.type; };
    bool is_twice = std::any_of(parts.begin(), parts.end(), is_same);
    if (is_twice || !IsWellFormed(part)) return ERROR_INVALID_PARAMETER;
    parts.push_back(part);
  }
  level_ = level;
  any_ = any_keyword;
  all_ = all_keyword;
  property_ = parameters.EnableProperty;
  parts_ = parts;
  return ERROR_SUCCESS;
}

bool TraceFilter::PassesPart(const Part& part, const TracedEvent& event) {
  switch (part.type) {
    case kProcessId: {
      auto* ids = reinterpret_cast<const ULONG*>(part.data.data());
      auto* end = ids + part.data.size() / sizeof *ids;
      return std::find(ids, end, event.process) != end;
    }
    case kExecutable:
      return HasExecutable(part.data, event.executable);
    case kEventId:
      return HasId(part.data, event.descriptor.Id) == (As<EventIds>(part.data).filter_in != 0);
    case kEventName: {
      auto& names = As<EventNames>(part.data);
      // The others are not the filter's business.
      if (!PassesLevel(names.level, names.any, names.all, event.descriptor)) return true;
      return HasName(part.data, event.name) == (names.filter_in != 0);
    }
    default:
      return true;
  }
}

bool TraceFilter::Passes(const TracedEvent& event) const {
  if ((property_ & kIgnoreKeyword0) != 0 && event.descriptor.Keyword == 0) return false;
  if (!PassesLevel(level_, any_, all_, event.descriptor)) return false;
  return std::all_of(
      parts_.begin(), parts_.end(), [&](const Part& part) { return PassesPart(part, event); });
}

bool TraceFilter::HasStack(const TracedEvent& event) const {
  if ((property_ & kStackTrace) == 0) return false;
  for (auto& part : parts_) {
    if (part.type == kStackWalk) {
      return HasId(part.data, event.descriptor.Id) == (As<EventIds>(part.data).filter_in != 0);
    }
    if (part.type == kStackWalkLevel) {
      auto& of = As<LevelAndKeywords>(part.data);
      return PassesLevel(of.level, of.any, of.all, event.descriptor) == (of.filter_in != 0);
    }
  }
  return true;
}

std::string TraceFilter::LabelOf(const TracedEvent& event) const {
  std::string label = event.name.empty() ? '#' + std::to_string(event.descriptor.Id) : event.name;
  if (HasStack(event)) label += " +stack";
  if ((property_ & kSid) != 0) label += " +user";
  if ((property_ & kTerminalSession) != 0) label += " +terminal";
  if ((property_ & kProcessStartKey) != 0) label += " +process";
  if ((property_ & kEventKey) != 0) label += " +event";
  return label;
}

bool TraceFilter::IsOfGroup() const { return (property_ & kProviderGroup) != 0; }

}  // namespace etwrec
