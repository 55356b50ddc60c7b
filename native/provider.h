// What every platform offers to the rest of the addon: a way into the operating system's tracer.
// One folder a platform implements these functions (linux/, windows/, none/), and the build picks
// one. The bytes of definitions and events are made by JavaScript; each platform says what it wants
// in them.
//
// All functions may be called from any thread. None throws; failures are the system's error
// numbers, or one of the codes below.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace tracewright::provider {

// Codes beside the system's, which are below 20000.
inline constexpr int kUnsupported = 20000;    // this platform has no kernel tracer that we write to
inline constexpr int kFileClosed = 20001;     // somebody closed our file descriptor
inline constexpr int kNotRegistered = 20002;  // the word has no registration
inline constexpr int kNobodyListens = 20003;  // enabled a moment ago, and no longer

// The name that users see: "user_events", "etw" or "none".
const char* Name();

struct OpenResult {
  int error;         // 0, the system's error or kUnsupported
  std::string path;  // what was opened, or was tried last; empty where that is no file
};

// Opens the tracer, or returns the one that is open. `override_path` names a tracefs mount or its
// user_events_data file; empty: the usual places. Who may not open it gets it from the recorder
// that listens at the socket `recorder`, which may be empty. Paired with Close, which the last
// user's call closes.
OpenResult Open(const std::string& override_path, const std::string& recorder = "");
void Close();

struct Registration {
  uint32_t* word = nullptr;  // bit 0 is the tracer's, from Register to Unregister
  intptr_t event = 0;        // what the platform knows the event by
  int file = -1;             // and where it writes it, where that is a file
};

// Binds the word's bit 0 to the event of which `definition` tells: it is 1 while a tracer records
// the event. The word must stay mapped until Unregister has returned.
int Register(uint32_t* word, const std::string& definition, Registration* registration);
void Unregister(const Registration& registration);

// Writes one event. Its first 4 bytes are for what the platform wants to know of it, or wants to
// put there.
int Write(const Registration& registration, uint8_t* data, size_t size);

// What a session asked of a provider of this process.
struct Command {
  uint8_t provider[16];  // GUID, as Windows has it in memory
  uint32_t code;         // 0 disable, 1 enable, 2 write your state
  uint8_t level;
  uint64_t any_keyword;
  uint64_t all_keyword;
  std::string filter;  // the session's arguments, as it gave them
  uint64_t order = 0;  // counts the commands to this process from 1
};

// Has the listener called for each command, on whatever thread brings it, after enabled words have
// changed. `owner` tells listeners apart. When RemoveCommandListener returns, no call runs or will.
using CommandListener = std::function<void(const Command&)>;
void AddCommandListener(const void* owner, CommandListener listener);
void RemoveCommandListener(const void* owner);

// The last enable or disable that the provider, by its GUID, was sent, which is its state since.
// False: it was never sent one. For whoever comes later than a command; listeners know by `order`
// which commands they have by it.
bool LastCommand(const uint8_t* provider, Command* command);

// The activity id that the system keeps for the calling thread: EventActivityIdControl of Windows,
// with its codes (1 get, 2 set, 3 create, 4 get and set, 5 create and set). `id` is 16 bytes, in
// and out.
int ThreadActivityId(uint32_t code, uint8_t* id);

}  // namespace tracewright::provider
