/** A terminal for pages: what is written to it, and keys. */
import { EventEmitter } from 'node:events';
import { vi } from 'vitest';

export interface FakeTerminal {
  size: { columns: number; rows: number };
  readonly written: string;
  readonly isRaw: boolean;
  readonly resizeListeners: number;
  type(keys: string): void;
  resize(): void;
  /** The rows of the last frame. */
  shown(): string[];
}

/** Replaces stdin and stdout, until mocks are restored. Without a size, it has 20 columns and 4 rows. */
export function fakeTerminal(): FakeTerminal {
  let written = '';
  let isRaw = false;
  const input = Object.assign(new EventEmitter(), {
    isTTY: true,
    setRawMode: (raw: boolean) => {
      isRaw = raw;
      return input;
    },
    setEncoding: () => input,
    resume: () => input,
    pause: () => input,
  });
  const output = Object.assign(new EventEmitter(), {
    isTTY: true,
    columns: 20,
    rows: 4,
    hasColors: () => false,
    write: (text: string) => {
      written += text;
    },
  });
  vi.spyOn(process, 'stdout', 'get').mockReturnValue(output as unknown as typeof process.stdout);
  vi.spyOn(process, 'stdin', 'get').mockReturnValue(input as unknown as typeof process.stdin);
  return {
    set size(size: { columns: number; rows: number }) {
      Object.assign(output, size);
    },
    get written() {
      return written;
    },
    get isRaw() {
      return isRaw;
    },
    get resizeListeners() {
      return output.listenerCount('resize');
    },
    type: (keys) => void input.emit('data', keys),
    resize: () => void output.emit('resize'),
    shown: () => {
      const frame = written.split('\x1b[H').at(-1)?.replaceAll('\x1b[K', '').split('\x1b[J')[0] ?? '';
      return frame.split('\r\n');
    },
  };
}
