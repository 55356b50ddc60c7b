/** Each mistake in a source's definition is rejected with one sentence that names the place and the value. */
import { describe, expect, it } from 'vitest';
import { DefinitionError, defineEventSource, event, Opcode } from '../../lib/index.ts';

// The types refuse most of these mistakes; those who write JavaScript make them all the same.
const define = defineEventSource as (name: unknown, events: unknown, options?: unknown) => unknown;
const makeEvent = event as (fields?: unknown, options?: unknown) => never;

function messageOf(definition: () => unknown): string {
  try {
    definition();
  } catch (error) {
    expect(error).toBeInstanceOf(DefinitionError);
    return (error as Error).message;
  }
  throw new Error('The definition was accepted.');
}

const mistakeInSource = (name: unknown, events: unknown = {}, options?: unknown) =>
  messageOf(() => define(name, events, options));
const mistakeInEvent = (name: string, fields: unknown = {}, options: unknown = {}) =>
  mistakeInSource('P', { [name]: makeEvent(fields, options) });
const mistakeInField = (type: unknown, name = 'f') => mistakeInEvent('E', { [name]: type });

/** Whether events are in the format of ETW, whose limits are its own. */
const isEtw = defineEventSource('Probe', {}).status.backend === 'etw';

const fieldsNumbered = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, 'uint8']));
const structsNested = (depth: number): unknown => (depth === 0 ? 'uint8' : { s: structsNested(depth - 1) });

describe('a provider name', () => {
  it('must be a string', () => {
    expect(mistakeInSource(7)).toBe("defineEventSource: the provider's name must be a string, not 7.");
  });

  it('must not be empty', () => {
    expect(mistakeInSource('')).toBe('defineEventSource: the provider name "" is empty.');
  });

  it('must not contain a NUL, a semicolon or half of a surrogate pair', () => {
    expect(mistakeInSource('a\0b')).toBe(
      'defineEventSource: the provider name "a\\u0000b" contains a NUL character, which would end it.',
    );
    expect(mistakeInSource('a;b')).toBe(
      'defineEventSource: the provider name "a;b" contains a semicolon, which would end it.',
    );
    expect(mistakeInSource('a\ud800')).toBe(
      'defineEventSource: the provider name "a\\ud800" contains half of a surrogate pair, which UTF-8 cannot hold.',
    );
  });

  it('must have at most 233 characters, so that its tracepoints fit', () => {
    expect(() => define('p'.repeat(233), {})).not.toThrow();
    const name = 'p'.repeat(234);
    expect(mistakeInSource(name)).toBe(
      `defineEventSource: the provider name "${name}" is too long for a tracepoint: ` +
        'it has 234 characters, but the maximum is 233.',
    );
  });
});

describe('the options of a source', () => {
  it('must be spelled correctly', () => {
    expect(mistakeInSource('P', {}, { keyword: {} })).toBe(
      'P: there is no option "keyword"; the options are keywords, activityIds, guid, groupGuid, groupName, etwFormat, userEventsFormat, throwOnErrors, messages.',
    );
  });

  it('must be an object', () => {
    expect(mistakeInSource('P', {}, null)).toBe('P: options must be an object, not null.');
    expect(mistakeInSource('P', {}, 'fast')).toBe('P: options must be an object, not fast.');
  });

  it('support two forms of activity ids', () => {
    expect(mistakeInSource('P', {}, { activityIds: '2015' })).toBe(
      "P: activityIds must be 'net10' or '2016', not 2015.",
    );
  });

  it('support two formats for each tracer', () => {
    expect(mistakeInSource('P', {}, { etwFormat: 'xml' })).toBe(
      "P: etwFormat must be 'tracelogging' or 'manifest', not xml.",
    );
    expect(mistakeInSource('P', {}, { userEventsFormat: 'text' })).toBe(
      "P: userEventsFormat must be 'eventheader' or 'plain', not text.",
    );
  });

  it('allow plain tracepoints for what the kernel can describe, under names of their own', () => {
    const plain = { userEventsFormat: 'plain' };
    expect(mistakeInSource('P', { E: makeEvent({ x: 'double' }) }, plain)).toBe(
      'P.E: the field "x" is of type double, which plain tracepoints cannot have.',
    );
    expect(mistakeInSource('P', { 'E.a': makeEvent(), E_a: makeEvent() }, plain)).toBe(
      'P.E_a: its plain tracepoint has the same name as that of E.a: P_E_a.',
    );
  });

  it('name keywords with bits 0 to 47', () => {
    expect(() => define('P', {}, { keywords: { Low: 1n, High: 1n << 47n } })).not.toThrow();
    expect(mistakeInSource('P', {}, { keywords: { Top: 1n << 48n } })).toBe(
      'P.keywords.Top: the keywords 0x1000000000000 are outside bits 0 to 47; ETW reserves the others.',
    );
    expect(mistakeInSource('P', {}, { keywords: { Top: 1 } })).toBe(
      'P.keywords.Top: keywords must be a bigint (0x2n), not 1.',
    );
  });
});

describe('the events of a source', () => {
  it('must be an object', () => {
    const sentence = 'P: events must be an object of names and event(...) definitions.';
    expect(mistakeInSource('P', null)).toBe(sentence);
    expect(mistakeInSource('P', [])).toBe(sentence);
    expect(mistakeInSource('P', 'E')).toBe(sentence);
  });

  it('must be created by event()', () => {
    const sentence = 'P.E: an event must be defined with event({ fields }, { options }).';
    expect(mistakeInSource('P', { E: null })).toBe(sentence);
    expect(mistakeInSource('P', { E: 'string' })).toBe(sentence);
    expect(mistakeInSource('P', { E: { url: 'string' } })).toBe(sentence);
    expect(mistakeInSource('P', { E: { fields: {} } })).toBe(
      'P.E: options must be an object, not undefined.',
    );
  });

  it('must have distinct ids', () => {
    expect(mistakeInSource('P', { A: makeEvent({}, { id: 4 }), B: makeEvent({}, { id: 4 }) })).toBe(
      'P.B: the id 4 already belongs to A.',
    );
    // The ids that are not given count on from the one before.
    expect(
      mistakeInSource('P', { A: makeEvent({}, { id: 2 }), B: makeEvent({}, { id: 1 }), C: makeEvent() }),
    ).toBe('P.C: the id 2 already belongs to A.');
  });

  it('must have ids from 1 to 65535', () => {
    expect(() => define('P', { E: makeEvent({}, { id: 65535 }) })).not.toThrow();
    expect(mistakeInEvent('E', {}, { id: 0 })).toBe('P.E: the id must be an integer from 1 to 65535, not 0.');
    expect(mistakeInEvent('E', {}, { id: 65536 })).toBe(
      'P.E: the id must be an integer from 1 to 65535, not 65536.',
    );
    expect(mistakeInEvent('E', {}, { id: '1' })).toBe(
      'P.E: the id must be an integer from 1 to 65535, not 1.',
    );
  });

  it('must not share task and opcode, unless the opcode is Info', () => {
    expect(() => define('P', { A: makeEvent({}, { task: 9 }), B: makeEvent({}, { task: 9 }) })).not.toThrow();
    expect(
      mistakeInSource('P', {
        A: makeEvent({}, { task: 9, opcode: Opcode.Send }),
        B: makeEvent({}, { task: 9, opcode: Opcode.Send }),
      }),
    ).toBe('P.B: A has the same task (9) and opcode (9).');
  });
});

describe('an event name', () => {
  it('must not be empty or contain what would end it', () => {
    expect(mistakeInEvent('')).toBe('P: the event name "" is empty.');
    expect(mistakeInEvent('a\0b')).toBe(
      'P: the event name "a\\u0000b" contains a NUL character, which would end it.',
    );
    expect(mistakeInEvent('a;b')).toBe('P: the event name "a;b" contains a semicolon, which would end it.');
    expect(mistakeInEvent('\udc00')).toBe(
      'P: the event name "\\udc00" contains half of a surrogate pair, which UTF-8 cannot hold.',
    );
  });

  it('must have at most 255 bytes, because the C++ formatter never ends with more', () => {
    expect(() => define('P', { [`${'é'.repeat(127)}e`]: makeEvent() })).not.toThrow();
    const name = 'é'.repeat(128);
    expect(mistakeInEvent(name)).toBe(
      `P: the event name "${name}" is too long: it takes 256 bytes, but the maximum is 255.`,
    );
  });

  it.each([
    'name',
    'tracepoints',
    'status',
    'stats',
    'activity',
    'then',
    'toString',
    'constructor',
    '__proto__',
  ])('must not be "%s", which is a member of every event source', (name) => {
    expect(mistakeInEvent(name)).toBe(
      `P: an event cannot be named "${name}": every event source has a member of that name.`,
    );
  });
});

describe('the options of an event', () => {
  it('must be spelled correctly', () => {
    expect(mistakeInEvent('E', {}, { keyword: 1n })).toBe(
      'P.E: there is no option "keyword"; the options are ' +
        'level, keywords, opcode, task, tag, fieldTags, id, version, message, channel, activityOptions, traceContext.',
    );
  });

  it.each([
    ['level', 0, 1, 255],
    ['level', 256, 1, 255],
    ['level', 'Warning', 1, 255],
    ['opcode', -1, 0, 255],
    ['opcode', 256, 0, 255],
    ['task', 0, 1, 65534],
    ['task', 65535, 1, 65534],
    ['tag', -1, 0, 268435455],
    ['tag', 268435456, 0, 268435455],
    ['version', 256, 0, 255],
    ['version', 1.5, 0, 255],
    ['version', 1n, 0, 255],
    ['activityOptions', 16, 0, 15],
  ])('reject a %s of %s', (name, value, low, high) => {
    expect(mistakeInEvent('E', {}, { [name]: value })).toBe(
      `P.E: the ${name} must be an integer from ${low} to ${high}, not ${value}.`,
    );
  });

  it('give only a Start the fields of a trace, once', () => {
    expect(mistakeInEvent('E', {}, { traceContext: true })).toBe(
      'P.E: only a Start can have the traceContext option.',
    );
    expect(mistakeInEvent('EStart', {}, { traceContext: 'yes' })).toBe(
      'P.EStart: traceContext must be true or false, not yes.',
    );
    expect(mistakeInEvent('EStart', { spanId: 'string' }, { traceContext: true })).toBe(
      'P.EStart: the field spanId is already added by the traceContext option.',
    );
  });

  it('accept keywords with bits 0 to 47', () => {
    expect(() => define('P', { E: makeEvent({}, { keywords: (1n << 48n) - 1n }) })).not.toThrow();
    expect(mistakeInEvent('E', {}, { keywords: 1n << 48n })).toBe(
      'P.E: the keywords 0x1000000000000 are outside bits 0 to 47; ETW reserves the others.',
    );
    expect(mistakeInEvent('E', {}, { keywords: -1n })).toBe(
      'P.E: the keywords 0x-1 are outside bits 0 to 47; ETW reserves the others.',
    );
    expect(mistakeInEvent('E', {}, { keywords: 2 })).toBe(
      'P.E: keywords must be a bigint (0x2n) or names, not 2.',
    );
    expect(mistakeInEvent('E', {}, { keywords: [2n] })).toBe(
      'P.E: keywords must be a bigint (0x2n) or names, not 2n.',
    );
  });

  it('accept only keyword names that the source defines', () => {
    expect(mistakeInEvent('E', {}, { keywords: 'Net' })).toBe(
      'P.E: the source does not define the keyword "Net" (it has: none).',
    );
    expect(
      mistakeInSource(
        'P',
        { E: makeEvent({}, { keywords: ['Net', 'toString'] }) },
        { keywords: { Net: 1n, Disk: 2n } },
      ),
    ).toBe('P.E: the source does not define the keyword "toString" (it has: Net, Disk).');
  });
});

describe('a Start and its Stop', () => {
  it('must come together', () => {
    expect(mistakeInEvent('WorkStart')).toBe(
      'P.WorkStart: a Start event needs its Stop event (the same name ending in Stop); ' +
        'if it is not the start of anything, give it { opcode: Opcode.Info }.',
    );
    expect(mistakeInEvent('WorkStop')).toBe(
      'P.WorkStop: a Stop event needs its Start event (the same name ending in Start); ' +
        'if it is not the stop of anything, give it { opcode: Opcode.Info }.',
    );
    expect(mistakeInSource('P', { WorkStart: makeEvent(), WorkerStop: makeEvent() })).toMatch(
      /^P\.WorkStart: a Start event needs its Stop event/,
    );
  });

  it('may have names that end that way without being a pair', () => {
    expect(() => define('P', { ColdStart: makeEvent({}, { opcode: Opcode.Info }) })).not.toThrow();
  });

  it('must come in this order, otherwise tools treat the Stop as one without a Start', () => {
    expect(mistakeInSource('P', { WorkStop: makeEvent(), WorkStart: makeEvent() })).toBe(
      'P.WorkStart: define it before its stop, WorkStop.',
    );
  });
});

describe('fields', () => {
  it('must be an object of names and types', () => {
    expect(mistakeInEvent('E', ['string'])).toBe(
      'P.E: fields must be an object of names and types, not an array.',
    );
    expect(mistakeInEvent('E', null)).toBe('P.E: fields must be an object of names and types, not null.');
  });

  it.each(['text', 'String', 'string[][]', 'uint32[]?', 'number', '', 'struct'])(
    'must not have the type "%s"',
    (type) => {
      expect(mistakeInField(type)).toMatch(
        `P.E.f: "${type}" is not a field type. The types are bool, int8, int16, int32, int64, uint8,`,
      );
    },
  );

  it('must have types that are strings or objects', () => {
    expect(mistakeInField(5)).toMatch(/^P\.E\.f: a number is not a field type\. The types are bool, /);
    expect(mistakeInField(null)).toMatch(/^P\.E\.f: null is not a field type\. The types are bool, /);
  });

  it.each(['string', 'utf16', 'json', 'binary'])('of type %s cannot be null', (type) => {
    expect(mistakeInField(`${type}?`)).toBe(
      `P.E.f: a ${type} cannot be nullable: null would be encoded like an empty value. Omit the "?".`,
    );
  });

  it('must have names that are not empty and do not contain what would end them', () => {
    expect(mistakeInField('bool', '')).toBe('P.E: the field name "" is empty.');
    expect(mistakeInField('bool', 'a\0')).toBe(
      'P.E: the field name "a\\u0000" contains a NUL character, which would end it.',
    );
    expect(mistakeInField('bool', 'a;b=c')).toBe(
      'P.E: the field name "a;b=c" contains a semicolon, which would end it.',
    );
    expect(mistakeInField({ 'x;': 'bool' })).toBe(
      'P.E.f: the field name "x;" contains a semicolon, which would end it.',
    );
    expect(mistakeInField('bool', '\ud83d')).toBe(
      'P.E: the field name "\\ud83d" contains half of a surrogate pair, which UTF-8 cannot hold.',
    );
  });

  it('are limited to 255, on Windows to the 128 of decoders', () => {
    expect(() => define('P', { E: makeEvent(fieldsNumbered(isEtw ? 128 : 255)) })).not.toThrow();
    if (isEtw)
      expect(mistakeInEvent('E', fieldsNumbered(129))).toMatch(/support 128 fields, this event has 129/);
    expect(mistakeInEvent('E', fieldsNumbered(256))).toBe(
      'P.E: an event may have at most 255 fields, but this one has 256.',
    );
  });

  it('of a struct must be 1 to 127', () => {
    expect(() => define('P', { E: makeEvent({ s: fieldsNumbered(127) }) })).not.toThrow();
    expect(mistakeInField(fieldsNumbered(128), 's')).toBe(
      'P.E.s: a struct may have at most 127 fields, but this one has 128.',
    );
    expect(mistakeInField({}, 's')).toBe('P.E.s: a struct needs at least one field.');
    expect(mistakeInField([{}], 's')).toBe('P.E.s: a struct needs at least one field.');
  });

  it('must not be nested more than 8 structs deep', () => {
    expect(() => define('P', { E: makeEvent({ s: structsNested(8) }) })).not.toThrow();
    expect(mistakeInField(structsNested(9), 's')).toBe(
      'P.E.s.s.s.s.s.s.s.s.s: structs may be nested at most 8 levels deep, and this one is deeper.',
    );
  });

  it('of arrays of structs are defined by one struct in brackets', () => {
    expect(mistakeInField([], 's')).toBe(
      'P.E.s: an array of structs must be one struct in brackets, not 0 elements.',
    );
    expect(mistakeInField([{ a: 'bool' }, { b: 'bool' }], 's')).toBe(
      'P.E.s: an array of structs must be one struct in brackets, not 2 elements.',
    );
    expect(mistakeInField(['string'], 's')).toMatch(/^P\.E\.s: "string" is not a field type\./);
  });

  it('must have names that leave room in an event', () => {
    // Header 8, ids 36, head 4, "E" and NUL 2, NUL and type 2: with 8132 characters they are 8184 bytes.
    // ETW counts size 2, tag 1, "E" and NUL 2, NUL and type 2: with 32760 characters they are 32767 bytes.
    const [most, mistake] = isEtw
      ? [32760, 'its names and types take 32768 bytes, more than the 32767 that TraceLogging allows.']
      : [8132, 'its names alone take 8185 bytes of each event; perf accepts 8184, ftrace 4064.'];
    expect(() => define('P', { E: makeEvent({ ['n'.repeat(most)]: 'uint8' }) })).not.toThrow();
    expect(mistakeInField('uint8', 'n'.repeat(most + 1))).toBe(`P.E: ${mistake}`);
  });
});

describe('a channel', () => {
  const define16 = (options: object, rest?: object) =>
    mistakeInSource('P', { E: makeEvent({}, options) }, rest);

  it('is one of four', () => {
    expect(define16({ channel: 15 }, { etwFormat: 'manifest' })).toBe(
      'P.E: the channel must be an integer from 16 to 19, not 15.',
    );
  });

  it('needs a manifest', () => {
    expect(define16({ channel: 17 })).toBe(
      "P.E: a channel of the Event Log needs a source with { etwFormat: 'manifest' }; " +
        'self-describing events cannot have one.',
    );
  });

  it('for administrators needs a message', () => {
    expect(define16({ channel: 16 }, { etwFormat: 'manifest' })).toBe(
      'P.E: an event of the channel Admin needs a message: it tells an administrator what to do.',
    );
  });
});

describe('messages in other languages', () => {
  it('must belong to something, with or without a manifest in the trace', () => {
    const options = { messages: { 'de-DE': { event_E: 'x' } } };
    const problem =
      'P: the messages of de-DE have "event_E", but the source has no event of this name with a message.';
    expect(mistakeInSource('P', { E: makeEvent() }, options)).toBe(problem);
    expect(mistakeInSource('P', { E: makeEvent() }, { ...options, etwFormat: 'manifest' })).toBe(problem);
  });
});
