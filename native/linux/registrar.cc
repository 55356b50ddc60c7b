// See registrar.h.
#include "linux/registrar.h"

#include <pthread.h>
#include <signal.h>

#include <condition_variable>
#include <mutex>

namespace tracewright::linux_user_events {
namespace {

struct State {
  std::mutex callers;  // one job at a time; held until it is done
  std::mutex mutex;    // guards what follows
  std::condition_variable changed;
  const std::function<void()>* job = nullptr;
  bool started = false;
};

State* const state = new State;  // leaked on purpose: the thread outlives every destructor

void* Loop(void*) {
  State& own = *state;
  std::unique_lock<std::mutex> lock(own.mutex);
  for (;;) {
    own.changed.wait(lock, [&] { return own.job != nullptr; });
    (*own.job)();
    own.job = nullptr;
    own.changed.notify_all();
  }
}

int Start() {
  // Signals are for the application's threads.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, 128 * 1024);
  pthread_t thread;
  int error = pthread_create(&thread, &attributes, Loop, nullptr);
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (error == 0) pthread_setname_np(thread, "tracewright");
  return error;
}

}  // namespace

int Registrar::Run(const std::function<void()>& job) {
  std::lock_guard<std::mutex> one_caller(state->callers);
  std::unique_lock<std::mutex> lock(state->mutex);
  if (!state->started) {
    if (int error = Start()) return error;
    state->started = true;
  }
  state->job = &job;
  state->changed.notify_all();
  state->changed.wait(lock, [] { return state->job == nullptr; });
  return 0;
}

}  // namespace tracewright::linux_user_events
