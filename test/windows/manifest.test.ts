/** Events described by a manifest, as passed to ETW, and the manifest itself. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { activityPath, type SourceStats, type SourceStatus } from '../../lib/index.ts';
import { MAX_CHUNK_SIZE, ManifestAssembly } from '../../lib/wire/manifest/in-band.ts';
import { compileManifest } from '../../lib/wire/manifest/resource/compile.ts';
import { windowsPath } from '../../scripts/windows/wine.mjs';
import { parseManifest } from '../wire/manifest/parse-manifest.ts';
import { nodeManifest } from '../wire/manifest/resource/node-manifest.ts';
import { callsOf, type EtwCall, type WriteCall } from './etw-call.ts';
import { runProgram, skipReason, suiteName } from './run-program.ts';

const ENVELOPE_SIZE = 8;
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

  it('is whole in every file and buffer, however small, with all definitions of its provider', async () => {
    const { result, calls } = await runProgram<{ stats: SourceStats; problems: string[] }>(
      'programs/manifest-files.mjs',
      { recorder: true },
    );
    const written = documents(calls);
    expect(written.map(([after]) => after)).toEqual([
      'start',
      'new file',
      'buffers of 65536',
      'buffers of 4096',
      'buffers of 1024',
      'second definition',
      'defined',
      'both asked',
      'closed',
      'exit',
    ]);
    const [first = '', ...others] = written.map(([, xml]) => xml);
    expect(first.length).toBeGreaterThan(2 * MAX_CHUNK_SIZE);
    expect(new Set(others.slice(0, 5))).toEqual(new Set([first]));

    // Chunks get smaller until one fits; a document starts over with each size.
    const chunkSizes = (mark: string) => {
      const from = calls.findIndex((call) => call.op === 'mark' && call.text === mark);
      const to = calls.findIndex((call, index) => index > from && call.op === 'mark');
      const chunks = callsOf(calls.slice(from, to), 'write').filter((call) => idOf(call) === 0xfffe);
      const sizes = chunks.map((call) => [call.status, payloadOf(call).length - ENVELOPE_SIZE]);
      return sizes.filter(([status], index) => status !== 0 || sizes[index - 1]?.[0] !== 0);
    };
    expect(chunkSizes('new file')).toEqual([[0, 0xff00]]);
    expect(chunkSizes('buffers of 65536')).toEqual([[0, 0xff00]]);
    expect(chunkSizes('buffers of 4096')).toEqual([
      [234, 0xff00],
      [234, 0x7f80],
      [234, 0x3fc0],
      [234, 0x1fe0],
      [234, 0xff0],
      [0, 0x7f8],
    ]);
    expect(chunkSizes('buffers of 1024').at(-1)).toEqual([0, 510]);

    // The state follows the manifest that describes it.
    const newFile = calls.findIndex((call) => call.op === 'mark' && call.text === 'new file');
    const ids = callsOf(calls.slice(newFile), 'write').map(idOf);
    expect(ids.slice(0, ids.indexOf(321) + 1)).toEqual([0xfffe, 0xfffe, 0xfffe, 0xfffe, 321]);

    const both = parseManifest(others.at(-1) ?? '');
    const own = both.events.filter(({ id }) => id === 1 || id > 320);
    expect(own.map(({ id, symbol, fields }) => [id, symbol?.length, fields])).toMatchObject([
      [1, 81, [{ name: expect.stringMatching(/^Long/) }]],
      [321, 'QueueDCStart'.length, [{ name: 'length' }]],
      [322, 'Second'.length, [{ name: 'text' }]],
      [323, 81, [{ name: 'other' }]],
    ]);
    expect(result.stats.dropped).toEqual({});
    expect(result.problems).toHaveLength(1);
  });

  it('has a DLL from which Windows reads its messages, in the language that is asked for', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tracewright-test-'));
    try {
      const xml = nodeManifest();
      const english = xml.slice(xml.indexOf('<resources'), xml.indexOf('</localization>'));
      const german = english
        .replace('en-US', 'de-DE')
        .replaceAll('Garbage Collection', 'Speicherbereinigung');
      writeFileSync(join(folder, 'node.dll'), compileManifest(xml.replace('</localization>', `${german}$&`)));
      const read = (language: string) =>
        runProgram<{ texts: string[]; size: number }>('programs/resource-dll.mjs', {
          args: [
            windowsPath(join(folder, 'node.dll')),
            language,
            'b0000007',
            'b0000017',
            'b0000018',
            '50000004',
          ],
        });
      expect((await read('409')).result).toEqual({
        texts: [
          'Node.js Garbage Collection Start\r\n',
          'Node.js V8 Symbol Reset\r\n',
          null,
          'Information\r\n',
        ],
        size: 5442,
      });
      expect((await read('407')).result.texts[0]).toBe('Node.js Speicherbereinigung Start\r\n');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('writes events of a channel with its number and keyword, if the Event Log enables this keyword', async () => {
    const { result, calls } = await runProgram<{ enabled: boolean[] }>('programs/channels.mjs', {
      recorder: true,
    });
    expect(result.enabled).toEqual([false, true, false]);
    const [written, ...others] = callsOf(calls, 'write').filter((call) => idOf(call) !== 0xfffe);
    expect(others).toEqual([]);
    // Id 2, channel 17 (0x11), level 4, task 0xfffc; the keywords of the sessions, and bit 62 of the second channel.
    expect(written?.descriptor).toBe('020000110400fcff0000000000f00040');
    expect(written && payloadOf(written).toString('hex')).toBe('01');
  });
});
