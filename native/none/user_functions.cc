// See user_functions.h: for platforms on which no program is run as another user.
#include "user_functions.h"

namespace tracewright {

void AddUserFunctions(Napi::Env, Napi::Object) {}

}  // namespace tracewright
