// What a session asks of one provider with EnableTraceEx2, and which events pass.
#pragma once

#include <windows.h>
//
#include <wmistr.h>
//
#include <evntrace.h>

#include <string>
#include <vector>

#include "traced_event.h"

namespace etwrec {

class TraceFilter {
 public:
  // A Win32 error if the structures are not as documented.
  ULONG Set(UCHAR level, ULONGLONG any_keyword, ULONGLONG all_keyword,
            const ENABLE_TRACE_PARAMETERS& parameters);

  bool Passes(const TracedEvent& event) const;
  // The event's label, with what the session asked to be added.
  std::string LabelOf(const TracedEvent& event) const;
  bool IsOfGroup() const;

 private:
  struct Part {
    ULONG type;
    std::string data;
  };

  static bool IsWellFormed(const Part& part);
  static bool PassesPart(const Part& part, const TracedEvent& event);
  bool HasStack(const TracedEvent& event) const;

  UCHAR level_ = 0;
  ULONGLONG any_ = 0;
  ULONGLONG all_ = 0;
  ULONG property_ = 0;
  std::vector<Part> parts_;
};

}  // namespace etwrec
