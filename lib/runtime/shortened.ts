/** Texts of any length, made to fit into an event. */

/** An event that is too large for the tracer would be dropped: rather the beginning of a text than none. */
export function shortened(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1)}…`;
}
