/**
 * Reads the output of Microsoft's C++ decoder, which is UTF-8 except for errors in the event itself: surrogates are
 * three bytes each, and code points above U+10FFFF five to seven bytes of a UTF-8 that no longer exists. Surrogates
 * become surrogates of a JavaScript string, the others U+FFFD, as tracewright decodes them.
 */
import { readFileSync } from 'node:fs';

/** The JSON objects of a file, one per line, as text. */
export function readObjectLines(file) {
  return decodeLooseUtf8(readFileSync(file))
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith('{'))
    .map((line) => line.replace(/(,| \])$/, ''));
}

/** The JSON values of a file, one per line. Keywords, which may need 64 bits, are kept as text. */
export function readJsonLines(file) {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line.replace(/("keyword": *)(\d+)/, '$1"$2"')));
}

/** Text in which Python's surrogateescape has replaced each byte that is not UTF-8 with U+DC80 to U+DCFF. */
export function fromSurrogateEscape(text) {
  const bytes = [];
  for (const character of text) {
    const code = character.codePointAt(0);
    if (code >= 0xdc80 && code <= 0xdcff) bytes.push(code & 0xff);
    else bytes.push(...Buffer.from(character));
  }
  return decodeLooseUtf8(Uint8Array.from(bytes));
}

function decodeLooseUtf8(bytes) {
  let text = '';
  for (let i = 0; i < bytes.length; ) {
    const lead = bytes[i];
    // The number of leading one bits is the length of the sequence.
    const length = lead < 0x80 ? 1 : Math.clz32(~(lead << 24));
    let code = lead < 0x80 ? lead : lead & (0x7f >> length);
    for (let j = 1; j < length; j++) code = code * 64 + (bytes[i + j] & 0x3f);
    text += code > 0x10ffff ? '\ufffd' : String.fromCodePoint(code);
    i += length;
  }
  return text;
}
