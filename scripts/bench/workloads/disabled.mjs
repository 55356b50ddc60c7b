// Events that nobody wants, written in each possible way, next to empty functions of the same shape.
import { defineBenchmarkSource, KEY, payload } from '../source.mjs';

const work = () => 1;

/** Each takes the source, or what replaces it, and returns the loop. */
const forms = {
  samePayload: (source) => (iterations) => {
    for (let i = 0; i < iterations; i++) source.CacheMiss(payload);
    return iterations;
  },
  objectLiteral: (source) => (iterations) => {
    for (let i = 0; i < iterations; i++) source.CacheMiss({ key: KEY, size: i, ratio: 0.25 });
    return iterations;
  },
  lazyPayload: (source) => (iterations) => {
    for (let i = 0; i < iterations; i++) source.CacheMiss(() => ({ key: KEY, size: i, ratio: 0.25 }));
    return iterations;
  },
  enabled: (source) => (iterations) => {
    let count = 0;
    for (let i = 0; i < iterations; i++) if (source.CacheMiss.enabled) count++;
    return count;
  },
  noPayload: (source) => (iterations) => {
    for (let i = 0; i < iterations; i++) source.Tick();
    return iterations;
  },
  start: (source) => (iterations) => {
    for (let i = 0; i < iterations; i++) source.RequestStart(payload);
    return iterations;
  },
  scope: (source) => (iterations) => {
    let sum = 0;
    for (let i = 0; i < iterations; i++) sum += source.activity('Request', payload, work);
    return sum;
  },
};

const emptyEvent = () => Object.defineProperty((_payload, _options) => {}, 'enabled', { get: () => false });

const emptySource = () =>
  Object.freeze({
    CacheMiss: emptyEvent(),
    CacheHit: emptyEvent(),
    Tick: emptyEvent(),
    RequestStart: emptyEvent(),
    activity: (_name, _payload, work) => work(),
  });

/** @param {keyof typeof forms} form */
export const event = (form) => forms[form](defineBenchmarkSource());

/** @param {keyof typeof forms} form */
export const emptyCall = (form) => forms[form](emptySource());

export const emptyLoop = () => (iterations) => {
  let sum = 0;
  for (let i = 0; i < iterations; i++) sum = i;
  return sum;
};
