// Where this machine keeps user_events_data, the file through which a program registers and writes
// user events.
#pragma once

#include <string>

namespace tracewright::linux_user_events {

struct OpenedFile {
  int fd;            // -1 when it could not be opened
  int error;         // errno of the failure, else 0
  std::string path;  // what was opened, or was tried last
};

// Opens user_events_data for writing only, closed on exec. With an override (a tracefs mount, or
// the file itself) nothing else is tried; without: /sys/kernel/tracing, then the first tracefs in
// /proc/mounts, then the first debugfs.
OpenedFile OpenUserEventsData(const std::string& override_path);

}  // namespace tracewright::linux_user_events
