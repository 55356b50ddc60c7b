/** Why there is no port where there was to be one; the message is a complete sentence. */
export class PortError extends Error {
  override readonly name = 'PortError';
}
