// Events of every level and keyword against sessions of every level and mask: which events are enabled?
import { defineEventSource, event } from 'tracewright';
import { disable, enable } from '../recorder/recorder.mjs';

const LEVELS = [1, 3, 5, 255];
const KEYWORDS = [0, 1, 2, 3, 4];
const definitions = {};
for (const level of LEVELS) {
  for (const keyword of KEYWORDS) {
    definitions[`L${level}K${keyword}`] = event({}, { level, keywords: BigInt(keyword) });
  }
}
const log = defineEventSource('Tracewright-Filters', definitions);
const rows = [];
for (const level of [0, 1, 2, 3, 4, 5, 255]) {
  for (const any of [0n, 1n, 2n, 3n, 4n, 6n]) {
    for (const all of [0n, 1n, 2n, 3n]) {
      enable(log.guid, { level, any, all });
      const enabled = Object.keys(definitions).filter((name) => log[name].enabled);
      for (const name of Object.keys(definitions)) log[name]();
      rows.push({ level, any: Number(any), all: Number(all), enabled });
      disable(log.guid);
      if (Object.keys(definitions).some((name) => log[name].enabled)) throw new Error('Enabled by nobody.');
    }
  }
}
console.log(JSON.stringify(rows));
