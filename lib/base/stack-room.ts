/** How much of the stack is left. */

/** 128 KB: Node.js's own functions take some, and an application's stream may take more. */
const ROOM = 16_384;

let room: readonly undefined[] | undefined;

/**
 * Whether the stack has room for code that does not expect to run out of it: Node.js's own, after which a file or a
 * stream may no longer work, and the application's.
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
