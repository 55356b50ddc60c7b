// See control_thread.h.
#include "control_thread.h"

#include <thread>
#include <utility>

namespace etwrec {

ControlThread& ControlThread::Get() {
  // Leaked on purpose: its thread runs until the end of the process.
  static ControlThread* thread = new ControlThread;
  return *thread;
}

ControlThread::ControlThread() {
  std::thread([this] { Run(); }).detach();
}

void ControlThread::Post(std::function<void()> task) {
  std::lock_guard<std::mutex> lock(mutex_);
  tasks_.push_back(std::move(task));
  changed_.notify_all();
}

void ControlThread::Settle() {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [this] { return tasks_.empty(); });
}

void ControlThread::Run() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return !tasks_.empty(); });
    std::function<void()> task = tasks_.front();
    lock.unlock();
    task();
    lock.lock();
    tasks_.pop_front();
    changed_.notify_all();
  }
}

}  // namespace etwrec
