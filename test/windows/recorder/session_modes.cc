// See session_modes.h. Source: the documentation of the logging modes and EVENT_TRACE_PROPERTIES.
#include "session_modes.h"

#include <cwchar>

namespace etwrec {
namespace {

constexpr ULONG kFileModes = kSequential | kCircular | kNewFile;
constexpr ULONG kKnownModes = kFileModes | kPreallocate | kRealTime | kBuffering | kPrivate |
                              kKibForSize | kPrivateInProcess | kSystem | kCompressed |
                              kIndependent;
constexpr ULONG kProfile = 0x01000000;
constexpr wchar_t kKernelLogger[] = L"NT Kernel Logger";
constexpr GUID kSystemTraceControl = {
    0x9e814aad, 0x3204, 0x11d2, {0x9a, 0x82, 0x00, 0x60, 0x08, 0xa8, 0x69, 0x39}};

ULONG CheckModes(const EVENT_TRACE_PROPERTIES& properties, bool has_file) {
  ULONG mode = properties.LogFileMode;
  ULONG file_mode = mode & kFileModes;
  bool is_one = (file_mode & (file_mode - 1)) == 0;
  bool needs_size = (mode & (kCircular | kNewFile | kPreallocate)) != 0;
  constexpr ULONG kNotInMemory = kFileModes | kPreallocate | kRealTime;
  constexpr ULONG kNotPrivate = kRealTime | kNewFile | kPreallocate | kSystem;
  bool is_bad = (mode & ~kKnownModes) != 0 || !is_one ||
                (needs_size && properties.MaximumFileSize == 0) ||
                ((mode & kBuffering) != 0 && ((mode & kNotInMemory) != 0 || has_file)) ||
                ((mode & kPrivate) != 0 && (mode & kNotPrivate) != 0) ||
                ((mode & kPrivateInProcess) != 0 && (mode & kPrivate) == 0) ||
                ((mode & (kBuffering | kRealTime)) == 0 && !has_file);
  return is_bad ? ERROR_INVALID_PARAMETER : ERROR_SUCCESS;
}

ULONG CheckKernel(bool holds_profile_privilege, const wchar_t* name,
                  const EVENT_TRACE_PROPERTIES& properties) {
  bool is_logger = wcscmp(name, kKernelLogger) == 0;
  if (is_logger != IsEqualGUID(properties.Wnode.Guid, kSystemTraceControl)) {
    return ERROR_INVALID_PARAMETER;
  }
  bool is_of_system = is_logger || (properties.LogFileMode & kSystem) != 0;
  if (!is_of_system) {
    return properties.EnableFlags == 0 ? ERROR_SUCCESS : ERROR_INVALID_PARAMETER;
  }
  return (properties.EnableFlags & kProfile) == 0 || holds_profile_privilege
             ? ERROR_SUCCESS
             : ERROR_PRIVILEGE_NOT_HELD;
}

}  // namespace

wchar_t* TextAt(EVENT_TRACE_PROPERTIES* properties, ULONG offset) {
  return offset == 0 ? nullptr
                     : reinterpret_cast<wchar_t*>(reinterpret_cast<char*>(properties) + offset);
}

wchar_t* FileIn(EVENT_TRACE_PROPERTIES* properties) {
  return TextAt(properties, properties->LogFileNameOffset);
}

ULONG CheckStart(bool holds_profile_privilege, const wchar_t* name,
                 EVENT_TRACE_PROPERTIES* properties) {
  constexpr ULONG kNames = 2 * 2048;
  if (properties->Wnode.BufferSize < sizeof *properties + kNames ||
      properties->LoggerNameOffset < sizeof *properties) {
    return ERROR_BAD_LENGTH;
  }
  if ((properties->Wnode.Flags & WNODE_FLAG_TRACED_GUID) == 0) return ERROR_INVALID_PARAMETER;
  const wchar_t* file = FileIn(properties);
  bool has_file = file != nullptr && *file != L'\0';
  bool is_numbered = has_file && wcsstr(file, L"%d") != nullptr;
  if ((properties->LogFileMode & kNewFile) != 0 && !is_numbered) return ERROR_BAD_PATHNAME;
  bool needs_guid = (properties->LogFileMode & kPrivate) != 0;
  if (needs_guid && IsEqualGUID(properties->Wnode.Guid, GUID{})) return ERROR_INVALID_PARAMETER;
  ULONG status = CheckModes(*properties, has_file);
  return status == ERROR_SUCCESS ? CheckKernel(holds_profile_privilege, name, *properties) : status;
}

}  // namespace etwrec
