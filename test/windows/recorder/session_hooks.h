// What the recorder puts in place of the functions that start, change and end sessions: each call
// is written down, and answered by the model of sessions or with an injected status.
#pragma once

namespace etwrec {

// null: not one of these functions.
void* SessionHookFor(const char* name);

}  // namespace etwrec
