// Types of etw-cases.mjs, which documents them.
import type {
  EtwProviderOptions,
  EtwSessionOptions,
  EtwSessionUpdate,
} from '../../lib/record/etw-session.ts';

export type Kind = 'Number' | 'Detail' | 'Other' | 'State';

export interface CaseEvent {
  readonly kind: Kind;
  readonly number: number;
  readonly hasStack: boolean;
}

export interface CaseSession {
  query(): object | undefined;
  update(change: EtwSessionUpdate): void;
  flush(file: string): void;
  nextFile(): void;
  captureState(provider: string): void;
  stop(): object | undefined;
}

export interface CaseHarness {
  readonly processId: number;
  start(options: Partial<EtwSessionOptions>, enabled: EtwProviderOptions): Promise<CaseSession>;
  enable(session: CaseSession, options: EtwProviderOptions): Promise<void>;
  settle(): Promise<void>;
  path(name: string): string;
  write(count: number, options: { readonly kind: Kind; readonly from?: number }): Promise<void>;
  read(name: string): Promise<readonly CaseEvent[]>;
  receive(): () => Promise<readonly CaseEvent[]>;
  system(name: string): Promise<{ readonly names: readonly string[]; readonly stacked: readonly string[] }>;
  sizes(name: string): readonly number[];
  list(...args: readonly string[]): readonly object[];
}

export interface EtwCase {
  /** What must be seen. */
  readonly sees: string;
  readonly format?: 'tracelogging' | 'manifest';
  /** @returns what is wrong, in sentences */
  run(harness: CaseHarness): Promise<readonly string[]>;
}

export const KINDS: Readonly<Record<Kind, { readonly level: number; readonly keywords: bigint }>>;
export const PROVIDER: string;
export const SESSION: string;
export const cases: Readonly<Record<string, EtwCase>>;
