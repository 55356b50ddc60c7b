// What a provider's callback receives from sessions that start before and after it.
import { captureState, disable, enable, mark, settle } from '../recorder/recorder.mjs';
import { PROVIDER, PROVIDER_BYTES, probe, register } from './probe.mjs';

const early = register();
const other = probe.register(Buffer.alloc(16, 1));
mark('enable');
enable(PROVIDER, { level: 4, any: 0xffn, all: 0x1n, filter: Buffer.from('Interval\x001\0') });
const late = register();
captureState(PROVIDER);
enable(PROVIDER, { level: 5, any: 0xffffffffffffffffn, wait: false });
disable(PROVIDER, { wait: false });
settle();
const afterwards = register();
const unregistered = [probe.unregister(late.handle), probe.unregister(late.handle)];
enable(PROVIDER);
disable(PROVIDER);
let mistake;
try {
  enable('no GUID');
} catch (error) {
  mistake = error.message;
}
console.log(
  JSON.stringify({
    early: probe.commands(early.index),
    late: probe.commands(late.index),
    afterwards: probe.commands(afterwards.index).length,
    other: probe.commands(other.index).length,
    unregistered,
    traits: probe.setTraits(early.handle, Buffer.from('05004d7900', 'hex')),
    badTraits: probe.setTraits(early.handle, Buffer.from('06004d7900', 'hex')),
    noHandle: probe.setTraits(5n, PROVIDER_BYTES),
    mistake,
  }),
);
