// Ids of self-describing events where a format tells events apart by them: the same for the same
// event on all threads of the process.
#pragma once

#include <cstdint>
#include <string>

namespace tracewright {

// From 0xfffd down; events of a definition have ids from 1 up.
uint32_t OwnEventId(const std::string& description);

}  // namespace tracewright
