/** What the user looks at: one event or one activity. */
export interface Selected {
  readonly kind: 'activity' | 'event';
  readonly index: number;
}

/** Selects and shows it; `isClose`: so that it fills the timeline. */
export type Choose = (selected: Selected, isClose: boolean) => void;

export function isSame(a: Selected | undefined, b: Selected | undefined): boolean {
  return a?.kind === b?.kind && a?.index === b?.index;
}
