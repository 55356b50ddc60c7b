// Types of tracerpt-xml.mjs, which documents them.
export interface TracedEvent {
  readonly providerGuid: string;
  readonly name: string;
  readonly level: number;
  readonly opcode: number;
  readonly keywords: bigint;
  readonly processId: number;
  readonly activityId: string | undefined;
  readonly relatedActivityId: string | undefined;
  readonly fields: Readonly<Record<string, string>>;
}

export function parseTracerpt(xml: string): TracedEvent[];
export function tracerptText(bytes: Buffer): string;
export function recordingProblems(
  expected: readonly TracedEvent[],
  recorded: readonly TracedEvent[],
): string[];
