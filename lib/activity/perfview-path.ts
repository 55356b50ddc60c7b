/**
 * Formats an activity path exactly as PerfView does, for output that is compared with PerfView's.
 *
 * PerfView's text differs from formatActivityPath's in form (a trailing slash, the process id in front) and, for some
 * ids, in content: see formatPerfViewActivityPath. Source: TraceEvent's StartStopActivityComputer, checked against its
 * output.
 */
import type { Guid } from './guid.ts';
import { formatOtherActivityId, isActivityPath } from './path.ts';
import { byteAt, impliedProcessId, nibbleAt, PATH_NIBBLES, PathCode } from './path-layout.ts';

/**
 * `guid` as PerfView prints it: `//1/1/6/` in the 2016 form, `/#1234/1/1/6/` with a process id.
 *
 * PerfView's views pass no `processId`. Its quirks are reproduced: the numbers after the spare zero byte of .NET up to
 * version 9 are not shown; after an overflow number, every multi-byte number is preceded by `$`; an overflow number
 * whose prefix is the high half of a byte has its code read as further high bits (17 shows as 3089); one whose prefix
 * is a low half loses its bits 8 to 11; a number cut off by the end is omitted.
 */
export function formatPerfViewActivityPath(guid: Guid, processId = 0): string {
  if (!isActivityPath(guid, processId)) return formatOtherActivityId(guid);
  const implied = impliedProcessId(guid);
  let text = implied === 0 ? '/' : `/#${implied}`;
  let separator = '/';
  let at = 0;
  while (at < PATH_NIBBLES) {
    let code = nibbleAt(guid, at);
    if (code === PathCode.End) break;
    if (code <= PathCode.LastImmediate) {
      text += `/${code}`;
      at++;
      continue;
    }
    const startsInHighHalf = (at & 1) === 0;
    let codeByte = at >>> 1;
    if (code === PathCode.Overflow) {
      if (at + 1 >= PATH_NIBBLES) break;
      code = nibbleAt(guid, at + 1);
      if (code < PathCode.MultiByte1) return guid.toString();
      codeByte = (at + 1) >>> 1;
      separator = '$';
    }
    const end = (codeByte + 1 + code - PathCode.MultiByte1 + 1) * 2;
    if (end > PATH_NIBBLES) break;
    let number = startsInHighHalf ? nibbleAt(guid, at + 1) : 0;
    for (let byte = end - 2; byte > codeByte * 2; byte -= 2) number = (number << 8) | byteAt(guid, byte);
    text += `${separator}${number >>> 0}`;
    at = end;
  }
  return `${text}/`;
}
