/** The manifest of an event source: its text, and what a reader finds in it. */
import { describe, expect, it } from 'vitest';
import { bitMap, valueMap } from '../../../lib/source/field-maps.ts';
import type { FieldDefinitions } from '../../../lib/source/fields.ts';
import { usedChannels } from '../../../lib/wire/manifest/channels.ts';
import { manifestDescriptor } from '../../../lib/wire/manifest/encode.ts';
import { generateManifest } from '../../../lib/wire/manifest/generate.ts';
import { manifestProblem, manifestSourceProblem } from '../../../lib/wire/manifest/problem.ts';
import type { Messages } from '../../../lib/wire/manifest/strings.ts';
import type { EventSchema } from '../../../lib/wire/schema.ts';
import { schemaOf } from '../eventheader/encoded-event.ts';
import { type ManifestEvent, parseManifest } from './parse-manifest.ts';

const GUID = 'ce5fa4ea-ab00-5402-8b76-9f76ac858fb5';

function event(name: string, id: number, fields: FieldDefinitions = {}, rest: Partial<EventSchema> = {}) {
  return schemaOf(fields, { name, id, task: 0xfffe - id, ...rest });
}

function generate(events: readonly EventSchema[], keywordNames: Record<string, bigint> = {}): string {
  return generateManifest({ name: 'My-Provider', guid: GUID, events, keywordNames });
}

/** What a reader finds of the events, without event 0. */
function readBack(events: readonly EventSchema[], keywordNames: Record<string, bigint> = {}) {
  return parseManifest(generate(events, keywordNames)).events.filter(({ id }) => id !== 0);
}

describe('the document', () => {
  it('describes each of several events with one name', () => {
    const events = [
      event('Note', 1, { text: 'string' }, { message: 'First {0}' }),
      event('Note', 2, { n: 'int32' }, { message: 'Second {0}' }),
      event('Note_2', 3, { other: 'guid' }),
    ];
    expect(readBack(events).map(({ id, message, fields }) => [id, message, fields[0]?.name])).toEqual([
      [1, 'First %1', 'text'],
      [2, 'Second %1', 'n'],
      [3, undefined, 'other'],
    ]);
  });

  it("has the form of .NET's, line by line", () => {
    const events = [
      event('RequestStart', 1, { url: 'string', body: 'binary' }, { opcode: 1, keywords: 1n }),
      event('RequestStop', 2, {}, { opcode: 2, task: 0xfffd }),
      event('Progress', 3, { size: 'hex32' }, { level: 5, version: 2, opcode: 11 }),
    ];
    expect(generate(events, { Requests: 1n }).split('\r\n')).toEqual([
      '<instrumentationManifest xmlns="http://schemas.microsoft.com/win/2004/08/events">',
      ' <instrumentation xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:win="http://manifests.microsoft.com/win/2004/08/windows/events">',
      '  <events xmlns="http://schemas.microsoft.com/win/2004/08/events">',
      `<provider name="My-Provider" guid="{${GUID}}" resourceFileName="My-Provider" messageFileName="My-Provider" symbol="My_Provider">`,
      ' <tasks>',
      '  <task name="Progress" value="65531"/>',
      '  <task name="Request" value="65533"/>',
      '  <task name="EventSourceMessage" value="65534"/>',
      ' </tasks>',
      ' <opcodes>',
      '  <opcode name="Opcode11" message="$(string.opcode_Opcode11)" value="11"/>',
      ' </opcodes>',
      ' <keywords>',
      '  <keyword name="Requests" message="$(string.keyword_Requests)" mask="0x1"/>',
      '  <keyword name="Session3" message="$(string.keyword_Session3)" mask="0x100000000000"/>',
      '  <keyword name="Session2" message="$(string.keyword_Session2)" mask="0x200000000000"/>',
      '  <keyword name="Session1" message="$(string.keyword_Session1)" mask="0x400000000000"/>',
      '  <keyword name="Session0" message="$(string.keyword_Session0)" mask="0x800000000000"/>',
      ' </keywords>',
      ' <events>',
      '  <event value="0" version="0" level="win:LogAlways" symbol="EventSourceMessage" task="EventSourceMessage" template="EventSourceMessageArgs"/>',
      '  <event value="1" version="0" level="win:Informational" symbol="RequestStart" keywords="Requests" opcode="win:Start" task="Request" template="RequestStartArgs"/>',
      '  <event value="2" version="0" level="win:Informational" symbol="RequestStop" opcode="win:Stop" task="Request"/>',
      '  <event value="3" version="2" level="win:Verbose" symbol="Progress" opcode="Opcode11" task="Progress" template="ProgressArgs"/>',
      ' </events>',
      ' <templates>',
      '  <template tid="EventSourceMessageArgs">',
      '   <data name="message" inType="win:UnicodeString"/>',
      '  </template>',
      '  <template tid="RequestStartArgs">',
      '   <data name="url" inType="win:UnicodeString"/>',
      '   <data name="bodySize" inType="win:UInt32"/>',
      '   <data name="body" inType="win:Binary" length="bodySize"/>',
      '  </template>',
      '  <template tid="ProgressArgs">',
      '   <data name="size" inType="win:UInt32" outType="win:HexInt32"/>',
      '  </template>',
      ' </templates>',
      '</provider>',
      '</events>',
      '</instrumentation>',
      '<localization>',
      ' <resources culture="en-US">',
      '  <stringTable>',
      '   <string id="keyword_Requests" value="Requests"/>',
      '   <string id="keyword_Session0" value="Session0"/>',
      '   <string id="keyword_Session1" value="Session1"/>',
      '   <string id="keyword_Session2" value="Session2"/>',
      '   <string id="keyword_Session3" value="Session3"/>',
      '   <string id="opcode_Opcode11" value="Opcode11"/>',
      '  </stringTable>',
      ' </resources>',
      '</localization>',
      '</instrumentationManifest>',
      '',
    ]);
  });
});

describe('a map', () => {
  const status = valueMap('Status', { Idle: 0, Busy: 16 }, 'uint8');
  const access = bitMap('Access', { Read: 1, Write: 2, ReadWrite: 3 });

  it('has its section and its strings, in the form of .NET, once however many fields have it', () => {
    const lines = generate([event('A', 1, { x: status, y: access }), event('B', 2, { z: status })]).split(
      '\r\n',
    );
    const maps = lines.slice(lines.indexOf(' <maps>'), lines.indexOf(' </maps>') + 1);
    expect(lines[lines.indexOf(' <maps>') - 1]).toBe(' </tasks>');
    expect(maps).toEqual([
      ' <maps>',
      '  <valueMap name="Status">',
      '   <map value="0x0" message="$(string.map_Status.Idle)"/>',
      '   <map value="0x10" message="$(string.map_Status.Busy)"/>',
      '  </valueMap>',
      '  <bitMap name="Access">',
      '   <map value="0x1" message="$(string.map_Access.Read)"/>',
      '   <map value="0x2" message="$(string.map_Access.Write)"/>',
      '  </bitMap>',
      ' </maps>',
    ]);
    expect(lines.filter((line) => line.includes('map_') && line.includes('<string'))).toEqual([
      '   <string id="map_Access.Read" value="Read"/>',
      '   <string id="map_Access.Write" value="Write"/>',
      '   <string id="map_Status.Busy" value="Busy"/>',
      '   <string id="map_Status.Idle" value="Idle"/>',
    ]);
    expect(lines.filter((line) => line.includes(' map='))).toEqual([
      '   <data name="x" inType="win:UInt8" map="Status"/>',
      '   <data name="y" inType="win:UInt32" map="Access"/>',
      '   <data name="z" inType="win:UInt8" map="Status"/>',
    ]);
  });

  it('is found by readers', () => {
    const [first] = readBack([event('A', 1, { x: status, y: access })]);
    expect(first?.fields.map(({ map }) => map)).toEqual([
      {
        kind: 'values',
        entries: [
          { name: 'Idle', value: 0 },
          { name: 'Busy', value: 16 },
        ],
      },
      {
        kind: 'bits',
        entries: [
          { name: 'Read', value: 1 },
          { name: 'Write', value: 2 },
        ],
      },
    ]);
  });

  it('with the name of another one, of another definition of the provider, gets a number appended', () => {
    const [two, three] = [{ A: 1 }, { B: 1 }].map((names) => valueMap('Status', names));
    const taken = valueMap('Status2', { C: 1 });
    const events = [status, two, three, two, taken].map((f, index) =>
      event(`E${index}`, index + 1, { f: f ?? status }),
    );
    const lines = generate(events).split('\r\n');
    const namesIn = (pattern: RegExp) => lines.flatMap((line) => pattern.exec(line)?.[1] ?? []);
    expect(namesIn(/ map="(\w*)"/)).toEqual(['Status', 'Status3', 'Status4', 'Status3', 'Status2']);
    expect(namesIn(/<valueMap name="(\w*)"/)).toEqual(['Status', 'Status3', 'Status4', 'Status2']);
    expect(readBack(events).map(({ fields }) => fields[0]?.map?.entries[0]?.name)).toEqual([
      'Idle',
      'A',
      'B',
      'A',
      'C',
    ]);
  });

  it('with a name that XML does not allow is refused', () => {
    const problem =
      'the map name "B\\u0001" contains a character that XML, and so a manifest, does not allow.';
    expect(manifestProblem(event('E', 1, { f: valueMap('M', { 'B\u0001': 1 }) }))).toBe(problem);
    expect(manifestProblem(event('E', 1, { f: valueMap('B\u0001', { A: 1 }) }))).toBe(problem);
  });
});

describe('a reader', () => {
  it('finds the provider, and event 0', () => {
    const manifest = parseManifest(generate([]));
    expect(manifest).toMatchObject({ name: 'My-Provider', guid: GUID });
    expect(manifest.events).toEqual([
      {
        id: 0,
        version: 0,
        level: 0,
        keywords: 0n,
        opcode: { name: 'win:Info', value: 0 },
        task: { name: 'EventSourceMessage', value: 0xfffe },
        symbol: 'EventSourceMessage',
        fields: [{ name: 'message', inType: 'win:UnicodeString' }],
      },
    ]);
  });

  it.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 239, 240, 255])('finds the opcode %d', (opcode) => {
    expect(readBack([event('E', 1, {}, { opcode })])[0]?.opcode.value).toBe(opcode);
  });

  it("finds an event's numbers", () => {
    const numbers = { version: 255, level: 1, keywords: 0x8000_0000_0001n, task: 77 };
    expect(readBack([event('E', 65535, {}, numbers)])[0]).toMatchObject({
      id: 65535,
      version: 255,
      level: 1,
      keywords: 0x8000_0000_0001n,
      task: { value: 77 },
    });
  });

  it('finds the type of each field', () => {
    const fields = {
      bool: 'bool',
      int8: 'int8',
      int16: 'int16',
      int32: 'int32',
      int64: 'int64',
      uint8: 'uint8',
      uint16: 'uint16',
      uint32: 'uint32',
      uint64: 'uint64',
      hex8: 'hex8',
      hex16: 'hex16',
      hex64: 'hex64',
      float: 'float',
      double: 'double',
      utf16: 'utf16',
      json: 'json',
      guid: 'guid',
      time: 'time',
      port: 'port',
      errno: 'errno',
      pid: 'pid',
      binary: 'binary',
    } as const;
    expect(readBack([event('E', 1, fields)])[0]?.fields).toEqual([
      { name: 'bool', inType: 'win:Boolean' },
      { name: 'int8', inType: 'win:Int8' },
      { name: 'int16', inType: 'win:Int16' },
      { name: 'int32', inType: 'win:Int32' },
      { name: 'int64', inType: 'win:Int64' },
      { name: 'uint8', inType: 'win:UInt8' },
      { name: 'uint16', inType: 'win:UInt16' },
      { name: 'uint32', inType: 'win:UInt32' },
      { name: 'uint64', inType: 'win:UInt64' },
      { name: 'hex8', inType: 'win:UInt8', outType: 'win:HexInt8' },
      { name: 'hex16', inType: 'win:UInt16', outType: 'win:HexInt16' },
      { name: 'hex64', inType: 'win:UInt64', outType: 'win:HexInt64' },
      { name: 'float', inType: 'win:Float' },
      { name: 'double', inType: 'win:Double' },
      { name: 'utf16', inType: 'win:UnicodeString' },
      { name: 'json', inType: 'win:UnicodeString' },
      { name: 'guid', inType: 'win:GUID' },
      { name: 'time', inType: 'win:FILETIME' },
      { name: 'port', inType: 'win:UInt16' },
      { name: 'errno', inType: 'win:Int32' },
      { name: 'pid', inType: 'win:UInt32', outType: 'win:PID' },
      { name: 'binarySize', inType: 'win:UInt32' },
      { name: 'binary', inType: 'win:Binary', length: 'binarySize' },
    ]);
  });

  it('finds names with any characters unchanged', () => {
    const name = '<a href="x">&amp\' \t\n\r 名 😀';
    const [found] = readBack([event(name, 1, { [name]: 'uint8' }, { keywords: 2n })], { '<&">': 2n });
    expect(found).toMatchObject({ symbol: name, task: { name }, keywords: 2n, fields: [{ name }] });
  });

  it('finds the keywords of the application, of unnamed bits, and of sessions', () => {
    const events = [
      event('E', 1, {}, { keywords: 0x7n }),
      event('F', 2, {}, { keywords: 0x8000_0000_0000n }),
    ];
    const names = { Two: 2n, Both: 6n, Unused: 0x100n, Mine: 0x8000_0000_0000n };
    expect(parseManifest(generate(events, names)).keywords).toEqual([
      { name: 'Keyword0x1', mask: 1n },
      { name: 'Two', mask: 2n },
      { name: 'Keyword0x4', mask: 4n },
      { name: 'Unused', mask: 0x100n },
      { name: 'Session3', mask: 0x1000_0000_0000n },
      { name: 'Session2', mask: 0x2000_0000_0000n },
      { name: 'Session1', mask: 0x4000_0000_0000n },
      { name: 'Mine', mask: 0x8000_0000_0000n },
    ]);
    expect(readBack(events, names).map(({ keywords }) => keywords)).toEqual([7n, 0x8000_0000_0000n]);
  });
});

describe('a task', () => {
  const namesOf = (events: readonly EventSchema[]) =>
    readBack(events).map(({ task }: ManifestEvent) => task?.name);

  it('is named by its event; that of a Start event without "Start"', () => {
    const events = [
      event('Cache', 1),
      event('RequestStart', 2, {}, { opcode: 1 }),
      event('RequestStop', 3, {}, { opcode: 2, task: 0xfffc }),
      event('Restart', 4),
      event('Start', 5, {}, { opcode: 1 }),
    ];
    expect(namesOf(events)).toEqual(['Cache', 'Request', 'Request', 'Restart', 'Start']);
  });

  it('of several events has one name', () => {
    const events = [event('First', 1, {}, { task: 5 }), event('Second', 2, {}, { task: 5, opcode: 11 })];
    expect(namesOf(events)).toEqual(['First', 'First']);
  });

  it('whose name another one has gets its number appended', () => {
    const events = [
      event('RequestStart', 1, {}, { opcode: 1 }),
      event('RequestStop', 2, {}, { opcode: 2, task: 0xfffd }),
      event('Request', 3),
    ];
    expect(namesOf(events)).toEqual(['Request65533', 'Request65533', 'Request']);
  });
});

describe("an event's message", () => {
  const messageOf = (message: string, fields: FieldDefinitions = {}) =>
    readBack([event('Sale', 1, fields, { message })])[0]?.message;

  it('is a separate string, which the event names', () => {
    const lines = generate([event('Sale', 1, { item: 'string' }, { message: 'Sold {0}' })]).split('\r\n');
    expect(lines).toContain(
      '  <event value="1" version="0" level="win:Informational" symbol="Sale" message="$(string.event_Sale)" task="Sale" template="SaleArgs"/>',
    );
    expect(lines).toContain('   <string id="event_Sale" value="Sold %1"/>');
  });

  it('counts fields from 1, including the sizes of binary ones, and has no formats', () => {
    const fields = { item: 'string', image: 'binary', price: 'double' } as const;
    expect(messageOf('{2:N} for {0}, {1}', fields)).toBe('%4 for %1, %3');
  });

  it('keeps braces and percent signs that are just text', () => {
    expect(messageOf('100 % {{sure}}\n{a}')).toBe('100 %% {sure}%n{a}');
  });

  it('is checked like the names', () => {
    expect(manifestProblem(event('Sale', 1, {}, { message: 'a\0b' }))).toMatch(
      /^the message "a\\u0000b" contains a character/,
    );
  });
});

describe('a channel', () => {
  const events = [
    event('Plain', 1),
    event('Opened', 2, {}, { channel: 17, keywords: 1n }),
    event('Failed', 3, {}, { channel: 16, message: 'Failed.', level: 2 }),
    event('Closed', 4, {}, { channel: 17 }),
    event('Detail', 5, {}, { channel: 18 }),
  ];

  it('is declared in the form of .NET, and has the bits from 63 down in the order of first use', () => {
    const lines = generate(events).split('\r\n');
    expect(lines.slice(lines.indexOf(' <channels>') - 1, lines.indexOf(' <tasks>'))).toEqual([
      expect.stringContaining('<provider '),
      ' <channels>',
      '  <channel chid="Operational" name="My-Provider/Operational" value="17" type="Operational" enabled="true"/>',
      '  <channel chid="Admin" name="My-Provider/Admin" value="16" type="Admin" enabled="true"/>',
      '  <channel chid="Analytic" name="My-Provider/Analytic" value="18" type="Analytic" enabled="false"/>',
      ' </channels>',
    ]);
    expect(
      lines.filter((line) => line.includes('<event ')).map((line) => /channel="(\w*)"/.exec(line)?.[1]),
    ).toEqual([undefined, undefined, 'Operational', 'Admin', 'Operational', 'Analytic']);
    expect([...usedChannels(events)].map(([number, { keyword }]) => [number, keyword])).toEqual([
      [17, 1n << 63n],
      [16, 1n << 62n],
      [18, 1n << 61n],
    ]);
  });

  it('is in the descriptor of its events, with its keyword', () => {
    const descriptor = manifestDescriptor(
      event('E', 7, {}, { channel: 17, keywords: 0x1fn, task: 9 }),
      1n << 63n,
    );
    expect(Buffer.from(descriptor).toString('hex')).toBe('07000011040009001f00000000f00080');
  });

  it.each<[Partial<EventSchema>, string | undefined]>([
    [{ message: 'Buy {{more}}' }, undefined],
    [{}, 'an event of the channel Admin needs a message: it tells an administrator what to do.'],
    [
      { message: 'm', level: 5 },
      'an event of the channel Admin has a level from 1 (Critical) to 4 (Informational), not 5.',
    ],
  ])('Admin has only events for administrators: %j, %s', (rest, problem) => {
    expect(manifestProblem(event('E', 1, {}, { channel: 16, ...rest }))).toBe(problem);
  });

  it('cannot have a name that the Event Log refuses', () => {
    const source = { name: 'a:b', guid: GUID, keywordNames: {} };
    expect(manifestSourceProblem({ ...source, events: [] })).toBeUndefined();
    expect(manifestSourceProblem({ ...source, events })).toBe(
      'its events cannot go to a channel of the Event Log, whose name would contain :.',
    );
  });
});

describe('messages in several languages', () => {
  const source = {
    name: 'My-Provider',
    guid: GUID,
    events: [
      event('Paid', 1, { amount: 'double', by: 'string' }, { message: 'Paid {0}', channel: 17 }),
      event('State', 2, { s: valueMap('Status', { Idle: 0 }) }),
    ],
    keywordNames: { Money: 1n },
  };
  const messages = {
    'en-US': { task_Paid: 'Payment' },
    'de-DE': {
      event_Paid: '{1} zahlt {0}',
      keyword_Money: 'Geld',
      'map_Status.Idle': 'frei',
      channel_Operational: 'Betrieb',
    },
    fr: { event_Paid: 'Payé : {0}' },
  };
  const texts = (xml: string) =>
    Object.fromEntries(
      [...xml.matchAll(/<resources culture="([^"]*)">(.*?)<\/resources>/gs)].map(
        ([, culture, table = '']) => [
          culture,
          Object.fromEntries(
            [...table.matchAll(/id="([^"]*)" value="([^"]*)"/g)]
              .map(([, id, text]) => [id, text] as const)
              .filter(([id]) => !id?.startsWith('keyword_Session')),
          ),
        ],
      ),
    );

  it('have a table each, in which what is missing is as in English', () => {
    expect(texts(generateManifest({ ...source, messages }))).toEqual({
      'en-US': {
        channel_Operational: 'Operational',
        event_Paid: 'Paid %1',
        keyword_Money: 'Money',
        'map_Status.Idle': 'Idle',
        task_Paid: 'Payment',
      },
      'de-DE': {
        channel_Operational: 'Betrieb',
        event_Paid: '%2 zahlt %1',
        keyword_Money: 'Geld',
        'map_Status.Idle': 'frei',
        task_Paid: 'Payment',
      },
      fr: {
        channel_Operational: 'Operational',
        event_Paid: 'Payé : %1',
        keyword_Money: 'Money',
        'map_Status.Idle': 'Idle',
        task_Paid: 'Payment',
      },
    });
  });

  it('are in the trace only in English', () => {
    expect(Object.keys(texts(generateManifest({ ...source, messages }, 'en-US')))).toEqual(['en-US']);
  });

  it('are referred to where they are used', () => {
    const lines = generateManifest({ ...source, messages });
    expect(lines).toContain('<task name="Paid" message="$(string.task_Paid)" value="65533"/>');
    expect(lines).toContain('<task name="State" value="65532"/>');
    expect(lines).toContain(
      'name="My-Provider/Operational" message="$(string.channel_Operational)" value="17"',
    );
    expect(parseManifest(lines).events[1]?.message).toBe('Paid %1');
  });

  it.each<[unknown, string]>([
    [null, 'messages must be an object of cultures.'],
    [{ german: {} }, 'messages are by culture, such as "de-DE", which "german" is not.'],
    [{ 'de-DE': 'x' }, 'the messages of de-DE must be an object of ids and texts.'],
    [
      { 'de-DE': { event_Paied: 'x' } },
      'the messages of de-DE have "event_Paied", but the source has no event of this name with a message.',
    ],
    [
      { 'de-DE': { event_State: 'x' } },
      'the messages of de-DE have "event_State", but the source has no event of this name with a message.',
    ],
    [
      { 'de-DE': { keyword_X: 'x' } },
      'the messages of de-DE have "keyword_X", but the source has nothing of this name.',
    ],
    [
      { 'de-DE': { event_Paid: '{2}' } },
      'the messages of de-DE have "event_Paid", which inserts {2}, but the event has 2 fields.',
    ],
    [{ 'de-DE': { event_Paid: 7 } }, 'the messages of de-DE have "event_Paid", whose text is not a string.'],
    [
      { 'de-DE': { task_Paid: '\0' } },
      'the messages of de-DE have "task_Paid", whose text contains a character that XML does not allow.',
    ],
  ])('%j are refused: %s', (given, problem) => {
    expect(manifestSourceProblem({ ...source, messages: given as Messages })).toBe(problem);
  });

  it("of the definition, too, insert only the event's fields", () => {
    expect(manifestProblem(event('E', 1, { a: 'bool' }, { message: '{0} {{9}} {1:N}' }))).toBe(
      'the message inserts {1:N}, but the event has 1 field.',
    );
  });
});
