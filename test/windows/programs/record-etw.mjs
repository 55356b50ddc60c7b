// For everything.mjs: the tracer of Windows.
import { enable } from '../recorder/recorder.mjs';

export function record(source) {
  enable(source.guid);
}
