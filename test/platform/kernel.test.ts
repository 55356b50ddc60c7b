/** The kernel's tracer as the library sees it: always there, and with a reason where it does nothing. */
import { afterEach, describe, expect, it } from 'vitest';
import { Kernel } from '../../lib/platform/kernel.ts';
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

function opened(addon: FakeAddon): Kernel {
  const kernel = new Kernel(addon);
  kernel.open();
  return kernel;
}

describe('a tracer that can be used', () => {
  it('registers events, takes them, and gives no reason', () => {
    const addon = new FakeAddon();
    const kernel = opened(addon);
    expect(kernel.backend).toBe('user_events');
    expect(kernel.reason).toBeUndefined();
    const word = kernel.allocate();
    expect(word.words).toBe(addon.words());
    expect(kernel.register(word, 'P_L4K0', DEFINITION, SCRATCH)).toBeUndefined();
    expect(kernel.write(word, 12)).toBeUndefined();
    expect(addon.events).toHaveLength(1);
    kernel.release(word);
    expect(addon.released).toEqual([word.index]);
  });

  it('is looked for where TRACEWRIGHT_TRACEFS says', () => {
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

describe('a tracer that cannot be used', () => {
  const PATH = '/sys/kernel/tracing/user_events_data';
  it.each([
    [
      ERRNO.ENOENT,
      `There is no ${PATH}: user_events needs Linux 6.4 or later with CONFIG_USER_EVENTS, and tracefs mounted.`,
    ],
    [
      ERRNO.EACCES,
      `This user may not write ${PATH} (EACCES). As root: chmod a+x /sys/kernel/tracing && chmod a+w ${PATH}`,
    ],
    [
      ERRNO.EPERM,
      `This user may not write ${PATH} (EPERM). As root: chmod a+x /sys/kernel/tracing && chmod a+w ${PATH}`,
    ],
    [ERRNO.EMFILE, `${PATH} could not be opened (EMFILE).`],
    [1001, `tracewright writes to no kernel tracer on ${process.platform}; listeners in the process work.`],
  ])('for error %d says why, and what would help', (error, reason) => {
    const addon = new FakeAddon();
    addon.openError = error;
    const kernel = opened(addon);
    expect(kernel.backend).toBe('none');
    expect(kernel.reason).toBe(reason);
    // Registering gives the same reason, and asks the kernel nothing.
    expect(kernel.register(kernel.allocate(), 'P_L4K0', DEFINITION, SCRATCH)).toBe(reason);
    expect(addon.definitions.size).toBe(0);
  });

  it('is asked for again by each new source', () => {
    const addon = new FakeAddon();
    addon.openError = ERRNO.EACCES;
    const kernel = opened(addon);
    addon.openError = 0;
    kernel.open();
    expect(kernel.backend).toBe('user_events');
    expect(kernel.reason).toBeUndefined();
  });

  it('is one without an addon, too; the enabled words are there all the same', () => {
    const kernel = new Kernel({ reason: 'No binary for this platform.' });
    kernel.open();
    expect(kernel.backend).toBe('none');
    expect(kernel.reason).toBe('No binary for this platform.');
    const word = kernel.allocate();
    expect(word.words[word.index]).toBe(0);
    expect(kernel.register(word, 'P_L4K0', DEFINITION, SCRATCH)).toBe('No binary for this platform.');
    expect(kernel.writeReason(kernel.write(word, 12) ?? 0)).toBe('notRegistered');
    expect(() => kernel.release(word)).not.toThrow();
  });

  it('is one of an addon for another platform, too', () => {
    expect(new Kernel(new FakeAddon({ platform: 'none' })).backend).toBe('none');
  });
});

describe('a tracepoint that is refused', () => {
  it.each([
    [
      ERRNO.EADDRINUSE,
      'Another program has registered the tracepoint P_L4K0 with other fields (EADDRINUSE).',
    ],
    [
      ERRNO.EMFILE,
      "The system's limit of user events is reached (EMFILE); raise it with: sysctl kernel.user_events_max",
    ],
    [ERRNO.ENOTTY, 'The file given for user_events_data is another kind of file (ENOTTY).'],
    [ERRNO.ENOSYS, 'The file given for user_events_data is another kind of file (ENOSYS).'],
    [ERRNO.EINVAL, 'The kernel refused the tracepoint P_L4K0 (EINVAL).'],
    [1003, "P_L4K0 was not registered: the kernel's tracer is not open."],
  ])('with error %d is named, with what would help', (error, reason) => {
    const addon = new FakeAddon();
    addon.registerError = error;
    const kernel = opened(addon);
    expect(kernel.register(kernel.allocate(), 'P_L4K0', DEFINITION, SCRATCH)).toBe(reason);
    expect(kernel.backend).toBe('user_events');
  });

  it('for want of enabled words is named; its event has a word of its own', () => {
    const kernel = opened(new FakeAddon({ words: 1 }));
    const first = kernel.allocate();
    const second = kernel.allocate();
    expect(second.words).not.toBe(first.words);
    expect(kernel.register(second, 'P_L4K0', DEFINITION, SCRATCH)).toBe(
      'P_L4K0 was not registered: all 1 enabled words are in use.',
    );
    kernel.release(second);
  });
});
