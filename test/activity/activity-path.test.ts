import { expect, test } from 'vitest';
import { activityPath } from '../../lib/activity/path.ts';
import { ActivityTracker } from '../../lib/activity/tracker.ts';

test('an activity id of the 2016 form is shown as its path', () => {
  expect(activityPath('00000011-0000-0000-0000-0000be999d59')).toBe('//1/1');
});

test('an activity id that includes a process id is shown as the same path, without the process', () => {
  const tracker = new ActivityTracker(1, 4711);
  const request = tracker.start(undefined, 'Request', 0);
  const query = tracker.start(request, 'Query', 0);
  expect(activityPath(String(query?.id))).toBe('//1/1/1');
  expect(activityPath(String(query?.id).toUpperCase())).toBe('//1/1/1');
});

test('a GUID that is not a path is shown unchanged', () => {
  const id = '11111111-2222-3333-4444-555555555555';
  expect(activityPath(id)).toBe(id);
});

test('text that is not a GUID is shown unchanged', () => {
  expect(activityPath('request 7')).toBe('request 7');
});
