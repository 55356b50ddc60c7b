/** Extracts the report's bytes from the page that contains them. */

/** The elements contain one base64-encoded stream of raw DEFLATE; they are removed. */
export async function loadBytes(elements: Iterable<Element>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = compressed(elements).pipeThrough(new DecompressionStream('deflate-raw')).getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    chunks.push(read.value);
    size += read.value.length;
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

function compressed(elements: Iterable<Element>): ReadableStream<Uint8Array<ArrayBuffer>> {
  const left = elements[Symbol.iterator]();
  return new ReadableStream({
    pull(controller) {
      const next = left.next();
      if (next.done) {
        controller.close();
        return;
      }
      const binary = atob(next.value.textContent ?? '');
      next.value.remove();
      const bytes = new Uint8Array(binary.length);
      for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
      controller.enqueue(bytes);
    },
  });
}
