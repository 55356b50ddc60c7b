// The thread that makes every registration of this process.
//
// The kernel keeps the enabled words with the group of tasks that first registered one. A thread
// older than that first registration is outside the group; words that it registers die with it, and
// their bits stay as they were for ever. A worker thread may be that older thread. So all
// registrations are made, and undone, by one thread that lives as long as the process.
#pragma once

#include <functional>

namespace tracewright::linux_user_events {

class Registrar {
 public:
  // Runs the job on the thread that never exits and waits until it is done. Returns 0, or the errno
  // of a thread that could not be started, and the job was not run.
  static int Run(const std::function<void()>& job);

  // For the handlers of pthread_atfork: nothing is half done while the process is copied, and the
  // child, which has no such thread, starts one when it next needs it.
  static void BeforeFork();
  static void AfterForkInParent();
  static void AfterForkInChild();
};

}  // namespace tracewright::linux_user_events
