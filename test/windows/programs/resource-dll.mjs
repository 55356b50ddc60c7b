// Prints what Windows reads from a DLL: `resource-dll.mjs FILE LANGUAGE ID...`, the numbers in hex.
import { probe } from './probe.mjs';

const [file, language, ...ids] = process.argv.slice(2);
const hex = (text) => Number.parseInt(text, 16);
console.log(JSON.stringify(probe.messages(file, hex(language), ids.map(hex))));
