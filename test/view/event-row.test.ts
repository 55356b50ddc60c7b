/** The table with which "EventSource Activity Support" begins, from the events it shows. */
import { describe, expect, it } from 'vitest';
import { EVENT_COLUMNS, eventCells, eventRow } from '../../lib/view/event-row.ts';
import { TraceActivities } from '../../lib/view/trace-activities.ts';
import { type WrittenEvent, written } from './written-events.ts';

/** One of eight concurrent requests. Digits beyond the microsecond are chosen so that the durations round as there. */
const REQUEST: readonly (readonly [
  at: number,
  name: string,
  threadId: number,
  id: string,
  related?: string,
])[] = [
  [6619.232, 'RequestStart', 3576, '//1/1/6/1', '//1/1/6'],
  [9403.1424, 'SecurityStart', 6228, '//1/1/6/1/1/2', '//1/1/6/1/1'],
  [9723.2546, 'SecurityStop', 6228, '//1/1/6/1/1/2'],
  [12214.788, 'DatabaseCommandStart', 4508, '//1/1/6/1/2', '//1/1/6/1'],
  [12215.129, 'DatabaseCommandStop', 4508, '//1/1/6/1/2'],
  [13085.573, 'DatabaseCommandStart', 8916, '//1/1/6/1/3/1', '//1/1/6/1/3'],
  [13085.679, 'DatabaseCommandStop', 8916, '//1/1/6/1/3/1'],
  [13085.7884, 'SecurityStart', 8916, '//1/1/6/1/3/2', '//1/1/6/1/3'],
  [13394.6096, 'SecurityStop', 8916, '//1/1/6/1/3/2'],
  [15385.325, 'RequestStop', 8196, '//1/1/6/1'],
];

/** The specification's two tables put side by side. */
const TABLE = `
MyCompany-MyService/Request/Start         |  6,619.232 | 3,576 | //1/1/6/1     | //1/1/6     |
MyCompany-MyService/Security/Start        |  9,403.142 | 6,228 | //1/1/6/1/1/2 | //1/1/6/1/1 |
MyCompany-MyService/Security/Stop         |  9,723.255 | 6,228 | //1/1/6/1/1/2 |             | 320.112
MyCompany-MyService/DatabaseCommand/Start | 12,214.788 | 4,508 | //1/1/6/1/2   | //1/1/6/1   |
MyCompany-MyService/DatabaseCommand/Stop  | 12,215.129 | 4,508 | //1/1/6/1/2   |             | 0.341
MyCompany-MyService/DatabaseCommand/Start | 13,085.573 | 8,916 | //1/1/6/1/3/1 | //1/1/6/1/3 |
MyCompany-MyService/DatabaseCommand/Stop  | 13,085.679 | 8,916 | //1/1/6/1/3/1 |             | 0.106
MyCompany-MyService/Security/Start        | 13,085.788 | 8,916 | //1/1/6/1/3/2 | //1/1/6/1/3 |
MyCompany-MyService/Security/Stop         | 13,394.610 | 8,916 | //1/1/6/1/3/2 |             | 308.821
MyCompany-MyService/Request/Stop          | 15,385.325 | 8,196 | //1/1/6/1     |             | 8,766.093
`;

/** The eight requests at once: each event of the shown one comes for all of them, in turn. */
function eightRequests(): WrittenEvent[] {
  return REQUEST.flatMap(([at, name, threadId, id, related]) =>
    Array.from({ length: 8 }, (_, i) => {
      const request = i + 1;
      const ofRequest = (path: string) => path.replace('//1/1/6', `//1/1/${request}`);
      return {
        name: `MyCompany-MyService/${name}`,
        at: request === 6 ? at : at + (request - 6) / 1000,
        threadId,
        id: ofRequest(id),
        ...(related === undefined ? {} : { related: ofRequest(related) }),
      };
    }),
  );
}

function rows(events: readonly WrittenEvent[]): string[][] {
  const tracker = new TraceActivities();
  return events.map(written).map((event) => eventCells(eventRow(event, tracker.add(event))));
}

describe('the table of events', () => {
  it('has the columns of the specification', () => {
    expect(EVENT_COLUMNS).toEqual([
      'Event Name',
      'Time MSec',
      'ThreadID',
      'ActivityID',
      'RelatedActivityID',
      'DURATION_MSEC',
    ]);
  });

  it('matches that of the specification for one request of eight that run at once', () => {
    const expected = TABLE.trim()
      .split('\n')
      .map((line) => line.split('|').map((cell) => cell.trim()));
    expect(rows(eightRequests()).filter((cells) => cells[3]?.startsWith('//1/1/6/'))).toEqual(expected);
  });

  it('shows other events by their names, ids that are not paths as GUIDs, and unknown values as nothing', () => {
    const guid = '3c7b4ef5-1c2d-4e5f-8a9b-0c1d2e3f4a5b';
    expect(
      rows([
        { name: 'CacheMiss', at: 0.0004, id: guid },
        { name: 'Restarted', at: 1234.5 },
      ]),
    ).toEqual([
      ['Demo/CacheMiss', '0.000', '1', guid, '', ''],
      ['Demo/Restarted', '1,234.500', '1', '', '', ''],
    ]);
  });
});
