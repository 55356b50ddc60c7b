// See call_log.h.
#include "call_log.h"

#include <cstdio>
#include <mutex>

namespace etwrec {
namespace {

// The environment variable with the path of the file.
constexpr wchar_t kPathVariable[] = L"TRACEWRIGHT_ETW_LOG";

class File {
 public:
  File() {
    wchar_t path[MAX_PATH];
    DWORD length = GetEnvironmentVariableW(kPathVariable, path, MAX_PATH);
    if (length == 0 || length >= MAX_PATH) return;
    handle_ = CreateFileW(path,
                          FILE_APPEND_DATA,
                          FILE_SHARE_READ | FILE_SHARE_WRITE,
                          nullptr,
                          OPEN_ALWAYS,
                          FILE_ATTRIBUTE_NORMAL,
                          nullptr);
  }

  void Append(const std::string& members) {
    std::lock_guard<std::mutex> lock(mutex_);
    std::string line = "{\"seq\":" + std::to_string(++lines_) + "," + members + "}\n";
    DWORD written;
    WriteFile(handle_, line.data(), static_cast<DWORD>(line.size()), &written, nullptr);
  }

 private:
  std::mutex mutex_;
  HANDLE handle_ = INVALID_HANDLE_VALUE;
  uint64_t lines_ = 0;
};

// Leaked on purpose: calls come until the very end of the process.
File& TheFile() {
  static File* file = new File;
  return *file;
}

}  // namespace

Line::Line(const char* operation) { Text("op", operation).Number("thread", GetCurrentThreadId()); }

Line::~Line() { TheFile().Append(members_); }

Line& Line::Json(const char* name, const std::string& value) {
  if (!members_.empty()) members_ += ',';
  members_ += '"';
  members_ += name;
  members_ += "\":";
  members_ += value;
  return *this;
}

Line& Line::Number(const char* name, uint64_t value) { return Json(name, std::to_string(value)); }

Line& Line::Hex64(const char* name, uint64_t value) {
  char text[32];
  snprintf(text, sizeof text, "\"0x%llx\"", static_cast<unsigned long long>(value));
  return Json(name, text);
}

Line& Line::Boolean(const char* name, bool value) { return Json(name, value ? "true" : "false"); }

Line& Line::Text(const char* name, const std::string& value) {
  return Json(name, '"' + value + '"');
}

Line& Line::Bytes(const char* name, const void* bytes, size_t size) {
  return bytes == nullptr ? Json(name, "null") : Text(name, Hex(bytes, size));
}

Line& Line::Guid(const char* name, const GUID* value) {
  return value == nullptr ? Json(name, "null") : Text(name, GuidText(*value));
}

std::string Hex(const void* bytes, size_t size) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  text.reserve(size * 2);
  for (size_t i = 0; i < size; ++i) {
    uint8_t byte = static_cast<const uint8_t*>(bytes)[i];
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

std::string GuidText(const GUID& value) {
  char start[24];
  snprintf(start,
           sizeof start,
           "%08lx-%04x-%04x-",
           static_cast<unsigned long>(value.Data1),
           value.Data2,
           value.Data3);
  return start + Hex(value.Data4, 2) + '-' + Hex(value.Data4 + 2, 6);
}

bool ParseGuid(const std::string& text, GUID* value) {
  unsigned first, second, third, rest[8];
  int end = 0;
  int count = sscanf(text.c_str(),
                     "%8x-%4x-%4x-%2x%2x-%2x%2x%2x%2x%2x%2x%n",
                     &first,
                     &second,
                     &third,
                     &rest[0],
                     &rest[1],
                     &rest[2],
                     &rest[3],
                     &rest[4],
                     &rest[5],
                     &rest[6],
                     &rest[7],
                     &end);
  if (count != 11 || static_cast<size_t>(end) != text.size()) return false;
  value->Data1 = first;
  value->Data2 = static_cast<WORD>(second);
  value->Data3 = static_cast<WORD>(third);
  for (int i = 0; i < 8; ++i) value->Data4[i] = static_cast<BYTE>(rest[i]);
  return true;
}

}  // namespace etwrec
