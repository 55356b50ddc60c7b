// The interface of every platform to the rest of the addon: access to the operating system's
// tracer. One folder per platform implements these functions (linux/, windows/, none/), and the
// build selects one. JavaScript creates the bytes of definitions and events; each platform defines
// their contents.
// All functions may be called from any thread. None throws; failures are the system's error
// numbers, or one of the codes below.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace tracewright::provider {

// Codes in addition to the system's, which are below 20000.
inline constexpr int kUnsupported = 20000;    // this platform has no kernel tracer that we write to
inline constexpr int kFileClosed = 20001;     // somebody closed our file descriptor
inline constexpr int kNotRegistered = 20002;  // the word has no registration
inline constexpr int kNobodyListens = 20003;  // enabled a moment ago, but no longer

// The name that users see: "user_events", "etw" or "none".
const char* Name();

struct OpenResult {
  int error;         // 0, the system's error or kUnsupported
  std::string path;  // the path opened, or tried last; empty if not a file
};

// Opens the tracer, or returns the open one. `override_path` is a tracefs mount or its
// user_events_data file; if empty, the usual places are tried. A user who may not open it gets it
// from the recorder listening at the socket `recorder`, which may be empty. Each call is paired
// with Close; the last Close closes it.
OpenResult Open(const std::string& override_path, const std::string& recorder = "");
void Close();

struct Registration {
  uint32_t* word = nullptr;  // bit 0 is the tracer's, from Register to Unregister
  intptr_t event = 0;        // the platform's identification of the event
  int file = -1;             // and the file it writes to, if any
};

// Binds the word's bit 0 to the event described by `definition`: it is 1 while a tracer records the
// event. The word must stay mapped until Unregister has returned.
int Register(uint32_t* word, const std::string& definition, Registration* registration);
void Unregister(const Registration& registration);

// Writes one event. Its first 4 bytes are for the platform.
int Write(const Registration& registration, uint8_t* data, size_t size);

// A session's request to a provider of this process.
struct Command {
  uint8_t provider[16];  // GUID, as Windows has it in memory
  uint32_t code;         // 0 disable, 1 enable, 2 write your state
  uint8_t level;
  uint64_t any_keyword;
  uint64_t all_keyword;
  std::string filter;  // the session's arguments, unchanged
  uint64_t order = 0;  // counts the commands to this process from 1
};

// Calls the listener for each command, on the thread that brings it, after enabled words have
// changed. `owner` identifies the listener. Once RemoveCommandListener returns, no call is running
// or will run.
using CommandListener = std::function<void(const Command&)>;
void AddCommandListener(const void* owner, CommandListener listener);
void RemoveCommandListener(const void* owner);

// The last enable or disable sent to the provider with this GUID, which is its current state. False
// if there was none. For listeners added after a command; `order` tells them which commands they
// have already received.
bool LastCommand(const uint8_t* provider, Command* command);

// The activity id that the system keeps for the calling thread: Windows' EventActivityIdControl,
// with its codes (1 get, 2 set, 3 create, 4 get and set, 5 create and set). `id` is 16 bytes, in
// and out.
int ThreadActivityId(uint32_t code, uint8_t* id);

// How long a thread of this process has been on a processor, in milliseconds; 0 if the system does
// not tell. `thread` is the system's id, or 0 for the calling thread. Windows counts whole ticks of
// 15.6 ms, by which no run of an activity can be measured.
double ThreadCpuMilliseconds(uint32_t thread);

}  // namespace tracewright::provider
