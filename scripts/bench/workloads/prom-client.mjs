// The counterpart of counters: prom-client, which counts whether or not anybody reads.
import { requirePeer } from '../peer.mjs';
import { askedLoop, idleLoop, TOLD_MS } from './count.mjs';

const { Counter, Histogram, Registry } = requirePeer('prom-client');

const registry = new Registry();
const described = (name) => ({ name, help: name, registers: [registry] });

const forms = {
  plain: () => {
    const counter = new Counter(described('orders'));
    return () => counter.inc();
  },
  labelled: () => {
    const counter = new Counter({ ...described('orders'), labelNames: ['kind'] });
    return () => counter.inc({ kind: 'book' });
  },
  histogram: () => {
    const histogram = new Histogram(described('duration'));
    return (i) => histogram.observe(i);
  },
};

export const idle = (form) => idleLoop(forms[form]());

/** Its registry is read ten times a second. */
export function asked(form) {
  const count = forms[form]();
  let told = 0;
  setInterval(async () => {
    if ((await registry.metrics()) !== '') told++;
  }, TOLD_MS).unref();
  return askedLoop(count, async () => told);
}
