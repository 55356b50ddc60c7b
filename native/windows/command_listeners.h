// Who is told when a session asks something of a provider: one listener for each environment.
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
