/** A mistake in the definition of an event source, found when it is defined. */

export class DefinitionError extends Error {
  override readonly name = 'DefinitionError';

  /** @param place where in the definition, as `Provider.Event.field` */
  constructor(place: string, problem: string) {
    super(`${place}: ${problem}`);
  }
}
