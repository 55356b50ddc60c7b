/** Typed arrays that receive elements one by one: their length is not known beforehand. */

interface Items<Self> {
  readonly length: number;
  set(from: Self): void;
}

/** Returns a copy with room for at least `length` elements, and for twice as many as before; the new ones are 0. */
export function enlarged<Self extends Items<Self>>(array: Self, length: number): Self {
  const larger = new (array.constructor as new (length: number) => Self)(Math.max(length, 2 * array.length));
  larger.set(array);
  return larger;
}
