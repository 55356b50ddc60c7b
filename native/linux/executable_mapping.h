// A mapping by which record-trace, the recorder behind `dotnet-trace collect-linux`, knows a
// process of .NET: executable, and of a file that is called like that of .NET's code.
#pragma once

namespace tracewright {

// One page that stays as long as the process. Returns 0, or -errno where the system does not allow
// it.
int MapLikeDotNet();

}  // namespace tracewright
