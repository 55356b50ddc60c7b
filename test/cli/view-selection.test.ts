/** Which activities `--name` selects, and which names it suggests if it selects none. */
import { expect, it } from 'vitest';
import { selection } from '../../lib/cli/view/view-selection.ts';
import type { TraceEvent } from '../../lib/trace/trace-event.ts';
import { ActivityTree } from '../../lib/view/activity-tree.ts';
import { during, written } from '../view/written-events.ts';

function found(name: string, provider: string, providerGuid?: string) {
  const selected = selection({ name });
  const tree = new ActivityTree({ isRoot: selected.isRoot });
  for (const event of during(
    [`${provider}/Request`, '//1/1', 1, 2],
    [`${provider}/Db/Query`, '//1/1/1', 1, 2],
  )) {
    tree.add(Object.defineProperty(written(event), 'providerGuid', { value: providerGuid }) as TraceEvent);
  }
  return { tasks: tree.roots.map(({ activity }) => activity.task), others: [...selected.otherNames] };
}

it.each(['Request', 'request', 'Acme_Web/Request', 'Acme-Web/Request', 'acme.web/request'])(
  'an activity of Linux is selected by %s',
  (name) => {
    expect(found(name, 'Acme_Web').tasks).toEqual(['Request']);
  },
);

it('the name of a task may contain a slash', () => {
  expect(found('Acme-Web/Db/Query', 'Acme_Web').tasks).toEqual(['Db/Query']);
});

it('a provider with a GUID has its own name', () => {
  const guid = '082256f5-7e74-534a-d7aa-b5a2c4825e57';
  expect(found('Acme-Web/Request', 'Acme_Web', guid).tasks).toEqual([]);
  expect(found('Acme-Web/Request', 'Acme-Web', guid).tasks).toEqual(['Request']);
});

it('other names are suggested', () => {
  expect(found('Requests', 'Acme_Web')).toEqual({
    tasks: [],
    others: ['Acme_Web/Request', 'Acme_Web/Db/Query'],
  });
});
