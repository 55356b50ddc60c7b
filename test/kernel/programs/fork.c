// fork(2) from inside a Node.js process, by native code as a crash reporter might: the child stays
// for a while without exec and exits. (It cannot run JavaScript: V8 keeps its code out of a forked
// child.)
#define NAPI_VERSION 8
#include <node_api.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

// fork(milliseconds) -> pid of a child that exits after that time
static napi_value Fork(napi_env env, napi_callback_info info) {
  size_t count = 1;
  napi_value argument, result;
  uint32_t milliseconds = 0;
  napi_get_cb_info(env, info, &count, &argument, NULL, NULL);
  napi_get_value_uint32(env, argument, &milliseconds);
  pid_t child = fork();
  if (child == 0) {
    usleep(milliseconds * 1000);
    _exit(0);
  }
  napi_create_int32(env, child, &result);
  return result;
}

// wait(pid) -> exit status, or the negative signal that ended it
static napi_value Wait(napi_env env, napi_callback_info info) {
  size_t count = 1;
  napi_value argument, result;
  int32_t child = 0;
  int status = 0;
  napi_get_cb_info(env, info, &count, &argument, NULL, NULL);
  napi_get_value_int32(env, argument, &child);
  waitpid(child, &status, 0);
  napi_create_int32(env, WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), &result);
  return result;
}

NAPI_MODULE_INIT() {
  napi_value function;
  napi_create_function(env, "fork", NAPI_AUTO_LENGTH, Fork, NULL, &function);
  napi_set_named_property(env, exports, "fork", function);
  napi_create_function(env, "wait", NAPI_AUTO_LENGTH, Wait, NULL, &function);
  napi_set_named_property(env, exports, "wait", function);
  return exports;
}
