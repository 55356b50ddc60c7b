// The listeners for sessions' commands to providers: one per environment.
#pragma once

#include "provider.h"

namespace tracewright::etw {

class CommandListeners {
 public:
  static void Add(const void* owner, provider::CommandListener listener);
  static void Remove(const void* owner);
  static void Call(const provider::Command& command);
};

}  // namespace tracewright::etw
