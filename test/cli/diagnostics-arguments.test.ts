/** Invalid command lines of `tracewright collect`, `counters` and `ps`, and their messages. */
import { describe, expect, it } from 'vitest';
import { run as collectCommand } from '../../lib/cli/collect/collect.ts';
import { run as countersCommand } from '../../lib/cli/counters/counters.ts';
import { run as psCommand } from '../../lib/cli/lists/ps.ts';
import { UsageError } from '../../lib/cli/parse-options.ts';
import { sessionProviders } from '../../lib/cli/trace/provider-argument.ts';

describe('collect', () => {
  it.each([
    [['-p', 'x'], '--process-id takes a process id, not "x".'],
    [[], 'Specify the process with either --process-id, --diagnostic-port or a COMMAND after --.'],
    [
      ['-p', '1', '--diagnostic-port', 'x'],
      'Specify the process with either --process-id, --diagnostic-port or a COMMAND after --.',
    ],
    [['-p', '1', '--nettrace-version', '5'], '--nettrace-version takes 4 or 6, not "5".'],
    [['-p', '1', '--provider', ','], '--provider takes names of providers, but is empty.'],
    [['-p', '1', '--provider', ':1'], '--provider: The provider ":1" has no name.'],
    [
      ['-p', '1', '--provider', 'A:g'],
      '--provider: The keywords of A must be up to 64 bits in hex, not "g": only its own process knows their names.',
    ],
    [
      ['-p', '1', '--provider', 'A:0g'],
      '--provider: The keywords of A must be up to 64 bits in hex or names such as GC+Heap, not "0g".',
    ],
    [
      ['-p', '1', '--provider', 'Node.Runtime:GC+Pile'],
      /^--provider: Node\.Runtime: the source does not define the keyword "Pile" \(it has: GC, Heap, .*Threading\)\.$/,
    ],
    [
      ['-p', '1', '--provider', 'Node.Http:Requests'],
      '--provider: Node.Http: the source does not define the keyword "Requests" (it has: none).',
    ],
    [
      ['-p', '1', '--provider', 'A,node.http:1'],
      '--provider: There is no node.http: names of providers are case-sensitive, and this one is Node.Http.',
    ],
    [
      ['-p', '1', '--providers', 'A'],
      'There is no option --providers; did you mean --provider (can be repeated)?',
    ],
    [['-p', '1', '--provider'], '--provider takes names of providers, but nothing follows it.'],
    [
      ['-p', '1', '--output', '--cpu'],
      '--output takes a file, but "--cpu" follows it; what begins with a dash is given as --output=--cpu.',
    ],
    [['-p', '1', '--cpu=yes'], '--cpu takes no value: "yes" is unexpected.'],
    [['-p', '1', '-x'], 'There is no option -x; --help lists the options.'],
    [['-p', '1', '--service', ''], '--service takes the name of a service, not "".'],
    [['-p', '1', 'file'], 'collect takes a COMMAND only after --: "file" is unexpected.'],
  ])('rejects %j', async (args, sentence) => {
    await expect(collectCommand(args)).rejects.toMatchObject({
      name: 'UsageError',
      message: typeof sentence === 'string' ? sentence : expect.stringMatching(sentence),
    });
  });
});

describe('counters', () => {
  it.each([
    [['--interval', '0'], '--interval takes a duration such as 10s or 500ms of at least 100ms, not "0".'],
    [['--provider', 'A;B'], '--provider takes names of event sources and meters, not "A;B".'],
    [
      ['--provider', 'node.runtime'],
      '--provider: There is no node.runtime: names of providers are case-sensitive, and this one is Node.Runtime.',
    ],
    [['--provider', ''], '--provider takes names of event sources and meters, not "".'],
    [['--providers=A'], 'There is no option --providers; did you mean --provider (can be repeated)?'],
    [['--duration', 'x'], '--duration takes a duration such as 10s or 500ms, not "x".'],
  ])('rejects %j', async (args, sentence) => {
    await expect(countersCommand(['-p', '1', ...args])).rejects.toEqual(new UsageError(sentence));
  });
});

describe('ps', () => {
  it('takes no process', async () => {
    await expect(psCommand(['1'])).rejects.toEqual(new UsageError('ps takes no file: "1" is unexpected.'));
  });
});

describe('providers', () => {
  const all = { keywords: 0xffff_ffff_ffff_ffffn, level: 5, arguments: '' };

  it.each([
    ['A', [{ ...all, name: 'A' }]],
    [
      'A, B ,',
      [
        { ...all, name: 'A' },
        { ...all, name: 'B' },
      ],
    ],
    ['A::', [{ ...all, name: 'A' }]],
    ['A:10', [{ ...all, name: 'A', keywords: 0x10n }]],
    ['A:0xF:LogAlways', [{ name: 'A', keywords: 15n, level: 0, arguments: '' }]],
    ['Node.Runtime:GC+Exceptions', [{ ...all, name: 'Node.Runtime', keywords: 0x8001n }]],
    ['A::informational', [{ ...all, name: 'A', level: 4 }]],
    ['A:::k=v;l=w', [{ ...all, name: 'A', arguments: 'k=v;l=w' }]],
    [
      'A:::k="x,y:z",B',
      [
        { ...all, name: 'A', arguments: 'k="x,y:z"' },
        { ...all, name: 'B' },
      ],
    ],
  ])('are parsed from %s', (text, providers) => {
    expect(sessionProviders([text], {}, true)).toEqual(providers);
  });
});
