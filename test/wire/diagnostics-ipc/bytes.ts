/** Messages as tests write them: in hex, to be compared byte by byte. */

/** Bytes of hex digits, with blanks and line ends anywhere. */
export function bytesOf(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex.replaceAll(/\s/g, ''), 'hex'));
}

export function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

/** A whole message: the header made by hand, and the payload. */
export function messageOf(commandSet: number, commandId: number, payloadHex = ''): Uint8Array {
  const payload = bytesOf(payloadHex);
  const header = Buffer.alloc(20);
  header.write('DOTNET_IPC_V1', 'latin1');
  header.writeUInt16LE(20 + payload.length, 14);
  header.writeUInt8(commandSet, 16);
  header.writeUInt8(commandId, 17);
  return Uint8Array.from(Buffer.concat([header, payload]));
}
