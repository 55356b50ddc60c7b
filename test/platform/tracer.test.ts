/** The kernel's tracer as the library sees it: always present, and with a reason if it does nothing. */
import { afterEach, describe, expect, it } from 'vitest';
import { Tracer } from '../../lib/platform/tracer.ts';
import { FakeAddon } from '../source/fake-addon.ts';

const SCRATCH = new Uint8Array(64);
const DEFINITION = Buffer.from('P_L4K0 u8 x');
const ERRNO = {
  EPERM: 1,
  ENOENT: 2,
  EACCES: 13,
  EINVAL: 22,
  EMFILE: 24,
  ENOTTY: 25,
  ENOSYS: 38,
  EADDRINUSE: 98,
};

function opened(addon: FakeAddon): Tracer {
  const tracer = new Tracer(addon);
  tracer.open();
  return tracer;
}

describe('an available tracer', () => {
  it('registers and accepts events, and gives no reason', () => {
    const addon = new FakeAddon();
    const tracer = opened(addon);
    expect(tracer.backend).toBe('user_events');
    expect(tracer.reason).toBeUndefined();
    const word = tracer.allocate();
    expect(word.words).toBe(addon.words());
    expect(tracer.register(word, 'P_L4K0', DEFINITION, SCRATCH)).toBeUndefined();
    expect(tracer.write(word, 12)).toBeUndefined();
    expect(addon.events).toHaveLength(1);
    tracer.release(word);
    expect(addon.released).toEqual([word.index]);
  });

  it('is looked for where TRACEWRIGHT_TRACEFS points', () => {
    const addon = new FakeAddon();
    const paths: string[] = [];
    addon.open = (path) => {
      paths.push(path);
      return { error: 0, path };
    };
    process.env.TRACEWRIGHT_TRACEFS = '/mnt/tracefs';
    opened(addon);
    delete process.env.TRACEWRIGHT_TRACEFS;
    opened(addon);
    expect(paths).toEqual(['/mnt/tracefs', '']);
  });
});

afterEach(() => {
  delete process.env.TRACEWRIGHT_TRACEFS;
});

describe('an unavailable tracer', () => {
  const PATH = '/sys/kernel/tracing/user_events_data';
  it.each([
    [
      ERRNO.ENOENT,
      `There is no ${PATH}: user_events needs Linux 6.4 or later with CONFIG_USER_EVENTS, and tracefs mounted.`,
    ],
    [
      ERRNO.EACCES,
      `This user may not write ${PATH} (EACCES). As root, for a group of this user: chgrp GROUP /sys/kernel/tracing ${PATH} && chmod g+x /sys/kernel/tracing && chmod g+w ${PATH}`,
    ],
    [
      ERRNO.EPERM,
      `This user may not write ${PATH} (EPERM). As root, for a group of this user: chgrp GROUP /sys/kernel/tracing ${PATH} && chmod g+x /sys/kernel/tracing && chmod g+w ${PATH}`,
    ],
    [ERRNO.EMFILE, `${PATH} could not be opened (EMFILE).`],
    [1001, `tracewright writes to no kernel tracer on ${process.platform}; listeners in the process work.`],
  ])('explains error %d, and what would help', (error, reason) => {
    const addon = new FakeAddon();
    addon.openError = error;
    const tracer = opened(addon);
    expect(tracer.backend).toBe('none');
    expect(tracer.reason).toBe(reason);
    // Registering gives the same reason, and asks the kernel nothing.
    expect(tracer.register(tracer.allocate(), 'P_L4K0', DEFINITION, SCRATCH)).toBe(reason);
    expect(addon.definitions.size).toBe(0);
  });

  it('is tried again by each new source', () => {
    const addon = new FakeAddon();
    addon.openError = ERRNO.EACCES;
    const tracer = opened(addon);
    addon.openError = 0;
    tracer.open();
    expect(tracer.backend).toBe('user_events');
    expect(tracer.reason).toBeUndefined();
  });

  it('results from a missing addon, too; the enabled words work anyway', () => {
    const tracer = new Tracer({ reason: 'No binary for this platform.' });
    tracer.open();
    expect(tracer.backend).toBe('none');
    expect(tracer.reason).toBe('No binary for this platform.');
    const word = tracer.allocate();
    expect(word.words[word.index]).toBe(0);
    expect(tracer.register(word, 'P_L4K0', DEFINITION, SCRATCH)).toBe('No binary for this platform.');
    expect(tracer.writeReason(tracer.write(word, 12) ?? 0)).toBe('notRegistered');
    expect(() => tracer.release(word)).not.toThrow();
  });

  it('results from an addon for another platform, too', () => {
    expect(new Tracer(new FakeAddon({ platform: 'none' })).backend).toBe('none');
  });
});

describe('a refused tracepoint', () => {
  it.each([
    [
      ERRNO.EADDRINUSE,
      'Another program has registered the tracepoint P_L4K0 with other fields (EADDRINUSE).',
    ],
    [
      ERRNO.EMFILE,
      "The system's limit of user_events is reached (EMFILE); raise it with: sysctl kernel.user_events_max",
    ],
    [ERRNO.ENOTTY, 'The file given as user_events_data is a different kind of file (ENOTTY).'],
    [ERRNO.ENOSYS, 'The file given as user_events_data is a different kind of file (ENOSYS).'],
    [ERRNO.EINVAL, 'The kernel refused the tracepoint P_L4K0 (EINVAL).'],
    [1003, "P_L4K0 was not registered: the kernel's tracer is not open."],
  ])('with error %d is named, with what would help', (error, reason) => {
    const addon = new FakeAddon();
    addon.registerError = error;
    const tracer = opened(addon);
    expect(tracer.register(tracer.allocate(), 'P_L4K0', DEFINITION, SCRATCH)).toBe(reason);
    expect(tracer.backend).toBe('user_events');
  });

  it('without a free enabled word is named; its event has its own word', () => {
    const tracer = opened(new FakeAddon({ words: 1 }));
    const first = tracer.allocate();
    const second = tracer.allocate();
    expect(second.words).not.toBe(first.words);
    expect(tracer.register(second, 'P_L4K0', DEFINITION, SCRATCH)).toBe(
      'P_L4K0 was not registered: all 1 enabled words are in use.',
    );
    tracer.release(second);
  });
});
