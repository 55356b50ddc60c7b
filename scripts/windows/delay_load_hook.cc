// Has Node-API come from the program that runs, whatever its name: an addon's import table says
// node.exe, and Electron's host, or a renamed node.exe, is another file. node-gyp links a hook of
// its own into what it builds, for MSVC alone; this one serves builds with CMake.
// Source: delayimp.h, and Microsoft's description of delay-load notification hooks.
#include <windows.h>
//
#include <delayimp.h>

#include <cstring>

namespace {

FARPROC WINAPI RedirectToHost(unsigned notification, PDelayLoadInfo info) {
  if (notification != dliNotePreLoadLibrary || _stricmp(info->szDll, "node.exe") != 0) {
    return nullptr;
  }
  return reinterpret_cast<FARPROC>(GetModuleHandleW(nullptr));
}

}  // namespace

// Declared in delayimp.h with C linkage; the helper that loads delayed imports calls it.
#ifdef _MSC_VER
const
#endif
    PfnDliHook __pfnDliNotifyHook2 = RedirectToHost;
