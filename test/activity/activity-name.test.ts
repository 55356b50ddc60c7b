/** activityName: what a start and a stop must have in common to be a pair. */
import { expect, it } from 'vitest';
import { activityName } from '../../lib/activity/activity.ts';

it('drops the suffix that makes an event a start or a stop', () => {
  expect(activityName('MyCompany-MyService', 'RequestStart')).toBe('MyCompany-MyServiceRequest');
  expect(activityName('MyCompany-MyService', 'RequestStop')).toBe('MyCompany-MyServiceRequest');
});

it('pairs events without a suffix by their task', () => {
  expect(activityName('P', 'Begin', 5)).toBe('Ptask5');
  expect(activityName('P', 'End', 5)).toBe('Ptask5');
});

it('lets the suffix win over the task', () => {
  expect(activityName('P', 'FooStart', 5)).toBe(activityName('P', 'FooStop', 6));
});

it('takes the whole name when there is neither suffix nor task', () => {
  expect(activityName('P', 'Restarted')).toBe('PRestarted');
});

it('minds the case and the place of the suffix', () => {
  expect(activityName('P', 'Requeststart')).toBe('PRequeststart');
  expect(activityName('P', 'StartRequest')).toBe('PStartRequest');
});
