// The file that the recorder writes: one JSON object a line, in the order of `seq`. Written at
// once, so that a process that ends or crashes has lost nothing.
#pragma once

#include <windows.h>

#include <cstdint>
#include <string>

namespace etwrec {

// One line, written when it goes out of scope: Line("register").Guid("guid", id).Number(...);
class Line {
 public:
  explicit Line(const char* operation);
  ~Line();
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  Line& Number(const char* name, uint64_t value);
  // A string "0x...": JSON's numbers have 53 bits.
  Line& Hex64(const char* name, uint64_t value);
  Line& Boolean(const char* name, bool value);
  // What JSON needs no escapes for.
  Line& Text(const char* name, const std::string& value);
  // Two digits a byte; null for no bytes at all.
  Line& Bytes(const char* name, const void* bytes, size_t size);
  // As Windows writes it, without braces; null for none.
  Line& Guid(const char* name, const GUID* value);
  // What is JSON already.
  Line& Json(const char* name, const std::string& value);

 private:
  std::string members_;
};

// Two digits a byte.
std::string Hex(const void* bytes, size_t size);

std::string GuidText(const GUID& value);

// False when it is none.
bool ParseGuid(const std::string& text, GUID* value);

}  // namespace etwrec
