// What only Linux asks of the recorder that has started this program; see also AwaitRecorder.
#pragma once

#include <string>

namespace tracewright {

// A descriptor of user_events_data, for a program that may not open the file itself, or -errno.
// `wait`: milliseconds.
int TracerOfRecorder(const std::string& address, int wait);

}  // namespace tracewright
