/** TMF texts as Tracepdb writes them, those of its documentation among them. */
import { describe, expect, it } from 'vitest';
import { parseTmf } from '../../../lib/wire/wpp/tmf.ts';

const GUID = '1606d1a7-1682-57d1-65f7-36693800e096';
const HEAD = `// PDB:  tracedrv.pdb
// PDB:  Last Updated :2005-06-10:18:19:31:312 (UTC) [tracepdb]
${GUID} tracedrv // SRC=tracedrv.c MJ= MN=
`;
const parse = (body: string) => parseTmf(HEAD + body, 'a.tmf');
const message = (body: string) => {
  const { messages, problems } = parse(body);
  expect(problems).toEqual([]);
  expect(messages).toHaveLength(1);
  return messages[0];
};

describe('a message of a TMF', () => {
  it('has its number, its place, and what enables it', () => {
    const found =
      message(`#typev tracedrv_c258 10 "%0IOCTL = %10!d!" //   LEVEL=TRACE_LEVEL_ERROR FLAGS=FLAG_ONE FUNC=Dispatch
{
ioctlCount, ItemLong -- 10
}
`);
    expect(found).toMatchObject({
      guid: GUID,
      number: 10,
      component: 'tracedrv',
      place: 'tracedrv_c258',
      file: 'tracedrv.c',
      line: 258,
      name: 'Dispatch',
      level: 2,
      format: '%0IOCTL = %10!d!',
      fields: [{ name: 'ioctlCount', type: 'int32' }],
    });
    expect([...(found?.keys ?? [])]).toEqual([
      ['LEVEL', 'TRACE_LEVEL_ERROR'],
      ['FLAGS', 'FLAG_ONE'],
      ['FUNC', 'Dispatch'],
    ]);
  });

  it('is called by file and line if it does not say its function, and by number if there is no file', () => {
    expect(message('#typev tracedrv_c258 11 "%0Unloading" //   FLAGS=A\n{\n}\n')?.name).toBe(
      'tracedrv.c:258',
    );
    expect(message('#typev other_c258 12 "text"')?.name).toBe('Message(12)');
    const { messages } = parseTmf(
      `${GUID} app // SRC=Unknown_cxx00 MJ= MN=\n#typev Unknown_cxx00 13 "x"`,
      'a',
    );
    expect(messages[0]).toMatchObject({ name: 'Message(13)', file: undefined });
  });

  it('may have quotation marks in its text, and spaces in the values behind it', () => {
    const found = message('#typev tracedrv_c1 1 "%0say "hi" // twice" // FUNC=operator new LEVEL=3');
    expect(found?.format).toBe('%0say "hi" // twice');
    expect(found).toMatchObject({ name: 'operator new', level: 3 });
  });

  it.each([
    ['TRACE_LEVEL_FATAL', 1],
    ['TRACE_LEVEL_CRITICAL', 1],
    ['TRACE_LEVEL_WARNING', 3],
    ['TRACE_LEVEL_INFORMATION', 4],
    ['TRACE_LEVEL_VERBOSE', 5],
    ['ERROR', 2],
    ['7', 7],
    ['999', 255],
    ['DBG_INIT', 0],
  ])('has the level %s as %i', (text, level) => {
    expect(message(`#typev tracedrv_c1 1 "x" // LEVEL=${text}`)?.level).toBe(level);
  });

  it('names its arguments by their expressions, and equal ones by position', () => {
    const found = message(`#typev tracedrv_c1 1 "%10!s! %11!d! %12!x! %13!p!"
{
_this->name(a, b), ItemString -- 10
Arg, ItemLong -- 11
Arg, ItemLong -- 12
Arg2, ItemPtr -- 13
}
`);
    expect(found?.fields.map(({ name, type }) => [name, type])).toEqual([
      ['_this->name(a, b)', 'ansi'],
      ['Arg2_', 'int32'],
      ['Arg3', 'hex32'],
      ['Arg2', 'pointer'],
    ]);
  });

  it('has arguments in the order of their numbers, which can be missing', () => {
    const found = message(`#type tracedrv_c1 1 "%11!d! %10!d!"
{
 second, ItemLong // 11
 first, ItemShort // 10
}`);
    expect(found?.fields.map(({ name }) => name)).toEqual(['first', 'second']);
    const plain = message('#type Header 0 "%10!d!"\n{\n  Buffer Size, ItemULong\n  Version, ItemULong\n}');
    expect(plain?.arguments.map(({ number, field }) => [number, field.name])).toEqual([
      [10, 'Buffer Size'],
      [11, 'Version'],
    ]);
  });

  it('has names for values and bits, numbered from 0 or as they say', () => {
    const found = message(`#typev tracedrv_c1 1 "%10!s! %11!s!"
{
state, ItemListLong(Off,On=4,Broken) -- 10
flags, ItemSetByte(1,2,3) -- 11
}`);
    expect([...(found?.fields[0]?.map?.names ?? [])]).toEqual([
      [0, 'Off'],
      [4, 'On'],
      [5, 'Broken'],
    ]);
    expect(found?.fields[1]).toMatchObject({ type: 'uint8', map: { kind: 'bits' } });
    expect([...(found?.fields[1]?.map?.names ?? [])]).toEqual([
      [1, '1'],
      [2, '2'],
      [4, '3'],
    ]);
  });
});

describe('the type of a number', () => {
  it.each([
    ['ItemLong', 'd', 'int32'],
    ['ItemLong', 'u', 'uint32'],
    ['ItemLong', '08lX', 'hex32'],
    ['ItemULong', 'd', 'uint32'],
    ['ItemULongX', 's', 'hex32'],
    ['ItemChar', 'c', 'uint8'],
    ['ItemUChar', 'c', 'uint8'],
    ['ItemShort', 'hd', 'int16'],
    ['ItemUShort', 'hu', 'uint16'],
    ['ItemLongLong', 'I64d', 'int64'],
    ['ItemULongLong', 'I64u', 'uint64'],
    ['ItemLongLongX', 'I64x', 'hex64'],
    ['ItemLongLongXX', 'I64X', 'hex64'],
    ['ItemLongLongO', 'I64o', 'uint64'],
    ['ItemPtr', 'Id', 'pointer'],
    ['ItemEnum(State)', 's', 'int32'],
    ['ItemTimeStamp', 's', 'filetime'],
    ['ItemNoSuch', 's', 'unknown'],
    ['Itemconstructor', 's', 'unknown'],
    ['ItemListLong', 's', 'unknown'],
  ])('%s shown by !%s! is %s', (item, spec, type) => {
    const found = message(`#typev tracedrv_c1 1 "%10!${spec}!"\n{\nx, ${item} -- 10\n}`);
    expect(found?.fields[0]?.type).toBe(type);
  });
});

describe('a TMF', () => {
  it('has messages of several GUIDs', () => {
    const other = GUID.replace('1', '2').toUpperCase();
    const { messages } = parse(`#typev a 1 "x"\n{${other}} more\n#typev b 1 "y"\r\n`);
    expect(messages.map(({ guid, component, format }) => [guid, component, format])).toEqual([
      [GUID, 'tracedrv', 'x'],
      [other.toLowerCase(), 'more', 'y'],
    ]);
  });

  it.each([
    ['#typev a 70000 "x"', 'a.tmf:4: The message number 70000 is more than 65535.'],
    ['#typev a x "x"', 'a.tmf:4: "#typev a x "x"" is not #typev with a name, a number and a text.'],
    ['#typev a 1 "x', 'a.tmf:4: The text of the message has no closing quotation mark.'],
    ['#typev a 1 "x"\n{\nnonsense -- 10\n}', 'a.tmf:6: "nonsense -- 10" is not an argument with its type.'],
    ['#typev a 1 "x"\n{', 'a.tmf:6: The arguments of the last message have no end (}).'],
    ['what is this', 'a.tmf:4: "what is this" is neither a GUID and a name nor #typev.'],
    [`#typev a 1 "${'x'.repeat(70_000)}"`, 'a.tmf:4: The line has more than 65536 characters.'],
  ])('with %.30s lacks that message, and says where', (bad, problem) => {
    const { messages, problems } = parse(`${bad}\n`);
    expect([messages, problems[0]]).toEqual([[], problem]);
  });

  it('has the messages before and after a bad one', () => {
    const { messages, problems } = parse(
      '#typev a 1 "x"\n#typev b\n{\nx, ItemLong -- 10\n}\n#typev c 3 "z"\n',
    );
    expect(messages.map(({ number }) => number)).toEqual([1, 3]);
    expect(problems).toEqual(['a.tmf:5: "#typev b" is not #typev with a name, a number and a text.']);
  });

  it('without a GUID has no messages', () => {
    expect(parseTmf('#typev a 1 "x"', 'a.tmf')).toEqual({
      messages: [],
      problems: ['a.tmf:1: No GUID precedes the message.'],
    });
  });

  it('is read in time proportional to its size, whatever it contains', () => {
    const long = (text: string) => text.repeat(60_000 / text.length);
    const lines = [
      `#typev a 1 "${long('" ')}`,
      `#typev a 1 "x" // ${long('A= ')}`,
      `#typev a 1 "x"\n{\n${long(', Item')}( -- 10\n${long(', ItemList(')} -- 10\n${long(' ')}x\n}`,
      `#typev a 1 "${long('%1!')}"\n{\n${'x, ItemLong -- 10\n'.repeat(256)}}`,
      `#typev a 1 "x"\n{\nx, ItemLong${long(' ')}y\n}`,
      `#typev a 1 "x" // ${long(' ')}y`,
      `#typev a 1 "${long('%10!')}"\n{\n${'x, ItemLong -- 10\n'.repeat(256)}}`,
      `#typev a 1 "x"\n{\nx, ItemListLong(${long(' ')}y z)\n}`,
      `${GUID} a${long('//\u2028')}`,
      `${GUID} ${long(' /')}`,
      long('0-'),
      long('a //'),
    ];
    const start = process.cpuUsage();
    for (const line of lines) parse(line);
    expect(process.cpuUsage(start).user).toBeLessThan(2e6);
  });
});
