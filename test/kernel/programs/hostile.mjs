// A program whose names and values would control a terminal if shown unescaped.
import { defineEventSource, event } from 'tracewright';

const text = '\x1b]0 owned\x07\x1b[2J\x9b31m\r\b\x7f\u202e\u2066\u2028';
const log = defineEventSource(`Hostile${text}`, {
  [`Event${text}`]: event({ [`field${text}`]: 'string', list: 'string[]' }),
});
log[`Event${text}`]({ [`field${text}`]: text, list: [text] });
