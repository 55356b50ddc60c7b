// Puts the recorder's functions into the import tables of addons, whose files stay as they are.
#pragma once

namespace etwrec {

// From now on every .node that is loaded calls the recorder, beginning with its own DllMain. False
// when Windows' loader does not tell of what it loads.
bool HookAddonsLoadedFromNowOn();

}  // namespace etwrec
