// Linux-specific requests to the recorder that started this program; see also AwaitRecorder.
#pragma once

#include <string>

namespace tracewright {

// A descriptor of user_events_data, for a program that may not open the file itself, or -errno.
// `wait` is in milliseconds.
int TracerOfRecorder(const std::string& address, int wait);

}  // namespace tracewright
