/**
 * Messages recorded from .NET's own client (Microsoft.Diagnostics.NETCore.Client), and one worked out by hand, byte by
 * byte.
 */
import { EVENT_PIPE, hex, message } from './byte-messages.ts';

const MY_EVENT_SOURCE = `
  6400000000000000 02000000
  0e000000 4d0079004500760065006e00740053006f0075007200630065000000
  01000000 0000`;

/** 250 MB, no rundown, `MyEventSource` with keywords 0x64 and level 2. */
export const WORKED_2 = message(EVENT_PIPE, 0x03, hex(`fa000000 01000000 00 01000000 ${MY_EVENT_SOURCE}`));

/** 10 MB, no rundown, no stacks, the same provider. */
export const WORKED_3 = message(EVENT_PIPE, 0x04, hex(`0a000000 01000000 00 00 01000000 ${MY_EVENT_SOURCE}`));

/** 256 MB, rundown keyword 1, stacks, `P` with keyword 1 and level 4. */
export const WORKED_4 = message(
  EVENT_PIPE,
  0x05,
  hex('0001000001000000010000000000000001010000000100000000000000040000000200000050000000010000000000'),
);

/** 10 MB, `Demo` with keywords 3 and level 4, `EventCounterIntervalSec=1`, all but the events 4 and 5. */
export const WORKED_5 = message(
  EVENT_PIPE,
  0x06,
  hex(`
    00000000 0a000000 01000000 0000000000000000 01 01000000
    0300000000000000 04000000 05000000 440065006d006f000000
    1a000000 4500760065006e00740043006f0075006e0074006500720049006e00740065007200760061006c005300650063003d0031000000
    00 02000000 04000000 05000000`),
);

/** 10 MB, to block when they are full, `Demo` with keywords 3 and level 4. */
export const WORKED_6 = message(
  EVENT_PIPE,
  0x07,
  hex(`
    00000000 0a000000 01000000 0000000000000000 01 01000000
    0300000000000000 04000000 05000000 440065006d006f000000 01000000 0000
    00 00000000
    01000000`),
);

/**
 * A session of user_events: `Demo` with keywords 3 and level 4, the events 1 and 2, of which 1 is for the tracepoint
 * `Demo_Req` and the other for `Demo_All`. A second message brings the descriptor.
 */
export const WORKED_USER_EVENTS = hex(`
  44 4f 54 4e 45 54 5f 49 50 43 5f 56 31 00
  87 00
  02 06 00 00
  01 00 00 00
  00 00 00 00 00 00 00 00
  01 00 00 00
  03 00 00 00 00 00 00 00
  04 00 00 00
  05 00 00 00 44 00 65 00 6d 00 6f 00 00 00
  00 00 00 00
  01 02 00 00 00 01 00 00 00 02 00 00 00
  09 00 00 00 44 00 65 00 6d 00 6f 00 5f 00 41 00 6c 00 6c 00 00 00
  01 00 00 00
  09 00 00 00 44 00 65 00 6d 00 6f 00 5f 00 52 00 65 00 71 00 00 00
  01 00 00 00 01 00 00 00`);
