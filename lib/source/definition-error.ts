/** An error in the definition of an event source, thrown when it is defined. */

export class DefinitionError extends Error {
  override readonly name = 'DefinitionError';

  /** @param place the location in the definition, such as `Provider.Event.field` */
  constructor(place: string, problem: string) {
    super(`${place}: ${problem}`);
  }
}
