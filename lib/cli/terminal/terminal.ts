/** What the terminal can show, if stdout is one: its width, its colours, and the width of text on it. */
import { styleText } from 'node:util';

export type Style = 'bold' | 'dim' | 'red' | 'yellow' | 'green' | 'cyan';

const IS_COMBINING = /^[\p{Mn}\p{Me}\u200b-\u200d]$/u;
const IS_WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]$/u;
const PLAIN = /^[ -~]*$/;

/** Terminals that do not report a width count as this wide: a pty without a size says 0. */
const USUAL_WIDTH = 80;

/** Columns of the terminal; without a terminal, lines can have any length. */
export function terminalWidth(): number {
  return process.stdout.isTTY ? process.stdout.columns || USUAL_WIDTH : Number.POSITIVE_INFINITY;
}

/** Node's own values, which `hasColors` of a terminal also knows. */
const FORCED_COLOR = /^(?:1|2|3|true)?$/;

/** The text in colour, if stdout is a terminal with colours and the user (NO_COLOR, FORCE_COLOR) wants them. */
export function styled(text: string, style: Style | undefined): string {
  const { FORCE_COLOR: forced } = process.env;
  const hasColors =
    forced === undefined ? process.stdout.isTTY && process.stdout.hasColors() : FORCED_COLOR.test(forced);
  return style !== undefined && hasColors ? styleText(style, text, { validateStream: false }) : text;
}

/** Columns that the text takes. */
export function textWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

/** The text in at most `width` columns, with `…` for what is cut from its end, or its start. */
export function cut(text: string, width: number, side: 'start' | 'end'): string {
  if (textWidth(text) <= width) return text;
  const characters = side === 'end' ? [...text] : [...text].reverse();
  let left = width - 1;
  const kept: string[] = [];
  for (const character of characters) {
    left -= characterWidth(character);
    if (left < 0) break;
    kept.push(character);
  }
  return side === 'end' ? `${kept.join('')}…` : `…${kept.reverse().join('')}`;
}

function characterWidth(character: string): number {
  if (IS_COMBINING.test(character)) return 0;
  return IS_WIDE.test(character) ? 2 : 1;
}
