// See traced_event.h.
#include "traced_event.h"

#include <cwchar>

namespace etwrec {
namespace {

std::wstring OwnExecutable() {
  wchar_t path[MAX_PATH] = {};
  GetModuleFileNameW(nullptr, path, MAX_PATH - 1);
  const wchar_t* slash = wcsrchr(path, L'\\');
  return slash == nullptr ? path : slash + 1;
}

// Of TraceLogging's metadata: size u16, tags until a byte without its highest bit, name, NUL.
std::string NameIn(const EVENT_DATA_DESCRIPTOR& metadata) {
  auto* bytes = reinterpret_cast<const char*>(metadata.Ptr);
  ULONG at = 2;
  while (at < metadata.Size && (bytes[at] & 0x80) != 0) ++at;
  return at + 1 < metadata.Size ? bytes + at + 1 : "";
}

}  // namespace

TracedEvent EventOfThisProcess(const GUID& provider, const EVENT_DESCRIPTOR& descriptor,
                               ULONG count, const EVENT_DATA_DESCRIPTOR* data) {
  constexpr ULONG kHeaderSize = 80;
  constexpr ULONG kMetadata = 1;
  TracedEvent event = {
      provider, {}, GetCurrentProcessId(), OwnExecutable(), descriptor, "", kHeaderSize, true};
  for (ULONG i = 0; i < count; ++i) {
    event.size += data[i].Size;
    if (data[i].Reserved == kMetadata) event.name = NameIn(data[i]);
  }
  return event;
}

}  // namespace etwrec
