// What the recorder puts in place of the functions that list sessions and providers: each call is
// written down, and answered with the lists that the test gives, in the structures of Windows.
#pragma once

#include <napi.h>

namespace etwrec {

// null: not one of these functions.
void* ListHookFor(const char* name);

// For the import of GetProcAddress: tdh.dll is loaded when it is needed.
void* GetProcAddressHook();

// setLists(lists): recorder.mjs has their shape.
void JsSetLists(const Napi::CallbackInfo& info);

}  // namespace etwrec
