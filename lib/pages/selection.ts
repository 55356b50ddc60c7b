/** The user's selection: one event or one activity. */
export interface Selected {
  readonly kind: 'activity' | 'event';
  readonly index: number;
}

/** Selects and shows an event or activity; with `isClose`, zooms the timeline to it. */
export type Choose = (selected: Selected, isClose: boolean) => void;

export function isSame(a: Selected | undefined, b: Selected | undefined): boolean {
  return a?.kind === b?.kind && a?.index === b?.index;
}
