// See command_listeners.h.
#include "windows/command_listeners.h"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

namespace tracewright::etw {
namespace {

struct State {
  std::mutex mutex;  // held during calls, so that a listener is not removed during its own
  std::vector<std::pair<const void*, provider::CommandListener>> listeners;
};

State& TheState() {
  static State* state = new State;  // leaked on purpose: ETW's threads outlive every destructor
  return *state;
}

}  // namespace

void CommandListeners::Add(const void* owner, provider::CommandListener listener) {
  State& state = TheState();
  std::lock_guard<std::mutex> lock(state.mutex);
  state.listeners.emplace_back(owner, std::move(listener));
}

void CommandListeners::Remove(const void* owner) {
  State& state = TheState();
  std::lock_guard<std::mutex> lock(state.mutex);
  auto& listeners = state.listeners;
  listeners.erase(std::remove_if(listeners.begin(),
                                 listeners.end(),
                                 [&](const auto& entry) { return entry.first == owner; }),
                  listeners.end());
}

void CommandListeners::Call(const provider::Command& command) {
  State& state = TheState();
  std::lock_guard<std::mutex> lock(state.mutex);
  for (auto& [owner, listener] : state.listeners) listener(command);
}

}  // namespace tracewright::etw
