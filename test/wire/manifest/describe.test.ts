/** Event descriptions from manifests of any origin. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { describeManifest } from '../../../lib/wire/manifest/describe.ts';
import { ManifestError } from '../../../lib/wire/manifest/error.ts';
import { generateManifest } from '../../../lib/wire/manifest/generate.ts';
import { decodePacked } from '../../../lib/wire/packed/decode.ts';
import { cpuTimeOf } from '../../base/cpu-time.ts';
import { dataFolder, SKIP_REASON } from '../../conformance/data-folder.ts';
import { schemaOf } from '../eventheader/encoded-event.ts';

const GUID = '12345678-9abc-def0-1234-56789abcdef0';

function provider(content: string, strings = ''): string {
  return (
    `<m:instrumentationManifest xmlns:m="urn:m"><m:provider guid="{${GUID.toUpperCase()}}" name="P">${content}` +
    `</m:provider><localization><stringTable>${strings}</stringTable></localization></m:instrumentationManifest>`
  );
}

/** The only provider of a manifest with such contents. */
function describeOne(content: string, strings = '') {
  const [described] = describeManifest(provider(content, strings));
  if (described === undefined) throw new Error('The manifest describes no provider.');
  return described;
}

/** The fields of event 1, which has a template of such data. */
function fieldsOf(data: string, more = '') {
  return describeOne(`<event value="1" template="t"/><template tid="t">${data}</template>${more}`).event(1, 0)
    ?.fields;
}

describe('a provider', () => {
  it('has its name, and its GUID in lower case without braces', () => {
    expect(describeOne('')).toMatchObject({ name: 'P', guid: GUID });
  });

  it('may be one of several, which are independent', () => {
    const [first, second] = describeManifest(
      `<x><provider name="A" guid="${GUID}"><tasks><task name="T" value="1"/></tasks><event value="1" task="T"/></provider>` +
        `<provider name="B" guid="${GUID}"><tasks><task name="T" value="1" message="Other"/></tasks>` +
        '<event value="1" task="T"/></provider></x>',
    );
    expect(first?.event(1, 0)).toMatchObject({ provider: 'A', name: 'T' });
    expect(second?.event(1, 0)).toMatchObject({ provider: 'B', name: 'Other' });
  });

  it('of performance counters provides no events, wherever it is', () => {
    const counters = `<counters xmlns="http://schemas.microsoft.com/win/2005/12/counters" schemaVersion="1.1">
      <provider applicationIdentity="pacer.sys" providerGuid="{${GUID}}" providerType="kernelMode">
        <counterSet name="Flow"><structs><struct name="S" type="T"/></structs><counter id="1"/></counterSet>
      </provider></counters>`;
    const events = `<events><provider name="A" guid="${GUID}"><event value="1" symbol="E"/></provider></events>`;
    for (const content of [counters + events, events + counters, counters + events + counters]) {
      const described = describeManifest(
        `<instrumentation><![CDATA[<provider/>]]>${content}</instrumentation>`,
      );
      expect(described.map(({ name }) => name)).toEqual(['A']);
      expect(described[0]?.event(1, 0)?.name).toBe('E');
    }
    expect(() => describeManifest(counters)).toThrow('The manifest has no provider.');
  });

  it('is scored by its events, their versions and their ids', () => {
    expect(describeOne('<event value="7"/><event value="7" version="2"/><event value="3"/>').score).toBe(
      3 + 2 + 700,
    );
  });
});

describe('an event', () => {
  const tasks = `
    <tasks>
      <task name="Loop" value="1"/>
      <task value="2" name="task2" message="$(string.t2)"><opcodes><opcode name="Turn" value="20" message="Own turn"/></opcodes></task>
    </tasks>
    <opcodes><opcode name="Turn" value="10"/><opcode name="o9" value="11" message="$(string.missing)"/></opcodes>`;
  const nameOf = (attributes: string) =>
    describeOne(`<event value="9" ${attributes}/>${tasks}`, '<string id="t2" value=" Second "/>').event(9, 0);

  it.each([
    ['symbol="RequestStart" task="Loop" opcode="win:Start"', 'RequestStart', 'Loop', 'Start'],
    ['task="Loop" opcode="win:Start"', 'Loop/Start', 'Loop', 'Start'],
    ['task="Loop"', 'Loop', 'Loop', 'Info'],
    ['opcode="win:Info" task="Loop"', 'Loop', 'Loop', 'Info'],
    ['task="Loop" opcode="Turn"', 'Loop/Turn', 'Loop', 'Turn'],
    ['task="task2" opcode="Turn"', 'Second/Own turn', 'Second', 'Own turn'],
    ['task="task2" opcode="o9"', 'Second/o9', 'Second', 'o9'],
    ['task="win:None" opcode="win:Stop"', 'None/Stop', 'None', 'Stop'],
    ['', 'EventID(9)', undefined, 'Info'],
  ])('with %j is %s', (attributes, name, taskName, opcodeName) => {
    const event = nameOf(attributes);
    expect([event?.name, event?.taskName, event?.opcodeName]).toEqual([name, taskName, opcodeName]);
  });

  it('has its message, in the first culture', () => {
    const described = describeOne(
      '<event value="1" message="$(string.m)"/><event value="2" message="as it is"/>',
      '<string id="m" value="Hello %1"/><string id="m" value="Hallo %1"/>',
    );
    expect([1, 2].map((id) => described.event(id, 0)?.message)).toEqual(['Hello %1', 'as it is']);
  });

  it('matches the requested version, or the nearest lower one', () => {
    const described = describeOne(
      '<event value="1" version="1" symbol="V1"/><event value="1" version="4" symbol="V4"/><event value="1" version="2" symbol="V2"/>',
    );
    expect([0, 1, 2, 3, 4, 255].map((version) => described.event(1, version)?.name)).toEqual([
      undefined,
      'V1',
      'V2',
      'V2',
      'V4',
      'V4',
    ]);
    expect(described.event(2, 0)).toBeUndefined();
  });

  it('needs only its number: what does not affect payloads is ignored', () => {
    const described = describeOne(
      '<event value="0x1" level="9" keywords="none" channel="c" task="?" opcode="?"/>',
    );
    expect(described.event(1, 0)?.name).toBe('?/?');
  });
});

describe('fields', () => {
  it.each([
    ['win:UnicodeString', '', 'utf16'],
    ['win:AnsiString', 'xs:string', 'ansi'],
    ['win:AnsiString', 'win:Utf8', 'utf8'],
    ['win:Int8', '', 'int8'],
    ['win:UInt8', 'win:HexInt8', 'hex8'],
    ['win:UInt8', 'xs:boolean', 'bool8'],
    ['win:UInt16', 'win:Port', 'port'],
    ['win:UInt32', 'win:IPv4', 'ipv4'],
    ['win:UInt32', 'win:ErrorCode', 'hex32'],
    ['win:UInt64', 'win:HexInt64', 'hex64'],
    ['win:Int64', '', 'int64'],
    ['win:Float', '', 'float'],
    ['win:Double', '', 'double'],
    ['win:Boolean', '', 'bool32'],
    ['win:GUID', '', 'guid'],
    ['win:Pointer', 'win:HexInt64', 'pointer'],
    ['trace:SizeT', '', 'pointer'],
    ['win:FILETIME', 'xs:dateTime', 'filetime'],
    ['win:SYSTEMTIME', '', 'systemtime'],
    ['win:SID', '', 'sid'],
    ['win:HexInt32', '', 'hex32'],
    ['win:HexInt64', '', 'hex64'],
    ['win:Binary', 'win:IPv6', 'ipv6'],
    ['UInt32', '', 'uint32'],
    ['w:UInt32', '', 'uint32'],
  ])('of %s %s have the type %s', (inType, outType, type) => {
    const out = outType === '' ? '' : ` outType="${outType}"`;
    expect(fieldsOf(`<data inType="${inType}" name="f"${out}/>`)).toEqual([{ name: 'f', type }]);
  });

  it('may have the length or the count that another field contains', () => {
    expect(
      fieldsOf(`
        <data name="n" inType="win:UInt32"/><data name="b" inType="win:Binary" length="n"></data>
        <data name="s" inType="win:UnicodeString" length="16"/><data name="a" inType="win:UInt8" count="n"/>`),
    ).toEqual([
      { name: 'n', type: 'uint32' },
      { name: 'b', type: 'binary', length: 'n' },
      { name: 's', type: 'utf16', length: 16 },
      { name: 'a', type: 'uint8', count: 'n' },
    ]);
  });

  it('hide the sizes that EventSource writes before bytes', () => {
    expect(
      fieldsOf(
        '<data name="bodySize" inType="win:UInt32"/><data name="body" inType="win:Binary" length="bodySize"/>',
      ),
    ).toEqual([
      { name: 'bodySize', type: 'uint32', hidden: true },
      { name: 'body', type: 'binary', length: 'bodySize' },
    ]);
  });

  it('may be structs', () => {
    expect(
      fieldsOf(`<data name="n" inType="win:UInt16"/>
        <struct name="rows" count="n"><data name="x" inType="win:Double"/></struct><data name="z" inType="win:UInt8"/>`),
    ).toEqual([
      { name: 'n', type: 'uint16' },
      { name: 'rows', type: 'struct', count: 'n', fields: [{ name: 'x', type: 'double' }] },
      { name: 'z', type: 'uint8' },
    ]);
  });

  it('have maps, wherever these are', () => {
    const maps = `<maps><bitMap name="B"><map value="0x4" message="Four"/></bitMap>
      <valueMap name="V"><map message="$(string.v)" value="1"/></valueMap></maps>`;
    const data = `<data name="b" inType="win:UInt32" map="B"/><data name="v" inType="win:UInt32" map="V"/>
      <data name="w" inType="win:UInt32" map="V"/><data name="none" inType="win:UInt32" map="N"/>`;
    const content = `<event value="1" template="t"/><template tid="t">${data}</template>${maps}`;
    const fields = describeOne(content, '<string id="v" value="One"/>').event(1, 0)?.fields;
    expect(fields?.map(({ map }) => map)).toEqual([
      { name: 'B', kind: 'bits', names: new Map([[4, 'Four']]) },
      { name: 'V', kind: 'value', names: new Map([[1, 'One']]) },
      { name: 'V', kind: 'value', names: new Map([[1, 'One']]) },
      undefined,
    ]);
    expect(fields?.[1]?.map).toBe(fields?.[2]?.map);
  });

  it('after one of unknown type are not read', () => {
    const fields = fieldsOf(
      '<data name="a" inType="win:UInt8"/><data name="b" inType="win:Cube"/><data name="c" inType="win:UInt8"/>',
    );
    expect(decodePacked(fields ?? [], Uint8Array.of(1, 2, 3), 8)).toMatchObject({
      payload: expect.objectContaining({ a: 1 }),
      problem: 'Field "b" has the unknown type "win:Cube".',
    });
  });

  it('are not looked for in UserData, whose elements can have any name', () => {
    const data = `<data name="a" inType="win:UInt8"/>
      <UserData><event xmlns="myNs"><data>%1</data></event></UserData><data name="b" inType="win:UInt8"/>`;
    expect(fieldsOf(data)?.map(({ name }) => name)).toEqual(['a', 'b']);
  });
});

describe('a generated manifest', () => {
  it('describes the events from which it was generated', () => {
    const fields = { url: 'string', body: 'binary', ok: 'bool', at: 'time' } as const;
    const xml = generateManifest({
      name: 'My-Provider',
      guid: GUID,
      events: [schemaOf(fields, { name: 'RequestStart', id: 7, task: 3, opcode: 1 })],
      keywordNames: {},
    });
    expect(describeManifest(xml)[0]?.event(7, 0)).toMatchObject({
      provider: 'My-Provider',
      name: 'RequestStart',
      taskName: 'Request',
      opcodeName: 'Start',
      fields: [
        { name: 'url', type: 'utf16' },
        { name: 'bodySize', type: 'uint32', hidden: true },
        { name: 'body', type: 'binary', length: 'bodySize' },
        { name: 'ok', type: 'bool32' },
        { name: 'at', type: 'filetime' },
      ],
    });
  });
});

describe('a text that is not a manifest', () => {
  it.each([
    ['', 'The manifest has no provider. (at character 0)'],
    [`<provider name="P" guid="{1}"/>`, 'The <provider> P has the guid "1", which is not a GUID.'],
    [provider('<event value="1" template="t"/>'), 'An <event> has the template "t", which is not declared.'],
    [provider('<event/>'), 'A <event> has no value.'],
    [
      provider('<template tid="t"><struct name="s"><struct name="r"/></struct></template>'),
      'A <struct> is nested in another.',
    ],
    ['<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><provider/>', 'is malformed.'],
  ])('%j is rejected: %s', (text, message) => {
    expect(() => describeManifest(text)).toThrow(ManifestError);
    expect(() => describeManifest(text)).toThrow(message);
  });

  it.each<[string, number, (count: number) => string]>([
    ['elements in elements', 200_000, (count) => '<a>'.repeat(count)],
    ['spaces', 1_000_000, (count) => `<a${' '.repeat(count)}b`],
    ['attributes', 200_000, (count) => `<a${' b="1"'.repeat(count)}>`],
    ['quotes', 1_000_000, (count) => `<a b="${'x'.repeat(count)}`],
    ['references', 100_000, (count) => `<a b="${'&#x41;&amp'.repeat(count)}"/>`],
    ['comments', 200_000, (count) => '<!-- -->'.repeat(count)],
    ['providers', 20_000, (count) => `<x>${`<provider name="P" guid="${GUID}"/>`.repeat(count)}`],
    ['events', 100_000, (count) => provider('<event value="1"/>'.repeat(count))],
    [
      'templates',
      50_000,
      (count) => provider('<template tid="t"/><data name="d"/><event value="1" template="t"/>'.repeat(count)),
    ],
  ])('with many %s costs no more than in proportion to them', (_name, count, text) => {
    const describing = (manifest: string) =>
      cpuTimeOf(() => {
        try {
          describeManifest(manifest);
        } catch (error) {
          expect(error).toBeInstanceOf(ManifestError);
        }
      });
    // Eight times as many cost 8 times as much, or 64 where the work grows with the square.
    const few = describing(text(count / 8));
    expect(describing(text(count))).toBeLessThan(24 * (few + 20));
  });
});

const httpServer = join(dataFolder ?? '', 'etl', 'HTTP_Server.man');

describe.skipIf(dataFolder === undefined || !existsSync(httpServer))(
  `a manifest of Windows (${SKIP_REASON})`,
  () => {
    it("is described with Windows' names for tasks and opcodes", () => {
      const [http] = describeManifest(readFileSync(httpServer, 'utf8'));
      expect(http).toMatchObject({ name: 'Microsoft-Windows-HttpService', score: 85 + 100 * 88 });
      expect(http?.event(2, 0)).toEqual({
        provider: 'Microsoft-Windows-HttpService',
        name: 'HTTP Request Trace Task/Parse',
        taskName: 'HTTP Request Trace Task',
        opcodeName: 'Parse',
        fields: [
          { name: 'RequestObj', type: 'pointer' },
          { name: 'HttpVerb', type: 'uint32' },
          { name: 'Url', type: 'utf16' },
        ],
        message: 'Parsed request (request pointer %1, method %2) with URI %3.',
      });
      for (let id = 1; id <= 88; id++) {
        for (const field of http?.event(id, 0)?.fields ?? []) expect(field.type).not.toBe('unknown');
      }
    });
  },
);
