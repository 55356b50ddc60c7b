// What one JavaScript environment (the main thread's or a worker's) owns: its enabled words with
// their registrations, and the scratch buffers into which it encodes events. Used only by its own
// thread.
#pragma once

#include <napi.h>

#include <cstdint>
#include <string>
#include <vector>

#include "provider.h"

namespace tracewright {

class Environment {
 public:
  Environment() = default;
  ~Environment();
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  provider::OpenResult Open(const std::string& override_path, const std::string& recorder);

  // The memory of the enabled words as a Uint32Array: the process-wide page or, if the embedder
  // forbids memory that V8 does not own (Electron), an array of this environment alone.
  Napi::Value Words(Napi::Env env);

  // The index of a fresh word, or FlagPage::kNone.
  uint32_t Allocate();
  // Undoes Register, if it was called, and Allocate.
  void Release(uint32_t index);

  // Binds the word to a tracepoint, whose events are then encoded into `scratch`.
  int Register(uint32_t index, const std::string& definition, Napi::Uint8Array scratch);

  // Calls the function, on this environment's thread, for each command that a session sends to a
  // provider. This does not keep the process alive.
  void OnCommand(Napi::Function function);

  // The last enable or disable of the provider with this 16-byte GUID, or undefined.
  static Napi::Value LastCommand(Napi::Env env, const uint8_t* provider);

  // Sends the first `size` bytes of the scratch buffer registered for the word.
  int Write(uint32_t index, uint32_t size) {
    if (index >= slots_.size() || size > slots_[index].scratch_size)
      return provider::kNotRegistered;
    Slot& slot = slots_[index];
    return provider::Write(slot.registration, slot.scratch, size);
  }

 private:
  bool opened_ = false;
  uint32_t* words_ = nullptr;
  // Only if V8 must own the words: the array, kept alive and in place, the next index never used,
  // and those that are free again.
  Napi::Reference<Napi::Uint32Array> own_words_;
  uint32_t next_own_word_ = 0;
  std::vector<uint32_t> released_own_words_;

  struct Slot {
    bool allocated = false;
    provider::Registration registration;
    uint8_t* scratch = nullptr;
    size_t scratch_size = 0;
  };
  std::vector<Slot> slots_;  // by index of the word
  // One per copy of the package that this environment has loaded; they share this object.
  std::vector<Napi::Reference<Napi::Uint8Array>> scratches_;

  Napi::ThreadSafeFunction command_function_;

  void KeepAlive(Napi::Uint8Array scratch);
};

}  // namespace tracewright
