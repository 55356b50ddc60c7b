// What the recorder puts in place of the functions that start, change and end sessions: each call
// is written down, and answered as ETW does or with an injected status. The sessions are this
// process's own. They have a name, and the model's providers on; no file is written.
#pragma once

#include <string>

namespace etwrec {

// null: not one of these functions.
void* SessionHookFor(const char* name);

// What every session says from now on that it has lost.
void SetLosses(unsigned long events, unsigned long buffers);

// A session that another program has started.
void AddSession(const std::wstring& name, const std::wstring& file);

// Ends a session, as another program or ETW itself does. False: there is none.
bool EndSession(const std::wstring& name);

}  // namespace etwrec
