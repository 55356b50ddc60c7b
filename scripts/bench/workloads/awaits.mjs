// How tracewright affects every `await` in a process.
import { setTimeout } from 'node:timers/promises';

const loop = async (iterations) => {
  for (let i = 0; i < iterations; i++) await undefined;
  return iterations;
};

/** Loaded only if wanted: the plain process must not load tracewright. */
async function load() {
  const { defineBenchmarkSource, payload } = await import('../source.mjs');
  const { listen } = await import('tracewright');
  return { source: defineBenchmarkSource(), payload, listen };
}

export const plain = () => loop;

export async function nobodyListens() {
  await load();
  return loop;
}

export async function listening() {
  const { source, listen } = await load();
  listen(source, () => {});
  return loop;
}

/** Longer than the activity flow takes to notice that its last listener has gone. */
const NOTICED_MS = 2500;

export async function listenerGone() {
  const { source, listen } = await load();
  listen(source, () => {}).close();
  await setTimeout(NOTICED_MS);
  return loop;
}

/** Somebody asks for these keywords of Node.Runtime. */
async function asking(...keywords) {
  const { source, listen } = await load();
  const { enableRuntimeEvents, RuntimeKeywords } = await import('tracewright/runtime');
  listen(source, () => {});
  const asked = keywords.reduce((all, keyword) => all | RuntimeKeywords[keyword], 0n);
  listen(enableRuntimeEvents(), () => {}, { keywords: asked });
  return loop;
}

export const switching = () => asking('ActivitySwitches');
export const running = () => asking('ActivityRuns');
export const pooling = () => asking('ActivityRuns', 'ThreadPool');

/** And two activities take turns. */
export async function takingTurns() {
  const loop = await switching();
  const { source, payload } = await load();
  const turns = (iterations) => source.activity('Request', payload, () => loop(iterations / 2));
  return async (iterations) => {
    await Promise.all([turns(iterations), turns(iterations)]);
    return iterations;
  };
}
