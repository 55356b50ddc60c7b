// The functions that take the place of advapi32's: each has the model answer, and records the call.
#pragma once

namespace etwrec {

// The function to call in place of the one of this name; null when that is not ETW's.
void* HookFor(const char* name);

}  // namespace etwrec
