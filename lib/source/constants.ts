/** Levels, opcodes and channels: the same numbers in ETW, EventSource and EventHeader, under .NET's names. */

/** The severity of an event. A listener that requests a level also gets the lower numbers. */
export const Level = {
  Critical: 1,
  Error: 2,
  Warning: 3,
  Informational: 4,
  Verbose: 5,
} as const;

/** The role of an event within its task. 11 to 238 are free for applications. */
export const Opcode = {
  Info: 0,
  Start: 1,
  Stop: 2,
  DataCollectionStart: 3,
  DataCollectionStop: 4,
  Extension: 5,
  Reply: 6,
  Resume: 7,
  Suspend: 8,
  Send: 9,
  Receive: 240,
} as const;

/** The channels of the Windows Event Log, for events described by a manifest. */
export const Channel = {
  /** Administrators read these events: each says what is wrong and what to do. */
  Admin: 16,
  /** What operations staff may look at every day. */
  Operational: 17,
  /** Analysts read these events, which come in large numbers and are recorded only on request. */
  Analytic: 18,
  /** Developers read these events, which are recorded only on request. */
  Debug: 19,
} as const;
