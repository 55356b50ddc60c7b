/** The processors of this machine, as sysfs lists them. */
import { readFileSync } from 'node:fs';

const FOLDER = '/sys/devices/system/cpu';

/** The numbers of the online processors, or of all possible ones. */
export function processors(which: 'online' | 'present'): readonly number[] {
  return parseProcessorList(readFileSync(`${FOLDER}/${which}`, 'utf8').trim());
}

/** Parses the kernel's lists of processors, such as `0-3,8`. */
export function parseProcessorList(list: string): readonly number[] {
  return list.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}
