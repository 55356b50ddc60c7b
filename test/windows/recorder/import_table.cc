// See import_table.h. Sources: Microsoft's PE format, and its description of
// LdrRegisterDllNotification. That says that the loader tells of a DLL before it binds the imports;
// Wine does so after, and a real Windows is to be asked.
#include "import_table.h"

#include <windows.h>
//
#include <winternl.h>

#include <cstring>
#include <cwchar>
#include <string>

#include "call_log.h"
#include "hooks.h"
#include "list_hooks.h"

namespace etwrec {
namespace {

// What no header has.
constexpr ULONG kLoaded = 1;
struct LoadedDll {
  ULONG flags;
  const UNICODE_STRING* path;
  const UNICODE_STRING* name;
  void* base;
  ULONG size;
};
using Notify = void(CALLBACK*)(ULONG reason, const LoadedDll* dll, void* context);
using RegisterNotification = LONG(NTAPI*)(ULONG flags, Notify notify, void* context, void** cookie);

void Replace(ULONGLONG* entry, void* function) {
  DWORD protection;
  VirtualProtect(entry, sizeof *entry, PAGE_READWRITE, &protection);
  *entry = reinterpret_cast<ULONGLONG>(function);
  VirtualProtect(entry, sizeof *entry, protection, &protection);
}

// The names of the functions that were replaced, as JSON strings with commas between them.
std::string HookImports(uint8_t* base) {
  auto* headers = reinterpret_cast<const IMAGE_NT_HEADERS64*>(
      base + reinterpret_cast<const IMAGE_DOS_HEADER*>(base)->e_lfanew);
  auto& imports = headers->OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_IMPORT];
  std::string hooked;
  if (imports.VirtualAddress == 0) return hooked;
  auto* dll = reinterpret_cast<const IMAGE_IMPORT_DESCRIPTOR*>(base + imports.VirtualAddress);
  for (; dll->Name != 0; ++dll) {
    auto* entry = reinterpret_cast<IMAGE_THUNK_DATA64*>(base + dll->FirstThunk);
    auto* lookup = reinterpret_cast<const IMAGE_THUNK_DATA64*>(base + dll->OriginalFirstThunk);
    for (; lookup->u1.AddressOfData != 0; ++lookup, ++entry) {
      if (IMAGE_SNAP_BY_ORDINAL64(lookup->u1.Ordinal)) continue;
      auto* import = reinterpret_cast<const IMAGE_IMPORT_BY_NAME*>(base + lookup->u1.AddressOfData);
      const char* name = reinterpret_cast<const char*>(import->Name);
      if (strcmp(name, "GetProcAddress") == 0) Replace(&entry->u1.Function, GetProcAddressHook());
      void* function = HookFor(name);
      if (function == nullptr) continue;
      Replace(&entry->u1.Function, function);
      hooked += std::string(hooked.empty() ? "" : ",") + '"' + name + '"';
    }
  }
  return hooked;
}

void CALLBACK OnLoader(ULONG reason, const LoadedDll* dll, void*) {
  constexpr std::wstring_view kExtension = L".node";
  std::wstring_view name(dll->name->Buffer, dll->name->Length / sizeof(wchar_t));
  if (reason != kLoaded || name.size() < kExtension.size()) return;
  if (name.substr(name.size() - kExtension.size()) != kExtension) return;
  std::string hooked = HookImports(static_cast<uint8_t*>(dll->base));
  Line("hooked").Text("module", {name.begin(), name.end()}).Json("functions", '[' + hooked + ']');
}

}  // namespace

bool HookAddonsLoadedFromNowOn() {
  auto subscribe = reinterpret_cast<RegisterNotification>(reinterpret_cast<void*>(
      GetProcAddress(GetModuleHandleW(L"ntdll.dll"), "LdrRegisterDllNotification")));
  void* cookie;
  return subscribe != nullptr && subscribe(0, OnLoader, nullptr, &cookie) == 0;
}

}  // namespace etwrec
