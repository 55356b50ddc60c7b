// See etw_model.h.
#include "etw_model.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "call_log.h"
#include "control_thread.h"

namespace etwrec {
namespace {

// An event's whole size, header included, must fit 16 bits.
constexpr uint64_t kLargestEvent = 65535;
constexpr uint64_t kHeaderSize = 80;
constexpr int kSetTraits = 2;  // EventProviderSetTraits
// Of provider traits: the size and the type before a trait's data, and the type of a group.
constexpr size_t kTraitHeadSize = 3;
constexpr char kGroupTrait = 1;
// What a buffer of a session holds besides events: its WMI_BUFFER_HEADER.
constexpr uint64_t kBufferHeaderSize = 72;

struct Registration {
  GUID provider;
  PENABLECALLBACK callback;
  void* context;
  REGHANDLE handle;
  bool live = true;
  // From the provider's traits, which follow its registration; all zero: no group.
  GUID group = {};
  // Held while the callback runs; recursive, for a callback that unregisters.
  std::recursive_mutex calling;
};

struct GuidLess {
  bool operator()(const GUID& a, const GUID& b) const { return memcmp(&a, &b, sizeof a) < 0; }
};

struct Failure {
  ULONG status = 0;
  ULONG left = 0;
};

// What each session asks of one provider, the latest request last.
using Sessions = std::vector<std::pair<std::string, Filter>>;

struct State {
  std::mutex mutex;  // guards all of this; never held while a callback runs
  std::vector<std::shared_ptr<Registration>> registrations;  // for ever: a handle is never reused
  std::map<GUID, Sessions, GuidLess> sessions;               // that have each provider enabled
  std::map<GUID, Sessions, GuidLess> group_sessions;         // the same for each group of them
  std::map<Operation, Failure> failures;
  uint64_t buffer_size = 0;  // of the sessions; 0: large enough
  uint64_t created_ids = 0;
};

// Leaked on purpose: calls come until the very end of the process.
State& TheState() {
  static State* state = new State;
  return *state;
}

thread_local GUID thread_activity_id = {};

// Looks like no pointer and no small number, as real handles.
REGHANDLE HandleOf(size_t index) { return 0x00e7000000000000 | (index + 1) << 16 | 0x77; }

std::shared_ptr<Registration> Find(REGHANDLE handle) {
  State& state = TheState();
  std::lock_guard<std::mutex> lock(state.mutex);
  for (auto& registration : state.registrations) {
    if (registration->handle == handle) return registration;
  }
  return nullptr;
}

std::shared_ptr<Registration> FindLive(REGHANDLE handle) {
  std::shared_ptr<Registration> found = Find(handle);
  return found != nullptr && found->live ? found : nullptr;
}

// With the state's mutex held.
Sessions SessionsLocked(const State& state, const Registration& registration) {
  Sessions all;
  auto add = [&](const std::map<GUID, Sessions, GuidLess>& sessions, const GUID& id) {
    auto found = sessions.find(id);
    if (found != sessions.end()) all.insert(all.end(), found->second.begin(), found->second.end());
  };
  add(state.sessions, registration.provider);
  add(state.group_sessions, registration.group);
  return all;
}

Sessions SessionsOf(const Registration& registration) {
  State& state = TheState();
  std::lock_guard<std::mutex> lock(state.mutex);
  return SessionsLocked(state, registration);
}

// What all sessions ask together, of which there is one at least: the weakest filter that lets
// through what any of them wants. The data are those of the latest request.
Filter Combined(const Sessions& sessions) {
  Filter all = sessions.front().second;
  for (auto& [name, filter] : sessions) {
    all.level = all.level == 0 || filter.level == 0 ? 0 : std::max(all.level, filter.level);
    bool is_any = all.any_keyword == 0 || filter.any_keyword == 0;
    all.any_keyword = is_any ? 0 : all.any_keyword | filter.any_keyword;
    all.all_keyword &= filter.all_keyword;
    all.has_data = filter.has_data;
    all.data = filter.data;
  }
  return all;
}

bool Passes(const Filter& filter, UCHAR level, ULONGLONG keyword) {
  if (level > filter.level && filter.level != 0) return false;
  if (keyword == 0) return true;
  bool any = filter.any_keyword == 0 || (keyword & filter.any_keyword) != 0;
  return any && (keyword & filter.all_keyword) == filter.all_keyword;
}

// With `calling` held.
void Call(const Registration& registration, Command command, const Filter& filter) {
  if (!registration.live || registration.callback == nullptr) return;
  const void* data = filter.has_data ? filter.data.data() : nullptr;
  Line("callback")
      .Hex64("handle", registration.handle)
      .Guid("provider", &registration.provider)
      .Number("code", static_cast<ULONG>(command))
      .Number("level", filter.level)
      .Hex64("any", filter.any_keyword)
      .Hex64("all", filter.all_keyword)
      .Bytes("filter", data, filter.data.size());
  EVENT_FILTER_DESCRIPTOR descriptor = {};
  descriptor.Ptr = reinterpret_cast<ULONGLONG>(data);
  descriptor.Size = static_cast<ULONG>(filter.data.size());
  descriptor.Type = EVENT_FILTER_TYPE_SCHEMATIZED;
  GUID source = {};
  registration.callback(&source,
                        static_cast<ULONG>(command),
                        filter.level,
                        filter.any_keyword,
                        filter.all_keyword,
                        data == nullptr ? nullptr : &descriptor,
                        registration.context);
  Line("callbackDone").Hex64("handle", registration.handle);
}

void CallAll(const GUID& id, const std::string& session, Command command, const Filter& filter) {
  struct Called {
    std::shared_ptr<Registration> registration;
    Command command;
    Filter filter;
  };
  std::vector<Called> called;
  State& state = TheState();
  {
    std::lock_guard<std::mutex> lock(state.mutex);
    if (command != Command::kCaptureState) {
      Sessions& sessions = (filter.is_group ? state.group_sessions : state.sessions)[id];
      auto is_it = [&](const auto& entry) { return entry.first == session; };
      sessions.erase(std::remove_if(sessions.begin(), sessions.end(), is_it), sessions.end());
      if (command == Command::kEnable) sessions.emplace_back(session, filter);
    }
    for (auto& registration : state.registrations) {
      const GUID& own = filter.is_group ? registration->group : registration->provider;
      if (!IsEqualGUID(own, id)) continue;
      Sessions sessions = SessionsLocked(state, *registration);
      // While one is left, the provider is told what is asked for from now on.
      if (command == Command::kCaptureState || sessions.empty()) {
        called.push_back({registration, command, filter});
      } else {
        called.push_back({registration, Command::kEnable, Combined(sessions)});
      }
    }
  }
  for (auto& [registration, told, asked] : called) {
    std::lock_guard<std::recursive_mutex> calling(registration->calling);
    Call(*registration, told, asked);
  }
}

// The provider's group, of its traits: size u16, name NUL, and traits of size u16, type u8, data.
GUID GroupIn(const std::string& traits) {
  GUID group = {};
  size_t offset = traits.find('\0', sizeof(uint16_t)) + 1;
  while (offset != 0 && offset + kTraitHeadSize <= traits.size()) {
    uint16_t size;
    memcpy(&size, traits.data() + offset, sizeof size);
    if (size < kTraitHeadSize || offset + size > traits.size()) break;
    bool is_group = traits[offset + sizeof size] == kGroupTrait;
    if (is_group && size == kTraitHeadSize + sizeof group) {
      memcpy(&group, traits.data() + offset + kTraitHeadSize, sizeof group);
    }
    offset += size;
  }
  return group;
}

// Tells the provider what sessions ask of its group.
void JoinGroup(const std::shared_ptr<Registration>& registration, const std::string& traits) {
  std::lock_guard<std::recursive_mutex> calling(registration->calling);
  Sessions sessions;
  {
    State& state = TheState();
    std::lock_guard<std::mutex> lock(state.mutex);
    registration->group = GroupIn(traits);
    if (state.group_sessions.count(registration->group) != 0) {
      sessions = SessionsLocked(state, *registration);
    }
  }
  if (!sessions.empty()) Call(*registration, Command::kEnable, Combined(sessions));
}

GUID CreateId() {
  State& state = TheState();
  std::lock_guard<std::mutex> lock(state.mutex);
  GUID id = {};
  id.Data1 = static_cast<ULONG>(++state.created_ids);
  memcpy(id.Data4,
         "\x80\x00"
         "etwrec",
         sizeof id.Data4);
  return id;
}

}  // namespace

ULONG Register(const GUID* provider, PENABLECALLBACK callback, void* context, REGHANDLE* handle) {
  if (provider == nullptr || handle == nullptr) return ERROR_INVALID_PARAMETER;
  *handle = 0;
  ULONG failure = NextFailure(Operation::kRegister);
  if (failure != ERROR_SUCCESS) return failure;
  auto registration = std::make_shared<Registration>();
  registration->provider = *provider;
  registration->callback = callback;
  registration->context = context;
  // Held from before any other thread can find the registration, until its first callback is over.
  std::lock_guard<std::recursive_mutex> calling(registration->calling);
  {
    State& state = TheState();
    std::lock_guard<std::mutex> lock(state.mutex);
    registration->handle = HandleOf(state.registrations.size());
    state.registrations.push_back(registration);
  }
  Sessions sessions = SessionsOf(*registration);
  if (!sessions.empty()) Call(*registration, Command::kEnable, Combined(sessions));
  *handle = registration->handle;
  return ERROR_SUCCESS;
}

ULONG Unregister(REGHANDLE handle) {
  std::shared_ptr<Registration> registration = Find(handle);
  if (registration == nullptr) return ERROR_INVALID_HANDLE;
  // Waits for a callback that runs.
  std::lock_guard<std::recursive_mutex> calling(registration->calling);
  if (!registration->live) return ERROR_INVALID_HANDLE;
  registration->live = false;
  return ERROR_SUCCESS;
}

ULONG SetInformation(REGHANDLE handle, int information_class, const void* data, ULONG size) {
  std::shared_ptr<Registration> registration = FindLive(handle);
  if (registration == nullptr) return ERROR_INVALID_HANDLE;
  ULONG failure = NextFailure(Operation::kSetInformation);
  if (failure != ERROR_SUCCESS || information_class != kSetTraits) return failure;
  // Traits begin with their own size.
  uint16_t declared = 0;
  if (size > sizeof declared) memcpy(&declared, data, sizeof declared);
  if (size <= sizeof declared || declared != size) return ERROR_INVALID_PARAMETER;
  JoinGroup(registration, std::string(static_cast<const char*>(data), size));
  return ERROR_SUCCESS;
}

bool IsEnabled(REGHANDLE handle, UCHAR level, ULONGLONG keyword) {
  std::shared_ptr<Registration> registration = FindLive(handle);
  if (registration == nullptr) return false;
  Sessions sessions = SessionsOf(*registration);
  return std::any_of(sessions.begin(), sessions.end(), [&](const auto& entry) {
    return Passes(entry.second, level, keyword);
  });
}

Outcome Write(REGHANDLE handle, const EVENT_DESCRIPTOR& descriptor, ULONG count,
              const EVENT_DATA_DESCRIPTOR* data) {
  if (FindLive(handle) == nullptr) return {ERROR_INVALID_HANDLE, false};
  if (count > MAX_EVENT_DATA_DESCRIPTORS) return {ERROR_INVALID_PARAMETER, false};
  ULONG failure = NextFailure(Operation::kWrite);
  if (failure != ERROR_SUCCESS) return {failure, false};
  if (!IsEnabled(handle, descriptor.Level, descriptor.Keyword)) return {ERROR_SUCCESS, false};
  uint64_t size = kHeaderSize;
  for (ULONG i = 0; i < count; ++i) size += data[i].Size;
  if (size > kLargestEvent) return {ERROR_ARITHMETIC_OVERFLOW, false};
  State& state = TheState();
  std::lock_guard<std::mutex> lock(state.mutex);
  if (state.buffer_size != 0 && size + kBufferHeaderSize > state.buffer_size) {
    return {ERROR_MORE_DATA, false};
  }
  return {ERROR_SUCCESS, true};
}

GUID ProviderOf(REGHANDLE handle) {
  std::shared_ptr<Registration> registration = Find(handle);
  return registration == nullptr ? GUID{} : registration->provider;
}

ULONG ActivityIdControl(ULONG code, GUID* id) {
  if (id == nullptr) return ERROR_INVALID_PARAMETER;
  GUID before = thread_activity_id;
  switch (code) {
    case EVENT_ACTIVITY_CTRL_GET_ID:
      *id = before;
      return ERROR_SUCCESS;
    case EVENT_ACTIVITY_CTRL_SET_ID:
      thread_activity_id = *id;
      return ERROR_SUCCESS;
    case EVENT_ACTIVITY_CTRL_CREATE_ID:
      *id = CreateId();
      return ERROR_SUCCESS;
    case EVENT_ACTIVITY_CTRL_GET_SET_ID:
      thread_activity_id = *id;
      *id = before;
      return ERROR_SUCCESS;
    case EVENT_ACTIVITY_CTRL_CREATE_SET_ID:
      thread_activity_id = CreateId();
      *id = before;
      return ERROR_SUCCESS;
    default:
      return ERROR_INVALID_PARAMETER;
  }
}

GUID ThreadActivityId() { return thread_activity_id; }

void Send(const GUID& provider, const std::string& session, Command command, const Filter& filter,
          bool wait) {
  ControlThread& thread = ControlThread::Get();
  thread.Post([=] { CallAll(provider, session, command, filter); });
  if (wait) thread.Settle();
}

void Settle() { ControlThread::Get().Settle(); }

ULONG NextFailure(Operation operation) {
  State& state = TheState();
  std::lock_guard<std::mutex> lock(state.mutex);
  Failure& failure = state.failures[operation];
  if (failure.left == 0) return ERROR_SUCCESS;
  --failure.left;
  return failure.status;
}

void SetBufferSize(uint64_t bytes) {
  State& state = TheState();
  std::lock_guard<std::mutex> lock(state.mutex);
  state.buffer_size = bytes;
}

void FailNext(Operation operation, ULONG status, ULONG count) {
  State& state = TheState();
  std::lock_guard<std::mutex> lock(state.mutex);
  state.failures[operation] = {status, count};
}

}  // namespace etwrec
