// A process that an agent should not have to suffer: `HOSTILE=silent|endless|wordy`, with a huge environment. It never
// answers; or sends TRACE, which has no sequence point, in each session; or has the longest names that a message can have.
import { createReadStream, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

const { HOSTILE, TRACE, TMPDIR } = process.env;
const HEAD = 20;
const PROCESS_INFO_3 = '0408';

const number = (value, size) => {
  const bytes = Buffer.alloc(size);
  bytes.writeUInt32LE(value);
  return bytes;
};
const text = (value) => Buffer.concat([number(value.length + 1, 4), Buffer.from(`${value}\0`, 'utf16le')]);

function message(id, ...payload) {
  const body = Buffer.concat(payload);
  const head = Buffer.alloc(HEAD);
  head.write('DOTNET_IPC_V1');
  head.writeUInt16LE(HEAD + body.length, 14);
  head[16] = 0xff;
  head[17] = id;
  return Buffer.concat([head, body]);
}

const long = HOSTILE === 'wordy' ? 'a'.repeat(15_000) : 'hostile';
const names = [long, 'Linux', 'x64', long, '10.0.1', 'linux-x64'].map(text);
const info = message(0, number(1, 4), number(process.pid, 8), Buffer.alloc(16, 1), ...names);
const unknown = message(0xff, number(0x80131385, 4));

const server = createServer((socket) => {
  socket.on('error', () => {});
  if (HOSTILE === 'silent') return;
  socket.once('data', (request) => {
    const command = request.toString('hex', 16, 18);
    if (command === PROCESS_INFO_3) socket.end(info);
    else if (!command.startsWith('02')) socket.end(unknown);
    else {
      socket.write(message(0, number(1, 8)));
      // It ends no session that it has begun.
      createReadStream(TRACE).pipe(socket, { end: false });
    }
  });
});
const key = readFileSync('/proc/self/stat', 'latin1').split(') ')[1].split(' ')[19];
server.listen(join(TMPDIR, `dotnet-diagnostic-${process.pid}-${key}-socket`), () => console.log('ready'));
