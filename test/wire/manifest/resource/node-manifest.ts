/**
 * The manifest of Node.js's own ETW provider, up to Node.js 18, in short. node.exe has the resources that Microsoft's
 * message compiler has made of it.
 */
const OPCODES: Readonly<Record<string, number>> = {
  NODE_HTTP_SERVER_REQUEST: 10,
  NODE_HTTP_SERVER_RESPONSE: 11,
  NODE_HTTP_CLIENT_REQUEST: 12,
  NODE_HTTP_CLIENT_RESPONSE: 13,
  NODE_NET_SERVER_CONNECTION: 14,
  NODE_NET_STREAM_END: 15,
  NODE_GC_START: 16,
  NODE_GC_DONE: 17,
  NODE_V8SYMBOL_REMOVE: 21,
  NODE_V8SYMBOL_MOVE: 22,
  NODE_V8SYMBOL_RESET: 23,
};

const HEX_POINTER = 'Pointer win:HexInt64';

/** Names and types of fields. */
const TEMPLATES: Readonly<Record<string, string>> = {
  connection: 'fd UInt32, port UInt32, remote AnsiString, buffered UInt32',
  clientRequest:
    'url AnsiString, method AnsiString, fd UInt32, port UInt32, remote AnsiString, buffered UInt32',
  serverRequest:
    'url AnsiString, method AnsiString, forwardedFor AnsiString, fd UInt32, port UInt32, remote AnsiString, buffered UInt32',
  gc: 'gctype UInt32, gccallbackflags UInt32',
  addressChange: `addr1 ${HEX_POINTER}, addr2 ${HEX_POINTER}`,
  methodLoad:
    `ScriptContextID ${HEX_POINTER}, MethodStartAddress ${HEX_POINTER}, MethodSize UInt64, MethodID UInt32, ` +
    'MethodFlags UInt16, MethodAddressRangeID UInt16, SourceID UInt64, Line UInt32 xs:unsignedInt, ' +
    'Column UInt32 xs:unsignedInt, MethodName UnicodeString xs:string',
};

/** Id, opcode, template and message; a task before the opcode. */
const EVENTS: readonly (readonly [number, string, string, string])[] = [
  [
    1,
    'NODE_HTTP_SERVER_REQUEST',
    'serverRequest',
    'HTTP Server Request%nMethod: %2%nRemote: %6%nPort: %5%nURL: %1',
  ],
  [2, 'NODE_HTTP_SERVER_RESPONSE', 'connection', 'HTTP Server Response%nRemote: %3%nPort: %2'],
  [
    3,
    'NODE_HTTP_CLIENT_REQUEST',
    'clientRequest',
    'HTTP Client Request%nMethod: %2%nRemote: %5%nPort: %4%nURL: %1',
  ],
  [4, 'NODE_HTTP_CLIENT_RESPONSE', 'connection', 'HTTP Client Response%nRemote: %3%nPort: %2'],
  [5, 'NODE_NET_SERVER_CONNECTION', 'connection', 'Net Server Connection%nRemote: %3%nPort: %2'],
  [6, 'NODE_NET_STREAM_END', 'connection', 'Net Stream End%nRemote: %3%nPort: %2'],
  [7, 'NODE_GC_START', 'gc', 'Garbage Collection Start'],
  [8, 'NODE_GC_DONE', 'gc', 'Garbage Collection Done'],
  [9, 'MethodLoad', 'methodLoad', 'Function Compiled: %10'],
  [21, 'NODE_V8SYMBOL_REMOVE', 'addressChange', 'V8 Symbol Remove'],
  [22, 'NODE_V8SYMBOL_MOVE', 'addressChange', 'V8 Symbol Move'],
  [23, 'NODE_V8SYMBOL_RESET', '', 'V8 Symbol Reset'],
];

export function nodeManifest(): string {
  return `<instrumentationManifest xmlns="http://schemas.microsoft.com/win/2004/08/events"><instrumentation><events>
<provider name="NodeJS-ETW-provider" guid="{77754E9B-264B-4D8D-B981-E4135C1ECB0C}" message="$(string.name)">
<tasks><task name="MethodRuntime" value="1"><opcodes><opcode name="MethodLoad" value="10"/></opcodes></task></tasks>
<opcodes>${Object.entries(OPCODES)
    .map(([name, value]) => `<opcode name="${name}" value="${value}"/>`)
    .join('')}</opcodes>
<templates>${Object.entries(TEMPLATES).map(template).join('')}</templates>
<events>${EVENTS.map(event).join('')}</events>
</provider></events></instrumentation>
<localization><resources culture="en-US"><stringTable>
<string id="name" value="Node.js ETW Provider"/>
${EVENTS.map(([id, , , message]) => `<string id="event.${id}" value="Node.js ${message}"/>`).join('')}
</stringTable></resources></localization></instrumentationManifest>`;
}

function template([id, fields]: [string, string]): string {
  const data = fields.split(', ').map((field) => {
    const [name, inType, outType] = field.split(' ');
    return `<data name="${name}" inType="win:${inType}"${outType === undefined ? '' : ` outType="${outType}"`}/>`;
  });
  return `<template tid="${id}">${data.join('')}</template>`;
}

function event([id, opcode, name, _]: (typeof EVENTS)[number]): string {
  const task = opcode === 'MethodLoad' ? ' task="MethodRuntime"' : '';
  return `<event value="${id}" level="win:Informational" opcode="${opcode}"${task}${
    name === '' ? '' : ` template="${name}"`
  } message="$(string.event.${id})"/>`;
}
