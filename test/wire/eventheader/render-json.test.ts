import { describe, expect, it } from 'vitest';
import { EventHeaderError } from '../../../lib/wire/eventheader/error.ts';
import { errnoName } from './errno-names.ts';
import { eventBytes, hex, name, text, uint16 } from './event-bytes.ts';
import { renderEventJson } from './render-json.ts';

const EVENT = hex(
  `07 02 0700 3412 01 04 2000 0280 000102030405060708090a0b0c0d0e0f 101112131415161718191a1b1c1d1e1f
   1a00 0100 45763100 6100 84 02 7300 0a 737400 81 02 7a00 c8 80 5500 6200 8d 11
   ffffffff 0300 616263 0200 4100 4200 0000 4300 0000 0400 7f000001`,
);

function jsonOf(metadata: readonly number[], payload: readonly number[]): string {
  return renderEventJson('P_L5K1', eventBytes({ metadata: [...name('E'), ...metadata], payload }));
}

describe('an event as JSON', () => {
  it('has its name, its fields and the non-zero parts of its header', () => {
    expect(renderEventJson('MyProv_L4K1fGgrp', EVENT)).toBe(
      '{"n":"MyProv:Ev1","a":-1,"s":"abc","st":{"z":["AB","C"],"b":"127.0.0.1"},' +
        '"meta":{"id":7,"version":2,"level":4,"keyword":"0x1F","opcode":1,"tag":"0x1234",' +
        '"activity":"00010203-0405-0607-0809-0a0b0c0d0e0f",' +
        '"relatedActivity":"10111213-1415-1617-1819-1a1b1c1d1e1f"}}',
    );
  });

  it('has on request field tags, the whole header, spaces and facts about the recording', () => {
    const data = eventBytes({
      metadata: [...name('E;a=1'), ...name('x'), 0xc4, 0x80, 1, 0],
      payload: uint16(0),
    });
    const options = {
      spaces: true,
      fieldTags: true,
      allMeta: true,
      sample: { time: 't', cpu: 0, pid: 1, tid: 2 },
    };
    expect(renderEventJson('P_L5K0Gg', data, options)).toBe(
      '{ "n": "P:E", "x;tag=0x1": [ ], "meta": { "time": "t", "cpu": 0, "pid": 1, "tid": 2, ' +
        '"provider": "P", "event": "E;a=1", "level": 5, "options": "Gg", "flags": "0x7" } }',
    );
  });

  it('escapes what JSON requires and nothing else', () => {
    const value = text('"\\\n\u0001\u007f/é');
    expect(jsonOf([...name('s'), 10], [...uint16(value.length), ...value])).toContain(
      '"s":"\\"\\\\\\n\\u0001\u007f/é"',
    );
  });

  it('keeps fields with the same name', () => {
    expect(jsonOf([...name('a'), 2, ...name('a'), 2], [1, 2])).toContain('"a":1,"a":2,');
  });

  it('names error numbers', () => {
    const metadata = [...name('e'), 0xc4, 4];
    const payload = [
      ...uint16(4),
      ...[2, 0, 0, 0],
      ...[41, 0, 0, 0],
      ...[134, 0, 0, 0],
      ...[0xfe, 0xff, 0xff, 0xff],
    ];
    expect(jsonOf(metadata, payload)).toContain('"e":["ENOENT(2)","ERRNO(41)","ERRNO(134)","ERRNO(-2)"]');
    expect([1, 34, 58, 75, 95, 133, 134].map(errnoName)).toEqual([
      'EPERM',
      'ERANGE',
      undefined,
      'EOVERFLOW',
      'EOPNOTSUPP',
      'EHWPOISON',
      undefined,
    ]);
  });

  it('quotes floats that JSON cannot represent', () => {
    expect(jsonOf([...name('f'), 0xc4, 8], [...uint16(2), 0, 0, 0xc0, 0xff, 0, 0, 0x80, 0x3f])).toContain(
      '"f":["-nan",1]',
    );
  });

  it('is rejected where decoding rejects it', () => {
    expect(() => jsonOf([...name('f'), 2], [])).toThrow(EventHeaderError);
  });
});
