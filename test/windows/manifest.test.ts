/** Events described by a manifest, as passed to ETW, and the manifest itself. */
import { describe, expect, it } from 'vitest';
import { activityPath, type SourceStatus } from '../../lib/index.ts';
import { ManifestAssembly } from '../../lib/wire/manifest/in-band.ts';
import { parseManifest } from '../wire/manifest/parse-manifest.ts';
import { callsOf, type EtwCall, type WriteCall } from './etw-call.ts';
import { runProgram, skipReason, suiteName } from './run-program.ts';

const idOf = (call: WriteCall) => Buffer.from(call.descriptor, 'hex').readUInt16LE(0);
const payloadOf = (call: WriteCall) => Buffer.concat(call.data.map((data) => Buffer.from(data.bytes, 'hex')));

/** The documents that were written whole, each with the mark before it. */
function documents(calls: readonly EtwCall[]): [after: string, xml: string][] {
  const assembly = new ManifestAssembly();
  const found: [string, string][] = [];
  let mark = 'start';
  for (const call of calls) {
    if (call.op === 'mark') mark = call.text;
    if (call.op !== 'write' || call.status !== 0 || idOf(call) !== 0xfffe) continue;
    const xml = assembly.add(payloadOf(call));
    if (xml !== undefined) found.push([mark, xml]);
  }
  return found;
}

describe.skipIf(skipReason !== undefined)(suiteName('a source with a manifest'), { timeout: 60_000 }, () => {
  it('writes the manifest when a session starts, on request, and at exit; and events described by it', async () => {
    const { result, calls } = await runProgram<{ xml: string; status: SourceStatus }>(
      'programs/manifest.mjs',
      {
        recorder: true,
      },
    );
    expect(result.status).toEqual({ backend: 'etw', problems: [] });
    expect(documents(calls)).toEqual([
      ['start', result.xml],
      ['asked again', result.xml],
      ['exit', result.xml],
    ]);
    // The session had no room at first: written again, in smaller chunks.
    const [refused] = callsOf(calls, 'write');
    expect(refused).toMatchObject({ status: 234 });

    const manifest = parseManifest(result.xml);
    const written = callsOf(calls, 'write').filter((call) => idOf(call) !== 0xfffe);
    const names = written.map((call) => manifest.events.find((event) => event.id === idOf(call))?.symbol);
    expect(names).toEqual(['RequestStart', 'Values', 'RequestStop']);
    for (const call of written) {
      expect(call.data.map((data) => data.type)).toEqual([0]);
      expect(activityPath(call.activityId ?? '')).toBe('//1/1');
    }
    const [start, values, stop] = written.map(payloadOf);
    expect(start?.toString('hex')).toBe(Buffer.from('/ä\0', 'utf16le').toString('hex'));
    expect(values?.toString('hex')).toBe(
      ['ff', '33221100554477668899aabbccddeeff', '02000000', '0102', '00803ed5deb19d01'].join(''),
    );
    expect(stop?.toString('hex')).toBe('01000000');
  });

  it('writes the manifest once, before its events, if the session was there first', async () => {
    const { result, calls } = await runProgram<{ xml: string }>('programs/manifest-session-first.mjs', {
      recorder: true,
    });
    expect(documents(calls)).toEqual([
      ['start', result.xml],
      ['exit', result.xml],
    ]);
    expect(callsOf(calls, 'write').map(idOf)).toEqual([0xfffe, 1, 0xfffe]);
  });

  it('that writes events without a definition, too, is one provider: each command arrives once', async () => {
    const { result, calls } = await runProgram<{ guid: string; commands: string[]; dropped: object }>(
      'programs/manifest-and-write.mjs',
      { recorder: true },
    );
    const registered = callsOf(calls, 'register').filter(({ provider }) => provider === result.guid);
    expect(registered).toHaveLength(1);
    expect(result.commands).toEqual(['enable', 'sendManifest', 'disable']);
    // After the session has come, after it has asked, and none when the source is closed without a session.
    expect(documents(calls).map(([after]) => after)).toEqual(['enabled', 'asked again']);
    const names = callsOf(calls, 'write').map(idOf);
    expect(names.filter((id) => id === 1)).toHaveLength(1);
    // Self-describing events bring the provider's traits and their own metadata with them.
    const described = callsOf(calls, 'write').filter(({ data }) => data.length > 1);
    expect(described.map(({ data }) => data.map(({ type }) => type))).toEqual([[2, 1, 0]]);
    // The group is told, too.
    const traits = callsOf(calls, 'setInformation').filter(({ handle }) => handle === registered[0]?.handle);
    expect(traits.map(({ data }) => data.includes('0807060504030201'))).toEqual([true]);
    // Closed: unregistered, and late events counted.
    expect(callsOf(calls, 'unregister').map(({ handle }) => handle)).toContain(registered[0]?.handle);
    expect(result.dropped).toEqual({ closed: 2 });
  });
});
