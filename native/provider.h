// What every platform offers to the rest of the addon: a way into the operating system's tracer.
// One folder a platform implements these functions (linux/, none/), and the build picks one.
// Nothing here knows an event format: a definition is a string for the kernel, an event is bytes.
//
// All functions may be called from any thread. None throws; failures are errno values, or one of
// the codes below.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace tracewright::provider {

// Codes beside errno values, which end at 133 on Linux.
inline constexpr int kUnsupported = 1000;    // this platform has no kernel tracer that we write to
inline constexpr int kFileClosed = 1001;     // somebody closed our file descriptor
inline constexpr int kNotRegistered = 1002;  // the word has no registration
inline constexpr int kNobodyListens = 1003;  // enabled a moment ago, and no longer

// The name that users see: "user_events" or "none".
const char* Name();

struct OpenResult {
  int error;         // 0, an errno value or kUnsupported
  std::string path;  // what was opened, or was tried last
};

// Opens the tracer, or returns the one that is open. `override_path` names a tracefs mount or its
// user_events_data file; empty: the usual places. Paired with Close, which the last user's call
// closes.
OpenResult Open(const std::string& override_path);
void Close();

struct Registration {
  uint32_t* word = nullptr;  // bit 0 is the kernel's, from Register to Unregister
  int32_t write_index = -1;
};

// Binds the word's bit 0 to the tracepoint that `definition` names, and creates the tracepoint if
// need be. The word must stay mapped until Unregister has returned.
int Register(uint32_t* word, const std::string& definition, Registration* registration);
void Unregister(const Registration& registration);

// Writes one event in one system call. The first 4 bytes are the platform's own and are
// overwritten.
int Write(const Registration& registration, uint8_t* data, size_t size);

}  // namespace tracewright::provider
