import { afterEach, describe, expect, it } from 'vitest';
import { Tracer } from '../../lib/platform/tracer.ts';
import { FakeAddon } from '../source/fake-addon.ts';

const EINVAL = 22;
const ETIMEDOUT = 110;

describe('a recorded program', () => {
  afterEach(() => {
    delete process.env.TRACEWRIGHT_RECORDER;
  });

  function register(addon: FakeAddon, ...names: readonly string[]): string[] {
    const tracer = new Tracer(addon);
    tracer.open();
    for (const name of names) {
      tracer.register(tracer.allocate(), name, Buffer.from(`${name} u8 x`), new Uint8Array(8));
    }
    return addon.announced;
  }

  it('announces each tracepoint that it has registered', () => {
    process.env.TRACEWRIGHT_RECORDER = 'address';
    expect(register(new FakeAddon(), 'A_L4K0', 'B_L4K0')).toEqual(['address A_L4K0', 'address B_L4K0']);
  });

  it('does not announce one that was refused', () => {
    process.env.TRACEWRIGHT_RECORDER = 'address';
    const addon = new FakeAddon();
    addon.registerError = EINVAL;
    expect(register(addon, 'A_L4K0')).toEqual([]);
  });

  it('does not wait again for a recorder that has not answered', () => {
    process.env.TRACEWRIGHT_RECORDER = 'address';
    const addon = new FakeAddon();
    addon.recorderError = ETIMEDOUT;
    expect(register(addon, 'A_L4K0', 'B_L4K0')).toEqual(['address A_L4K0']);
  });

  it('is one only if a recorder started it', () => {
    expect(register(new FakeAddon(), 'A_L4K0')).toEqual([]);
  });
});
