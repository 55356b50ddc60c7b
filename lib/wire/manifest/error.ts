/** Why text cannot be read as the manifest of an event source. */
export class ManifestError extends Error {
  override readonly name = 'ManifestError';
  /** Where in the text, in UTF-16 code units. */
  readonly offset: number;

  /** @param message a complete sentence, without the offset */
  constructor(offset: number, message: string) {
    super(`${message} (at character ${offset})`);
    this.offset = offset;
  }
}
