import { describe, expect, it } from 'vitest';
import { Selection, type SelectionOptions } from '../../lib/record/tracepoint-selection.ts';

const TRACEPOINTS = [
  'user_events:My_Service_L4K0',
  'user_events:My_Service_L5K2',
  'user_events:Other_L2K1Gteam',
  'user_events:plain',
  'sched:sched_switch',
];

function selected(options: SelectionOptions): string[] {
  const selection = new Selection(options);
  return TRACEPOINTS.filter((text) => {
    const [system = '', name = ''] = text.split(':');
    return selection.has({ system, name });
  });
}

describe('the recorded tracepoints', () => {
  it('are all user_events by default', () => {
    expect(selected({})).toEqual(TRACEPOINTS.slice(0, 4));
  });

  it.each(['Node_Runtime_L6K10', 'Node_Runtime_L6K20'])(
    'are what threads run only if a level or keywords ask for it, or its name: %s',
    (name) => {
      const switches = { system: 'user_events', name };
      const has = (options: SelectionOptions) => new Selection(options).has(switches);
      expect(has({})).toBe(false);
      expect(has({ providers: ['Node.Runtime'] })).toBe(false);
      expect(has({ level: 5 })).toBe(false);
      expect(has({ level: 6 })).toBe(true);
      expect(has({ keywords: 0x30n })).toBe(true);
      expect(has({ tracepoints: [switches] })).toBe(true);
      expect(has({ activityRuns: true, level: 4, providers: ['Other'] })).toBe(true);
      expect(has({ activityRuns: true, tracepoints: [{ system: 'sched', name: 'sched_switch' }] })).toBe(
        true,
      );
      expect(selected({ activityRuns: true, tracepoints: [switches] })).toEqual([]);
    },
  );

  it('are the lines that start activities only if a level or keywords ask for them', () => {
    const code = { system: 'user_events', name: 'Node_Runtime_L6K40' };
    const has = (options: SelectionOptions) => new Selection(options).has(code);
    expect(has({})).toBe(false);
    expect(has({ activityRuns: true })).toBe(false);
    expect(has({ keywords: 0x40n })).toBe(true);
  });

  it('are those of providers, by their names in the program or in their tracepoints', () => {
    expect(selected({ providers: ['My-Service'] })).toEqual(TRACEPOINTS.slice(0, 2));
    expect(selected({ providers: ['My_Service', 'Other'] })).toEqual(TRACEPOINTS.slice(0, 3));
    expect(selected({ providers: ['My'] })).toEqual([]);
  });

  it('are those up to a level, with some keywords or none', () => {
    expect(selected({ level: 4 })).toEqual(['user_events:My_Service_L4K0', 'user_events:Other_L2K1Gteam']);
    expect(selected({ keywords: 2n })).toEqual(TRACEPOINTS.slice(0, 2));
    expect(selected({ providers: ['My-Service'], level: 4, keywords: 2n })).toEqual([TRACEPOINTS[0]]);
  });

  it('are those named, whatever they are', () => {
    const tracepoints = [
      { system: 'sched', name: 'sched_switch' },
      { system: 'user_events', name: 'plain' },
    ];
    expect(selected({ tracepoints })).toEqual(['user_events:plain', 'sched:sched_switch']);
    expect(selected({ tracepoints, providers: ['Other'], level: 1 })).toEqual(TRACEPOINTS.slice(3));
  });
});
