/**
 * The names that every manifest may use without declaring them, and what EventSource adds to every provider.
 *
 * Source: Windows' `winmeta.xml` and the manifests of .NET's EventSource.
 */
import type { EventSchema } from '../schema.ts';

export const MANIFEST_NAMESPACE = 'http://schemas.microsoft.com/win/2004/08/events';

/** The index is the level. */
export const LEVEL_NAMES = [
  'win:LogAlways',
  'win:Critical',
  'win:Error',
  'win:Warning',
  'win:Informational',
  'win:Verbose',
] as const;

export const OPCODE_NAMES: ReadonlyMap<number, string> = new Map([
  [0, 'win:Info'],
  [1, 'win:Start'],
  [2, 'win:Stop'],
  [3, 'win:DC_Start'],
  [4, 'win:DC_Stop'],
  [5, 'win:Extension'],
  [6, 'win:Reply'],
  [7, 'win:Resume'],
  [8, 'win:Suspend'],
  [9, 'win:Send'],
  [240, 'win:Receive'],
]);

/** Bits 44 to 47: EventSource sets them in every manifest-based event. */
export const SESSION_KEYWORDS: readonly { readonly name: string; readonly mask: bigint }[] = [
  { name: 'Session3', mask: 0x1000_0000_0000n },
  { name: 'Session2', mask: 0x2000_0000_0000n },
  { name: 'Session1', mask: 0x4000_0000_0000n },
  { name: 'Session0', mask: 0x8000_0000_0000n },
];
export const SESSION_KEYWORDS_MASK: bigint = SESSION_KEYWORDS.reduce((all, { mask }) => all | mask, 0n);

/** The id and the task of the event that carries the manifest, and of no other. */
export const MANIFEST_EVENT_ID = 0xfffe;

/** Event 0 of every event source: reports errors to whoever records the other events. */
export const MESSAGE_EVENT: EventSchema = {
  name: 'EventSourceMessage',
  id: 0,
  version: 0,
  level: 0,
  keywords: 0n,
  opcode: 0,
  task: 0xfffe,
  tag: 0,
  fields: [{ name: 'message', type: 'utf16', nullable: false, array: false }],
};
