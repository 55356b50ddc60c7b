/** The modes of an ETW session in words. Source: the documentation of Windows' Logging Mode Constants, `evntrace.h`. */

/** In the order in which they are shown. Modes without a word concern only how Windows keeps its buffers. */
const WORDS: readonly (readonly [bit: number, word: string])[] = [
  [0x0000_0001, 'sequential file'],
  [0x0000_0002, 'circular file'],
  [0x0000_0004, 'appended file'],
  [0x0000_0008, 'new file at a size'],
  [0x0000_0020, 'preallocated'],
  [0x0400_0000, 'compressed'],
  [0x0000_0400, 'in memory'],
  [0x0000_0100, 'real time'],
  [0x0200_0000, 'system'],
  [0x0000_0800, 'private'],
  [0x0002_0000, 'in process'],
  [0x0800_0000, 'independent'],
  [0x0000_0080, 'secure'],
  [0x0080_0000, 'persists'],
  [0x0040_0000, 'stops on hybrid shutdown'],
];

/** @param mode LogFileMode */
export function sessionModeWords(mode: number): string[] {
  return WORDS.filter(([bit]) => (mode & bit) !== 0).map(([, word]) => word);
}
