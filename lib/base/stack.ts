/** How much is left of the stack. */

/** 128 KB: Node.js's own functions take a few, an application's stream may take some more. */
const ROOM = 16_384;

let room: readonly undefined[] | undefined;

/**
 * Whether there is room on the stack for code that is not made for its end: Node.js's own, after which a file or a
 * stream may work no more, and the application's. Of a channel that is made where the stack ends, a part is missing,
 * and its thread dies of that when it is closed (a TypeError in `MessagePort.onclose`).
 */
export function hasStack(): boolean {
  try {
    room ??= Array.from({ length: ROOM });
    // Arguments go onto the stack, all at once.
    Reflect.apply(nothing, undefined, room);
    return true;
  } catch {
    return false;
  }
}

function nothing(): void {}
