// Finds user_events_data, the file through which a program registers and writes user events.
#pragma once

#include <string>

namespace tracewright::linux_user_events {

struct OpenedFile {
  int fd;            // -1 if it could not be opened
  int error;         // errno of the failure, otherwise 0
  std::string path;  // the path that was opened, or tried last
};

// Opens user_events_data for writing only, closed on exec. With an override (a tracefs mount, or
// the file itself), tries nothing else; otherwise /sys/kernel/tracing, then the first tracefs in
// /proc/mounts, then the first debugfs.
OpenedFile OpenUserEventsData(const std::string& override_path);

}  // namespace tracewright::linux_user_events
