/** All events of an .etl, according to the library. */
import { openEtl } from '../../dist/trace/etl/open-etl.js';
import { openFile } from '../../dist/trace/source/file-source.js';

export async function readEtlEvents(path, manifests = []) {
  const reader = await openEtl(await openFile(path), { manifests });
  const events = [];
  for await (const batch of reader.batches()) events.push(...batch);
  return events;
}
