// See user_functions.h. Node.js starts a program as another user without the user's supplementary
// groups: libuv drops them. The kernel stores credentials per thread, and a program inherits those
// of the thread that starts it; so only this thread becomes the user for that moment. The C
// library's own functions would change all threads of the process.
#include "user_functions.h"

#include <grp.h>
#include <pwd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <vector>

namespace tracewright {
namespace {

// On 32-bit machines, the calls without the suffix take 16-bit ids.
#ifdef SYS_setresuid32
constexpr long kSetUsers = SYS_setresuid32;
constexpr long kSetGroup = SYS_setresgid32;
constexpr long kSetGroups = SYS_setgroups32;
#else
constexpr long kSetUsers = SYS_setresuid;
constexpr long kSetGroup = SYS_setresgid;
constexpr long kSetGroups = SYS_setgroups;
#endif

// Makes the calling thread another user, until destroyed. It can go back if it was root before: the
// saved user id stays. A program that it starts meanwhile has only the new user's ids.
class ThreadUser {
 public:
  ThreadUser(uid_t uid, gid_t gid, const std::vector<gid_t>& groups) {
    getresuid(&real_user_, &effective_user_, &saved_user_);
    getresgid(&real_group_, &effective_group_, &saved_group_);
    groups_.resize(static_cast<size_t>(getgroups(0, nullptr)));
    getgroups(static_cast<int>(groups_.size()), groups_.data());
    has_groups_ = Succeeds(syscall(kSetGroups, groups.size(), groups.data()));
    has_group_ = has_groups_ && Succeeds(syscall(kSetGroup, gid, gid, gid));
    has_user_ = has_group_ && Succeeds(syscall(kSetUsers, uid, uid, effective_user_));
  }
  ~ThreadUser() {
    bool is_back =
        (!has_user_ || syscall(kSetUsers, real_user_, effective_user_, saved_user_) == 0) &&
        (!has_group_ || syscall(kSetGroup, real_group_, effective_group_, saved_group_) == 0) &&
        (!has_groups_ || syscall(kSetGroups, groups_.size(), groups_.data()) == 0);
    // Better no process at all than one with a thread of another user.
    if (!is_back) abort();
  }
  ThreadUser(const ThreadUser&) = delete;
  ThreadUser& operator=(const ThreadUser&) = delete;

  // 0, or why the thread could not become that user.
  int error() const { return error_; }

 private:
  bool Succeeds(long result) {
    if (result != 0) error_ = errno;
    return result == 0;
  }

  int error_ = 0;
  bool has_groups_ = false, has_group_ = false, has_user_ = false;
  uid_t real_user_ = 0, effective_user_ = 0, saved_user_ = 0;
  gid_t real_group_ = 0, effective_group_ = 0, saved_group_ = 0;
  std::vector<gid_t> groups_;
};

std::vector<gid_t> GroupsOf(const passwd& entry) {
  int count = 32;
  std::vector<gid_t> groups(static_cast<size_t>(count));
  while (getgrouplist(entry.pw_name, entry.pw_gid, groups.data(), &count) < 0) {
    // Some C libraries do not report the required size.
    if (static_cast<size_t>(count) <= groups.size()) count = static_cast<int>(2 * groups.size());
    groups.resize(static_cast<size_t>(count));
  }
  groups.resize(static_cast<size_t>(count));
  return groups;
}

// userEntry(name: string | number) -> { uid, gid, name, home, groups: Uint32Array }, or undefined
Napi::Value UserEntry(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  passwd entry{};
  passwd* found = nullptr;
  std::vector<char> strings(1024);
  int error;
  do {
    strings.resize(2 * strings.size());
    error = info[0].IsNumber() ? getpwuid_r(info[0].As<Napi::Number>().Uint32Value(),
                                            &entry,
                                            strings.data(),
                                            strings.size(),
                                            &found)
                               : getpwnam_r(info[0].ToString().Utf8Value().c_str(),
                                            &entry,
                                            strings.data(),
                                            strings.size(),
                                            &found);
  } while (error == ERANGE);
  if (found == nullptr) return env.Undefined();
  std::vector<gid_t> groups = GroupsOf(entry);
  Napi::Uint32Array ids = Napi::Uint32Array::New(env, groups.size());
  for (size_t i = 0; i < groups.size(); ++i) ids[i] = groups[i];
  Napi::Object result = Napi::Object::New(env);
  result["uid"] = Napi::Number::New(env, entry.pw_uid);
  result["gid"] = Napi::Number::New(env, entry.pw_gid);
  result["name"] = Napi::String::New(env, entry.pw_name);
  result["home"] = Napi::String::New(env, entry.pw_dir);
  result["groups"] = ids;
  return result;
}

// callAsUser(uid, gid, groups: Uint32Array, function) -> error: calls the function while this
// thread is that user. Without permission, it is not called.
Napi::Value CallAsUser(const Napi::CallbackInfo& info) {
  auto ids = info[2].As<Napi::Uint32Array>();
  std::vector<gid_t> groups(ids.Data(), ids.Data() + ids.ElementLength());
  ThreadUser user(
      info[0].As<Napi::Number>().Uint32Value(), info[1].As<Napi::Number>().Uint32Value(), groups);
  if (user.error() == 0) info[3].As<Napi::Function>().Call({});
  return Napi::Number::New(info.Env(), user.error());
}

}  // namespace

void AddUserFunctions(Napi::Env env, Napi::Object exports) {
  exports["userEntry"] = Napi::Function::New<UserEntry>(env, "userEntry");
  exports["callAsUser"] = Napi::Function::New<CallAsUser>(env, "callAsUser");
}

}  // namespace tracewright
