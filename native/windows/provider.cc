// The Windows platform: ETW. One registration per provider and process, one EventWriteTransfer per
// event.
//
// A definition is a 16-byte EVENT_DESCRIPTOR, the provider's 16-byte GUID (both as in Windows'
// memory), and the provider's traits. An event begins with a header that describes its parts: see
// etw_provider.cc.
#include "provider.h"

#include <windows.h>

#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "windows/command_listeners.h"
#include "windows/etw_provider.h"

namespace tracewright::provider {
namespace {

using etw::Event;
using etw::Provider;

constexpr size_t kGuidOffset = sizeof(EVENT_DESCRIPTOR);
constexpr size_t kTraitsOffset = kGuidOffset + sizeof(GUID);

struct State {
  std::mutex mutex;
  std::vector<std::unique_ptr<Provider>> providers;
};

// Leaked on purpose: ETW's callbacks may outlive every destructor.
State& TheState() {
  static State* state = new State;
  return *state;
}

// ETW may call the callback after the last environment is gone, so the module stays loaded.
void PinModule() {
  // The address of data: Visual C++ warns where that of a function is cast (C4054).
  static const char inside = 0;
  HMODULE module;
  GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_PIN | GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS,
                     reinterpret_cast<LPCWSTR>(&inside),
                     &module);
}

Provider* Find(State& state, const GUID& id) {
  for (auto& provider : state.providers) {
    if (IsEqualGUID(provider->id(), id)) return provider.get();
  }
  return nullptr;
}

}  // namespace

const char* Name() { return "etw"; }

OpenResult Open(const std::string&, const std::string&) {
  static std::once_flag once;
  std::call_once(once, PinModule);
  return {0, ""};
}

void Close() {}

int Register(uint32_t* word, const std::string& definition, Registration* registration) {
  if (definition.size() < kTraitsOffset) return ERROR_INVALID_PARAMETER;
  auto event = std::make_unique<Event>();
  GUID id;
  memcpy(&event->descriptor, definition.data(), sizeof event->descriptor);
  memcpy(&id, definition.data() + kGuidOffset, sizeof id);
  event->traits = definition.substr(kTraitsOffset);

  State& state = TheState();
  std::lock_guard<std::mutex> lock(state.mutex);
  // Only by the GUID: a second registration would receive each command of a session again.
  Provider* provider = Find(state, id);
  if (provider == nullptr) {
    auto fresh = std::make_unique<Provider>(id, event->traits);
    if (fresh->status() != ERROR_SUCCESS) return static_cast<int>(fresh->status());
    provider = fresh.get();
    state.providers.push_back(std::move(fresh));
  }
  event->provider = provider;
  event->word = word;
  provider->Add(event.get());
  *registration = {word, reinterpret_cast<intptr_t>(event.release())};
  return 0;
}

void Unregister(const Registration& registration) {
  std::unique_ptr<Event> event(reinterpret_cast<Event*>(registration.event));
  State& state = TheState();
  std::lock_guard<std::mutex> lock(state.mutex);
  event->provider->Remove(event.get());
  if (!event->provider->IsEmpty()) return;
  for (auto& provider : state.providers) {
    if (provider.get() != event->provider) continue;
    provider = std::move(state.providers.back());
    state.providers.pop_back();
    break;
  }
}

int Write(const Registration& registration, uint8_t* data, size_t size) {
  if (registration.word == nullptr) return kNotRegistered;
  auto* event = reinterpret_cast<const Event*>(registration.event);
  return static_cast<int>(event->provider->Write(*event, data, size));
}

void AddCommandListener(const void* owner, CommandListener listener) {
  etw::CommandListeners::Add(owner, std::move(listener));
}

void RemoveCommandListener(const void* owner) { etw::CommandListeners::Remove(owner); }

bool LastCommand(const uint8_t* provider, Command* command) {
  GUID id;
  memcpy(&id, provider, sizeof id);
  State& state = TheState();
  std::lock_guard<std::mutex> lock(state.mutex);
  Provider* found = Find(state, id);
  return found != nullptr && found->LastCommand(command);
}

int ThreadActivityId(uint32_t code, uint8_t* id) {
  GUID guid;
  memcpy(&guid, id, sizeof guid);
  ULONG status = EventActivityIdControl(code, &guid);
  if (status == ERROR_SUCCESS) memcpy(id, &guid, sizeof guid);
  return static_cast<int>(status);
}

double ThreadCpuMilliseconds(uint32_t) { return 0; }

}  // namespace tracewright::provider
