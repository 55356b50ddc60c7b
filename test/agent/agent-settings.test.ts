/** The settings of the agent: what is read, and what is said about mistakes. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { matcher } from '../../lib/agent/node-processes.ts';
import { readAgentSettings } from '../../lib/agent/settings/agent-settings.ts';

const rule = { name: 'all', providers: 'My-Provider:0x1:Warning' };
const read = (settings: object) => readAgentSettings(JSON.stringify(settings), 'agent.json');
const problems = (settings: object): string[] => {
  try {
    read(settings);
    return [];
  } catch (error) {
    return (error as Error).message.split('\n');
  }
};
const inRule = (settings: object) => problems({ folder: '/a', rules: [{ ...rule, ...settings }] });

describe('the settings', () => {
  it('need a folder and a rule with a name and providers, and have defaults for the rest', () => {
    expect(read({ folder: '/a', rules: [rule] })).toMatchObject({
      folder: '/a',
      scanIntervalMs: 5000,
      disk: { maxBytes: 1024e6, whenFull: 'removeOldest' },
      metrics: { host: '127.0.0.1', port: 9464 },
      rules: [
        {
          providers: [{ name: 'My-Provider', keywords: 1n, level: 3, arguments: '' }],
          match: { name: '*', commandLine: '*' },
          collect: 'stream',
          triggers: [],
          limits: { perHour: 12 },
        },
      ],
    });
    expect(problems({})).toEqual([
      'agent.json: folder must be the path of a folder: it is missing.',
      'agent.json: rules must be a list of at least 1: it is missing.',
    ]);
  });

  it('are as the guide shows', () => {
    const guide = readFileSync(new URL('../../docs/agent.md', import.meta.url), 'utf8');
    const [, example = ''] = /```json\n([^`]+)```/.exec(guide) ?? [];
    expect(readAgentSettings(example, 'agent.json').rules.map(({ name }) => name)).toEqual([
      'requests',
      'trouble',
    ]);
  });

  it('have profiles of 10 seconds in a minute, only in streams without triggers', () => {
    const { rules } = read({ folder: '/a', rules: [{ ...rule, profile: {} }] });
    expect(rules[0]?.profile).toEqual({ intervalMs: 60_000, durationMs: 10_000 });
    expect(inRule({ profile: { intervalMs: 5000 } })).toEqual([
      'agent.json: rules[0].profile.durationMs must be less than its intervalMs, 5000.',
    ]);
    expect(inRule({ profile: {}, triggers: [{ type: 'startup' }] })).toEqual([
      'agent.json: rules[0] has a profile, which is a stream without triggers.',
    ]);
  });

  it('have level 0, which stands for all, where they ask for one above Verbose', () => {
    const { rules } = read({ folder: '/a', rules: [{ ...rule, providers: 'Node.Runtime:0x10:6,A::5' }] });
    expect(rules[0]?.providers.map(({ level }) => level)).toEqual([0, 5]);
  });

  it('are JSON', () => {
    expect(() => readAgentSettings('{ folder }', 'agent.json')).toThrow(
      /^agent\.json: It is not JSON: .+\.$/,
    );
    expect(problems([])).toEqual([
      expect.stringMatching(/^agent\.json: The file must be an object with folder, /),
    ]);
  });

  it('report each mistake with its value and its place', () => {
    expect(problems({ folder: '/a', rules: [rule], disc: 1 })).toEqual([
      expect.stringMatching(/^agent\.json: The file has no setting 'disc'; its settings are folder, .+\.$/),
    ]);
    expect(
      inRule({ name: 'a b', limits: { count: 1.5 }, otlp: 'no', match: { environment: { A: 1 } } }),
    ).toEqual([
      "agent.json: rules[0].name must be a name of letters, digits, - and _, not 'a b'.",
      'agent.json: rules[0].match.environment.A must be a text, not 1.',
      'agent.json: rules[0].limits.count must be a whole number from 1 to 1000000, not 1.5.',
      "agent.json: rules[0].otlp must be true or false, not 'no'.",
    ]);
    expect(problems({ folder: '/a', rules: [rule], otlp: { url: 'ftp://a' } })).toEqual([
      "agent.json: otlp.url must be a URL that starts with http:// or https://, not 'ftp://a'.",
    ]);
  });

  it('match processes by what is known of them', () => {
    const process = {
      processId: 7,
      client: undefined as never,
      startMs: 0,
      isKnown: false,
      resource: {},
      name: 'server.js',
      service: 'shop',
      commandLine: 'node /app/server.js --port 80',
      runtime: 'node' as const,
      environment: { TEAM: 'shop-eu' },
      container: '0::/kubepods/pod1234/abcdef',
    };
    const matches = (match: object) => {
      const [settings] = read({ folder: '/a', rules: [{ ...rule, match }] }).rules;
      return matcher(settings as NonNullable<typeof settings>)(process);
    };
    const good = [
      {},
      { name: 'server*' },
      { commandLine: '*--port*' },
      { environment: { TEAM: 'SHOP-*' } },
      { container: 'pod1234' },
      { container: 'pod*/abc' },
      { runtime: 'node' },
    ];
    const bad = [
      { name: 'server' },
      { commandLine: 'server' },
      { environment: { TEAM: 'shop' } },
      { environment: { OTHER: '*' } },
      { container: 'pod9' },
      { runtime: 'dotnet' },
      { name: 'server.js', runtime: 'dotnet' },
    ];
    expect(good.map(matches)).toEqual(good.map(() => true));
    expect(bad.map(matches)).toEqual(bad.map(() => false));
  });

  it('take providers as dotnet-trace does', () => {
    expect(inRule({ providers: 'A:zz' })).toEqual([
      'agent.json: rules[0].providers: The keywords of A must be up to 64 bits in hex, not "zz": only its own process knows their names.',
    ]);
    expect(inRule({ providers: '' })).toEqual([
      "agent.json: rules[0].providers must be a list of providers, not ''.",
    ]);
  });

  it('have triggers of known types, each with its own settings', () => {
    expect(inRule({ triggers: [{ type: 'slo' }] })).toEqual([
      expect.stringMatching(
        /^agent\.json: rules\[0\]\.triggers\[0\]\.type must be "startup" or .+, not 'slo'\.$/,
      ),
    ]);
    expect(inRule({ triggers: [{ type: 'slow' }, 7] })).toEqual([
      'agent.json: rules[0].triggers[0].limitMs must be a number from 0 to 31622400000: it is missing.',
      expect.stringMatching(/^agent\.json: rules\[0\]\.triggers\[1\]\.type must be /),
    ]);
    const counter = { type: 'counter', provider: 'System.Runtime', counter: 'cpu-usage' };
    expect(inRule({ triggers: [counter] })).toEqual([
      'agent.json: rules[0].triggers[0] must have either above or below.',
    ]);
    expect(inRule({ triggers: [{ ...counter, above: 80 }] })).toEqual([]);
  });

  it('write a ring only with a trigger, and name each rule differently', () => {
    expect(inRule({ collect: 'ring' })).toEqual([
      'agent.json: rules[0] collects a ring, but has no triggers: nothing would ever be written.',
    ]);
    expect(problems({ folder: '/a', rules: [rule, rule] })).toEqual([
      'agent.json: rules[1].name is "all", as that of an earlier rule.',
    ]);
  });
});
