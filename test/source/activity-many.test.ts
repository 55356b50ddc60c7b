/** Many concurrent requests: none of 100,000 events has the activity of another request. */
import { expect, it } from 'vitest';
import { currentActivityId, defineEventSource, event, listen } from '../../lib/index.ts';

const REQUESTS = 8;
const ROUNDS = 1250;

const log = defineEventSource('Many-Test', {
  RequestStart: event({ request: 'uint32' }),
  RequestStop: event({ request: 'uint32' }),
  QueryStart: event({ request: 'uint32' }),
  QueryStop: event({ request: 'uint32' }),
  Note: event({ request: 'uint32', query: 'bool' }),
});

it('eight requests at once never mix up their ids in 100,000 events', async () => {
  const requestIds = new Map<unknown, string>();
  const queryIds = new Map<unknown, string>();
  const seen = new Set<string>();
  let count = 0;
  let wrong = 0;
  const check = (right: boolean) => {
    if (!right) wrong++;
  };
  const subscription = listen(log, ({ name, activityId = 'none', relatedActivityId, payload }) => {
    count++;
    const { request } = payload;
    switch (name) {
      case 'RequestStart':
        check(relatedActivityId === undefined && !seen.has(activityId));
        requestIds.set(request, activityId);
        break;
      case 'QueryStart':
        check(relatedActivityId === requestIds.get(request) && !seen.has(activityId));
        queryIds.set(request, activityId);
        break;
      case 'Note':
        check(activityId === (payload.query ? queryIds : requestIds).get(request));
        break;
      case 'QueryStop':
        check(activityId === queryIds.get(request));
        break;
      case 'RequestStop':
        check(activityId === requestIds.get(request));
        break;
    }
    seen.add(activityId);
  });

  const waits = [
    () => null,
    () => new Promise((resolve) => process.nextTick(resolve)),
    () => new Promise((resolve) => queueMicrotask(() => resolve(undefined))),
    () => new Promise((resolve) => setImmediate(resolve)),
  ];
  const handleRequest = (request: number, round: number) =>
    log.activity('Request', { request }, { stop: () => ({ request }) }, async () => {
      log.Note({ request, query: false });
      await waits[(request + round) % 3]?.();
      log.Note({ request, query: false });
      await log.activity('Query', { request }, { stop: () => ({ request }) }, async () => {
        log.Note({ request, query: true });
        await waits[round % 10 === 0 ? 3 : round % 2]?.();
        log.Note({ request, query: true });
      });
      log.Note({ request, query: false });
      await null;
      log.Note({ request, query: false });
    });
  await Promise.all(
    Array.from({ length: REQUESTS }, async (_, request) => {
      for (let round = 0; round < ROUNDS; round++) await handleRequest(request, round);
    }),
  );
  subscription.close();
  expect(currentActivityId()).toBeUndefined();
  expect(count).toBe(REQUESTS * ROUNDS * 10);
  expect(wrong).toBe(0);
  expect(seen.size).toBe(2 * REQUESTS * ROUNDS);
});
