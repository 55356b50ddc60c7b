// See tracefs.h. The search order is that of Microsoft's libtracepoint, so that a container that
// mounts only this file works for both.
#include "linux/tracefs.h"

#include <fcntl.h>
#include <mntent.h>
#include <sys/stat.h>
#include <sys/types.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace tracewright::linux_user_events {
namespace {

constexpr char kDefaultPath[] = "/sys/kernel/tracing/user_events_data";
constexpr char kFileName[] = "/user_events_data";

OpenedFile OpenFile(const std::string& path) {
  // For writing only: this is sufficient, and some administrators grant no more. Registering on a
  // descriptor opened for reading succeeds, but then every write fails.
  int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  return {fd, fd < 0 ? errno : 0, path};
}

bool IsDirectory(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

// The path under the first tracefs mount, otherwise under the first debugfs mount, otherwise empty.
std::string FromMounts() {
  std::unique_ptr<FILE, int (*)(FILE*)> mounts(setmntent("/proc/mounts", "re"), endmntent);
  if (!mounts) return "";
  std::string debugfs;
  struct mntent entry;
  char strings[4096];
  while (getmntent_r(mounts.get(), &entry, strings, sizeof strings) != nullptr) {
    if (strcmp(entry.mnt_type, "tracefs") == 0) return std::string(entry.mnt_dir) + kFileName;
    if (debugfs.empty() && strcmp(entry.mnt_type, "debugfs") == 0) {
      debugfs = std::string(entry.mnt_dir) + "/tracing" + kFileName;
    }
  }
  return debugfs;
}

}  // namespace

OpenedFile OpenUserEventsData(const std::string& override_path) {
  if (!override_path.empty()) {
    return OpenFile(IsDirectory(override_path) ? override_path + kFileName : override_path);
  }
  OpenedFile first = OpenFile(kDefaultPath);
  if (first.fd >= 0) return first;
  std::string mounted = FromMounts();
  if (mounted.empty() || mounted == kDefaultPath) return first;
  OpenedFile second = OpenFile(mounted);
  // "No permission" in the usual place says more than "not found" in another.
  return second.fd < 0 && second.error == ENOENT ? first : second;
}

}  // namespace tracewright::linux_user_events
