/** activityName: what a start and a stop must share to form a pair. */
import { expect, it } from 'vitest';
import { activityName } from '../../lib/activity/activity.ts';

it('drops the suffix that marks an event as a start or a stop', () => {
  expect(activityName('MyCompany-MyService', 'RequestStart')).toBe('MyCompany-MyServiceRequest');
  expect(activityName('MyCompany-MyService', 'RequestStop')).toBe('MyCompany-MyServiceRequest');
});

it('pairs events without a suffix by their task', () => {
  expect(activityName('P', 'Begin', 5)).toBe('Ptask5');
  expect(activityName('P', 'End', 5)).toBe('Ptask5');
});

it('prefers the suffix to the task', () => {
  expect(activityName('P', 'FooStart', 5)).toBe(activityName('P', 'FooStop', 6));
});

it('is the whole name without a suffix or a task', () => {
  expect(activityName('P', 'Restarted')).toBe('PRestarted');
});

it('respects the case and the position of the suffix', () => {
  expect(activityName('P', 'Requeststart')).toBe('PRequeststart');
  expect(activityName('P', 'StartRequest')).toBe('PStartRequest');
});
