import { describe, expect, it } from 'vitest';
import { type EventTable, findEvent } from '../../lib/known/event-table.ts';

const TABLE: EventTable = {
  provider: 'Machine',
  entries: `
Door v1 Info=0: Count uint32
Door v3 Open=1 Close=2: Handle pointer, _Reserved uint16,
  Names utf16[Count], Code binary(4)
Door v2 Open=1: Rest uint8[*]
Window v0 Clean=7:
`,
};

describe('the notation of event tables', () => {
  it('names events by their task and opcode', () => {
    expect(findEvent(TABLE, 2, 3)).toMatchObject({
      provider: 'Machine',
      name: 'Door/Close',
      taskName: 'Door',
      opcodeName: 'Close',
    });
  });

  it('names an event named Info by its task alone', () => {
    expect(findEvent(TABLE, 0, 1)).toMatchObject({ name: 'Door', opcodeName: 'Info' });
  });

  it('supports counts, lengths, and the rest of the payload, and hides fields with a _', () => {
    expect(findEvent(TABLE, 1, 3)?.fields).toEqual([
      { name: 'Handle', type: 'pointer' },
      { name: 'Reserved', type: 'uint16', hidden: true },
      { name: 'Names', type: 'utf16', count: 'Count' },
      { name: 'Code', type: 'binary', length: 4 },
    ]);
    expect(findEvent(TABLE, 1, 2)?.fields).toEqual([{ name: 'Rest', type: 'uint8', count: '*' }]);
    expect(findEvent(TABLE, 7, 0)?.fields).toEqual([]);
  });

  it('uses the next lower version for an unknown one', () => {
    expect(findEvent(TABLE, 1, 9)).toBe(findEvent(TABLE, 1, 3));
    expect(findEvent(TABLE, 2, 2)).toBeUndefined();
  });

  it('does not know other numbers', () => {
    expect(findEvent(TABLE, 3, 3)).toBeUndefined();
  });
});
