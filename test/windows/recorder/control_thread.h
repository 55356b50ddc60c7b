// The thread that calls the providers' callbacks, one after the other, as ETW does from a thread of
// its own.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>

namespace etwrec {

class ControlThread {
 public:
  // Starts the thread when it is first called.
  static ControlThread& Get();

  void Post(std::function<void()> task);
  // Waits until all tasks are done.
  void Settle();

 private:
  ControlThread();
  void Run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;  // the first one may be running
};

}  // namespace etwrec
