// What one JavaScript environment (the main thread's, or a worker's) owns: its enabled words with
// their registrations, and the scratch buffer that it encodes events into. Used by its own thread
// only.
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

  provider::OpenResult Open(const std::string& override_path);

  // The memory of the enabled words as a Uint32Array: the process-wide page, or, where the embedder
  // forbids memory that V8 does not own (Electron), an array of this environment alone.
  Napi::Value Words(Napi::Env env);

  // The index of a fresh word, or FlagPage::kNone.
  uint32_t Allocate();
  void Release(uint32_t index);

  int Register(uint32_t index, const std::string& definition);

  void SetScratch(Napi::Uint8Array scratch);
  int Write(uint32_t index, uint32_t size) {
    if (index >= registrations_.size() || size > scratch_size_) return provider::kNotRegistered;
    return provider::Write(registrations_[index], scratch_, size);
  }

 private:
  bool opened_ = false;
  uint32_t* words_ = nullptr;
  // Only where V8 must own the words: the array, kept alive and in place, and the next free one.
  Napi::Reference<Napi::Uint32Array> own_words_;
  uint32_t next_own_word_ = 0;

  std::vector<provider::Registration> registrations_;  // by index of the word
  std::vector<uint32_t> allocated_;

  Napi::Reference<Napi::Uint8Array> scratch_reference_;
  uint8_t* scratch_ = nullptr;
  size_t scratch_size_ = 0;
};

}  // namespace tracewright
