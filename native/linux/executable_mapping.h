// The mapping by which record-trace, the recorder behind `dotnet-trace collect-linux`, recognises a
// .NET process: executable, of a file with the name of .NET's code.
#pragma once

namespace tracewright {

// Maps one page for the lifetime of the process. Returns 0, or -errno if the system does not allow
// it.
int MapLikeDotNet();

}  // namespace tracewright
