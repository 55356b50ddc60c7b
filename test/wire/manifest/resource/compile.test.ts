/** The DLL of a manifest: its resources, byte by byte where Microsoft's compiler has made the same. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { generateManifest } from '../../../../lib/wire/manifest/generate.ts';
import { compileManifest } from '../../../../lib/wire/manifest/resource/compile.ts';
import { languageId } from '../../../../lib/wire/manifest/resource/language.ts';
import type { EventSchema, FieldSchema } from '../../../../lib/wire/schema.ts';
import { nodeManifest } from './node-manifest.ts';
import { resourcesOf } from './read-dll.ts';
import { readMessages, readTemplate } from './read-template.ts';

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

const field = (name: string, type: FieldSchema['type'], more: Partial<FieldSchema> = {}) =>
  ({ name, type, nullable: false, array: false, ...more }) as FieldSchema;

const event = (name: string, id: number, more: Partial<EventSchema>): EventSchema => ({
  name,
  id,
  version: 0,
  level: 4,
  keywords: 0n,
  opcode: 0,
  task: 0x1000 + id,
  tag: 0,
  fields: [],
  ...more,
});

const GUID = '0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0';

const SOURCE = {
  name: 'Company-Orders',
  guid: GUID,
  keywordNames: { Money: 0x2n, Stock: 0x1n },
  events: [
    event('PaidStart', 1, {
      version: 2,
      level: 3,
      opcode: 1,
      keywords: 0x3n,
      channel: 17,
      message: '{0} is {1}',
      fields: [
        field('data', 'binary'),
        field('state', 'uint32', {
          map: {
            name: 'State',
            kind: 'value',
            names: [
              [1, 'Sent'],
              [0, 'New'],
            ],
          },
        }),
        field('flags', 'hex32', { map: { name: 'Flags', kind: 'bits', names: [[4, 'Gift']] } }),
      ],
    }),
    event('Noted', 2, { channel: 16, message: 'Noted', fields: [field('at', 'time')] }),
    event('Plain', 3, {}),
  ],
  messages: { de: { event_PaidStart: '{0} ist {1}', 'map_State.New': 'Neu', channel_Admin: 'Verwaltung' } },
};

describe('the DLL of a manifest', () => {
  it("has the bytes of Microsoft's compiler: those in node.exe 14.21.3, of the same manifest", () => {
    const resources = resourcesOf(compileManifest(nodeManifest()));
    expect(
      resources.map(({ type, id, language, data }) => [type, id, language, data.length, sha256(data)]),
    ).toEqual([
      ['WEVT_TEMPLATE', 1, 0x409, 5442, '53a88541d2d6c98c7c37868988288ae460d03cca492a69582ffaf5b3a6df6741'],
      [11, 1, 0x409, 1268, '1a0cb57ea4e2be45cae9b50b306ef9933215b6660e05a4224881148decb96c1e'],
    ]);
  });

  const resources = resourcesOf(compileManifest(generateManifest(SOURCE)));
  const template = readTemplate(resources[0]?.data as Buffer);

  it('has channels, keywords, maps and events that refer to each other', () => {
    expect(template.guid).toBe(GUID);
    expect(template.channels).toEqual([
      { name: 'Company-Orders/Operational', value: 17, message: undefined },
      { name: 'Company-Orders/Admin', value: 16, message: '90000003' },
    ]);
    expect(template.keywords.slice(0, 2)).toEqual([
      { name: 'Stock', mask: 1n, message: '10000001' },
      { name: 'Money', mask: 2n, message: '10000002' },
    ]);
    expect(template.levels.map(({ name, value, message }) => [name, value, message])).toEqual([
      ['win:LogAlways', 0, '50000000'],
      ['win:Warning', 3, '50000003'],
      ['win:Informational', 4, '50000004'],
    ]);
    expect(template.opcodes).toEqual([{ name: 'win:Start', value: 1, task: 0, message: '30000001' }]);
    expect(template.maps).toEqual([
      { kind: 'BMAP', name: 'Flags', isBits: 1, entries: [[4, 'f0000001']] },
      {
        kind: 'VMAP',
        name: 'State',
        isBits: 0,
        entries: [
          [0, 'd0000002'],
          [1, 'd0000001'],
        ],
      },
    ]);
    const [, paid, noted, plain] = template.events;
    expect(paid).toEqual({
      id: 1,
      version: 2,
      descriptor: { channel: 17, level: 3, opcode: 1, task: 0x1001 },
      keywords: 0x8000_0000_0000_0003n,
      message: 'b0020001',
      template: [
        { name: 'dataSize', types: [8, 8] },
        { name: 'data', types: [14, 15], flags: 4, length: 0 },
        { name: 'state', types: [8, 8], map: 'State' },
        { name: 'flags', types: [8, 18], map: 'Flags' },
      ],
      opcode: 'win:Start',
      level: 'win:Warning',
      task: 'Paid',
      keywordNames: ['Stock', 'Money'],
      channel: 'Company-Orders/Operational',
    });
    expect(noted).toMatchObject({
      keywords: 0x4000_0000_0000_0000n,
      message: 'b0000002',
      template: [{ name: 'at', types: [17, 2] }],
      channel: 'Company-Orders/Admin',
    });
    expect(plain).toMatchObject({ message: undefined, template: undefined, channel: undefined });
  });

  it('has all messages in each language', () => {
    const tables = resources.slice(1).map(({ language, data }) => [language, readMessages(data)] as const);
    expect(tables.map(([language]) => language)).toEqual([0x7, 0x409]);
    const [german = {}, english = {}] = tables.map(([, messages]) => messages);
    expect(english).toMatchObject({
      b0020001: '%2 is %3',
      b0000002: 'Noted',
      d0000001: 'Sent',
      d0000002: 'New',
      f0000001: 'Gift',
      '10000002': 'Money',
      '30000001': 'Start',
      '50000003': 'Warning',
      '90000003': 'Admin',
    });
    expect(german).toMatchObject({
      b0020001: '%2 ist %3',
      b0000002: 'Noted',
      d0000002: 'Neu',
      '90000003': 'Verwaltung',
    });
    expect(Object.keys(german)).toEqual(Object.keys(english));
  });

  it('says what cannot be compiled', () => {
    const xml = generateManifest(SOURCE);
    const cases: [from: string, to: string, problem: RegExp][] = [
      ['culture="de"', 'culture="tlh"', /has messages of tlh, for which Windows has no number/],
      [
        'culture="de"',
        'culture="EN-us"',
        /has messages of en-US and EN-us, which are one language of Windows/,
      ],
      [
        'inType="win:FILETIME"',
        'inType="win:Mood"',
        /A <data> has the type win:Mood, which cannot be compiled/,
      ],
      ['inType="win:FILETIME"', 'inType="win:FILETIME" count="2"', /A <data> has a count/],
      ['length="dataSize"', 'length="Size"', /A <data> has the length "Size", which is not a number/],
      ['map="State"', 'map="Mood"', /A <data> has the map "Mood", which is not declared/],
      ['value="17"', 'value="256"', /A <channel> has the value 256, which has more than 8 bits/],
      ['<tasks>', '<filters/><tasks>', /A <filters> cannot be compiled/],
      [
        'id="event_Noted"',
        'id="event_Other"',
        /has the message "\$\(string.event_Noted\)", which has no text/,
      ],
      [
        'value="Noted"',
        `value="${'x'.repeat(32_800)}"`,
        /has 32800 characters, more than fit a resource of Windows/,
      ],
      [`{${GUID}}`, '{1}', /A <provider> has the guid "1", which is not a GUID/],
    ];
    for (const [from, to, problem] of cases) {
      expect(xml).toContain(from);
      expect(() => compileManifest(xml.replaceAll(from, to))).toThrow(problem);
    }
    expect(() => compileManifest('<instrumentationManifest/>')).toThrow('The manifest has no provider.');
  });

  it("knows Windows' numbers of languages", () => {
    const known = {
      'en-US': 0x409,
      'de-DE': 0x407,
      'de-AT': 0xc07,
      'zh-TW': 0x404,
      'nn-NO': 0x814,
      'es-ES': 0xc0a,
    };
    for (const [culture, number] of Object.entries(known))
      expect([culture, languageId(culture)]).toEqual([culture, number]);
    expect(['de', 'zh-Hant', 'SR-latn-rs', 'hr', 'xx', 'de-XX', 'dz--'].map(languageId)).toEqual([
      0x7,
      0x7c04,
      0x241a,
      0x41a,
      undefined,
      undefined,
      undefined,
    ]);
  });
});
