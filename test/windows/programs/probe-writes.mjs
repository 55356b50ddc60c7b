// Events that pass a session's filter or not, at ETW's limits, and when ETW fails.
import { disable, enable, failNext, mark } from '../recorder/recorder.mjs';
import { descriptor, PROVIDER, PROVIDER_BYTES, probe, register } from './probe.mjs';

const { handle } = register();
const id = (byte) => Buffer.alloc(16, byte);
const write = (level, keyword, parts = []) =>
  probe.write(handle, descriptor(level, keyword), undefined, undefined, parts);
const zeroes = (count, size) => Array.from({ length: count }, () => [0, Buffer.alloc(size)]);
const filtered = () =>
  [
    [4, 0x2n],
    [5, 0x2n],
    [0, 0x2n],
    [4, 0n],
    [4, 0x4n],
    [4, 0x1n],
    [4, 0x3n],
  ].flatMap(([level, keyword]) => [probe.enabled(handle, descriptor(level, keyword)), write(level, keyword)]);

const results = {};
mark('nobody listens');
results.unheard = write(4, 0x2n, zeroes(1, 70_000));
enable(PROVIDER, { level: 4, any: 0x3n, all: 0x2n });
mark('bytes');
probe.write(handle, descriptor(4, 0x2n), id(0xaa), id(0xbb), [
  [2, Buffer.from('05004d7900', 'hex')],
  [1, Buffer.from('0900004561676c6500', 'hex')],
  [0, Buffer.from('héllo\0')],
  [0, Buffer.alloc(0)],
]);
mark('filter');
results.filtered = filtered();
mark('everything');
enable(PROVIDER);
results.everything = filtered();
mark('limits');
results.limits = [
  zeroes(128, 1),
  zeroes(129, 1),
  zeroes(1, 65_455),
  zeroes(1, 65_456),
  zeroes(2, 40_000),
].map((parts) => write(4, 0x2n, parts));
mark('failures');
failNext('write', 8, 2);
results.failures = [write(4, 0n), write(4, 0n), write(4, 0n)];
failNext('write', 234);
results.failures.push(write(4, 0n), write(4, 0n));
failNext('register', 8);
results.registered = [register(), register()].map(({ status }) => status);
failNext('setInformation', 87);
results.traits = [1, 2].map(() => probe.setTraits(handle, Buffer.from('05004d7900', 'hex')));
mark('other ways');
results.otherWays = probe.writeOtherWays(handle, descriptor(3, 0x8n));
mark('end');
disable(PROVIDER);
results.disabled = write(4, 0n);
probe.unregister(handle);
results.unregistered = write(4, 0n);
results.never = probe.write(77n, PROVIDER_BYTES, undefined, undefined, []);
console.log(JSON.stringify(results));
