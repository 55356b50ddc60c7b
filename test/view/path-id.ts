/** Ids of activity paths for tests. */
import { Guid } from '../../lib/activity/guid.ts';
import {
  appendNumber,
  appendOverflowNumber,
  endAfterNumber,
  endAfterOverflowNumber,
} from '../../lib/activity/path-writer.ts';

/** The GUID text of a path such as `//1/1/6` or `//1/1$7`; by default in the 2016 form, which names no process. */
export function pathId(path: string, processId = 0): string {
  let guid = Guid.empty;
  let end = 0;
  for (const [, separator, digits] of path.slice(1).matchAll(/([/$])(\d+)/g)) {
    const number = Number(digits);
    if (separator === '$') {
      guid = appendOverflowNumber(guid, end, number, processId);
      end = endAfterOverflowNumber(end, number);
    } else {
      guid = appendNumber(guid, end, number, processId);
      end = endAfterNumber(end, number);
    }
  }
  return guid.toString();
}
