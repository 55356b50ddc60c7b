/**
 * What the agent says while it runs. What goes wrong for one file or process often goes wrong for all of them, and again
 * every second: of each kind, there is one sentence a minute.
 */

/** @param kind undefined if it cannot happen again and again */
export type Say = (sentence: string, kind?: NoticeKind) => void;

type NoticeKind = 'disk' | 'memory' | 'process' | 'scan' | 'session' | 'shipping' | 'trace';

const EVERY_MS = 60_000;

/** @param say takes the sentences that are left */
export function sparingly(say: (sentence: string) => void): Say {
  const last = new Map<NoticeKind, { readonly at: number; held: number }>();
  return (sentence, kind) => {
    if (kind === undefined) return say(sentence);
    const now = performance.now();
    const before = last.get(kind);
    if (before !== undefined && now - before.at < EVERY_MS) {
      before.held++;
      return;
    }
    last.set(kind, { at: now, held: 0 });
    const held = before?.held ?? 0;
    say(held === 0 ? sentence : `${sentence} (Since the last such message, ${held} more were left out.)`);
  };
}
