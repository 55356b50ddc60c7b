/** Which process a thread belongs to, according to ftrace. */
import { describe, expect, it } from 'vitest';
import { TracedThreads, UNKNOWN_PROCESS } from '../../lib/record/traced-threads.ts';
import { commRecord } from '../../lib/wire/perf-data/write/records.ts';

function threadsOf(files: Record<string, string>) {
  const asked: string[] = [];
  const named: Uint8Array[] = [];
  const read = (file: string) => {
    asked.push(file);
    const text = files[file];
    if (text === undefined) throw new Error('ENOENT');
    return Buffer.from(text);
  };
  return { threads: new TracedThreads({ read }, (record) => named.push(record)), asked, named };
}

describe('the threads of a trace', () => {
  it('have processes and names, which are announced once', () => {
    const files = { saved_tgids: '68 68\n70 68\n', saved_cmdlines: '68 node\n70 a worker\n71 other\n' };
    const { threads, asked, named } = threadsOf(files);
    expect([68, 70, 70, 68].map((thread) => threads.processOf(thread))).toEqual([68, 68, 68, 68]);
    expect(named).toEqual([commRecord(68, 68, 'node'), commRecord(68, 70, 'a worker')]);
    expect(asked).toHaveLength(2);
  });

  it('that start later are found', () => {
    const files = { saved_tgids: '68 68\n', saved_cmdlines: '' };
    const { threads } = threadsOf(files);
    threads.processOf(68);
    files.saved_tgids += '72 68\n';
    expect(threads.processOf(72)).toBe(68);
  });

  it('that are unknown are not looked up again at once', () => {
    const { threads, asked } = threadsOf({});
    expect(threads.processOf(5)).toBe(UNKNOWN_PROCESS);
    const questions = asked.length;
    expect(threads.processOf(5)).toBe(UNKNOWN_PROCESS);
    expect(asked).toHaveLength(questions);
  });

  it('that idle belong to the kernel', () => {
    expect(threadsOf({}).threads.processOf(0)).toBe(0);
  });
});
