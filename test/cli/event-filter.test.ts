import { describe, expect, it } from 'vitest';
import { parseOptions, UsageError } from '../../lib/cli/parse-options.ts';
import { eventFilter, FILTER_OPTIONS } from '../../lib/cli/trace/event-filter.ts';
import type { TraceEvent } from '../../lib/trace/trace-event.ts';

const event = {
  provider: 'MyCompany-MyService',
  providerGuid: 'c32b511d-c5d7-56bf-48d9-c96bbd9ed1e8',
  name: 'RequestStart',
  taskName: 'Request',
  opcodeName: 'Start',
  id: 7,
  processId: 4321,
  level: 4,
  keywords: 0x6n,
  timestamp: 1_715_941_230_500_000_000n, // 2024-05-17T10:20:30.5Z
  timeSinceStart: 1_500_000_000n,
  activityId: '00000011-0000-0000-0000-00005f899d59',
  activityPath: '//1/1/2$5',
} as TraceEvent;

/** The filter that a command line with these options asks for. */
function filterOf(options: Readonly<Record<string, string | readonly string[] | undefined>>) {
  const args = Object.entries(options).flatMap(([name, values = []]) =>
    [values].flat().map((value) => `--${name}=${value}`),
  );
  return eventFilter(parseOptions(args, FILTER_OPTIONS)?.values ?? {});
}

const passes = (options: Parameters<typeof filterOf>[0]) => filterOf(options)(event);

describe("a provider given by its source's name", () => {
  const onLinux = { ...event, provider: '_1st_Acme_Web', providerGuid: undefined } as TraceEvent;
  const hasProvider = (name: string, of: TraceEvent) => eventFilter({ provider: [name] })(of);

  it.each(['1st.Acme-Web', '1st-Acme-Web', '_1st_acme_web', '1st-A*-W*', '*.Acme-Web'])(
    'matches its tracepoints, found by %s',
    (name) => {
      expect(hasProvider(name, onLinux)).toBe(true);
    },
  );

  it('matches no other provider that has a GUID', () => {
    expect(hasProvider('MyCompany.MyService', event)).toBe(false);
    expect(hasProvider('MyCompany_MyService', event)).toBe(false);
    expect(hasProvider('2nd-Acme-Web', onLinux)).toBe(false);
  });
});

describe('an event passes', () => {
  it.each([
    [{}],
    [{ provider: ['mycompany-myservice'] }],
    [{ provider: ['other', 'MyCompany-*'] }],
    [{ provider: ['C32B511D-c5d7-56bf-48d9-c96bbd9ed1e8'] }],
    [{ event: ['RequestStart'] }],
    [{ event: ['request/start'] }],
    [{ event: ['*Start'] }],
    [{ event: ['7'] }],
    [{ level: '4' }],
    [{ level: 'Verbose' }],
    [{ keywords: '2' }],
    [{ keywords: '0xFFFFFFFFFFFFFFFF' }],
    [{ activity: ['//1/1'] }],
    [{ activity: ['//1/1/2/'] }],
    [{ activity: ['/#4321/1/1/'] }],
    [{ activity: ['//1/1/2$5'] }],
    [{ activity: ['00000011-0000-0000-0000-00005F899D59'] }],
    [{ from: '1.5', to: '1500ms' }],
    [{ from: '2024-05-17T10:20:30.5Z', to: '2024-05-17T10:20:31Z' }],
    [{ provider: ['MyCompany-MyService'], event: ['RequestStart'], level: '4', activity: ['//1'] }],
  ])('%j', (values) => {
    expect(passes(values)).toBe(true);
  });
});

describe('an event does not pass', () => {
  it.each([
    [{ provider: ['MyCompany'] }],
    [{ provider: ['MyCompany.MyService'] }],
    [{ event: ['Request'] }],
    [{ event: ['8'] }],
    [{ level: 'warning' }],
    [{ keywords: '1' }],
    [{ activity: ['//1/1/3'] }],
    [{ activity: ['//1/12'] }],
    [{ activity: ['/#4322/1/1/'] }],
    [{ from: '1.6' }],
    [{ to: '1499999us' }],
    [{ to: '2024-05-17T10:20:30Z' }],
    [{ provider: ['MyCompany-MyService'], level: 'error' }],
  ])('%j', (values) => {
    expect(passes(values)).toBe(false);
  });
});

it('an event without keywords passes any keywords', () => {
  expect(filterOf({ keywords: '1' })({ ...event, keywords: 0n } as TraceEvent)).toBe(true);
});

describe('an invalid filter', () => {
  it.each([
    [{ keywords: 'all' }, '--keywords takes 64 bits in hex, not "all".'],
    [{ level: 'loud' }, '--level takes a number from 0 to 255, or a name such as Warning, not "loud".'],
    [
      { activity: ['1/1'] },
      '--activity takes a path (//1/1, or /#4321/1/1/ of one process) or a GUID, not "1/1".',
    ],
    [
      { from: 'noon' },
      '--from takes seconds since the start of the trace (1.5, 200ms) or a date (2024-05-17T10:20:30Z), not "noon".',
    ],
  ])('%j is a usage error', (values, message) => {
    expect(() => filterOf(values)).toThrow(new UsageError(message));
  });
});
