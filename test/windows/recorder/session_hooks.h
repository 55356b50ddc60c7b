// What the recorder puts in place of the functions that start, change and end sessions: each call
// is written down, and answered with success or an injected status. No session is there, and no
// file.
#pragma once

namespace etwrec {

// null: not one of these functions.
void* SessionHookFor(const char* name);

// What every session that ends says from now on that it has lost.
void SetLosses(unsigned long events, unsigned long buffers);

}  // namespace etwrec
