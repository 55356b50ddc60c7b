// The thread that makes every registration of this process.
// The kernel associates enabled words with the group of tasks that first registered one. A thread
// older than that first registration is outside the group; words that it registers die with it, and
// their bits never change again. A worker thread may be that older thread. So a single thread that
// lives as long as the process makes and removes all registrations.
// A forked child has neither this thread nor any registration. This does not matter: a child of
// Node.js cannot run JavaScript before it calls exec, since V8 keeps its code out of the child's
// memory.
#pragma once

#include <functional>

namespace tracewright::linux_user_events {

class Registrar {
 public:
  // Runs the job on the thread that never exits, and waits until it is done. Returns 0, or the
  // errno of a thread that could not be started; then the job was not run.
  static int Run(const std::function<void()>& job);
};

}  // namespace tracewright::linux_user_events
