// Calls of gRPC to a server in the same process, each inside the activity Work. Argument: the folder of the libraries.
import { setTimeout as delay } from 'node:timers/promises';
import '../../../dist/auto/index.js';
import { load } from './libraries.mjs';
import { app, printRecorded } from './recorded.mjs';

const grpc = load('@grpc/grpc-js');
const same = (value) => value;
const method = (path, responseStream) => ({
  path,
  requestStream: false,
  responseStream,
  requestSerialize: same,
  requestDeserialize: same,
  responseSerialize: same,
  responseDeserialize: same,
});
const service = { get: method('/shop.Orders/Get', false), list: method('/shop.Orders/List', true) };

/** It answers with the status in the request. */
const failure = (request) => ({ code: Number(request.toString()), details: 'not 100 % “here”' });
const server = new grpc.Server();
server.addService(service, {
  get: ({ request }, callback) =>
    request.toString() === '0' ? callback(null, Buffer.from('here')) : callback(failure(request)),
  list: (call) => {
    call.write(Buffer.from('one'));
    if (call.request.toString() === '0') call.end();
    else setTimeout(() => call.emit('error', failure(call.request)), 2);
  },
});
const port = await new Promise((resolve, reject) => {
  server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, bound) =>
    error ? reject(error) : resolve(bound),
  );
});
const Client = grpc.makeClientConstructor(service, 'Orders');
const client = new Client(`127.0.0.1:${port}`, grpc.credentials.createInsecure());
const inWork = (work) => app.activity('Work', { text: '' }, { stop: () => ({}) }, work);
const unary = (status) =>
  inWork(() => new Promise((resolve) => client.get(Buffer.from(status), () => setTimeout(resolve, 5))));
const streamed = (status) =>
  inWork(
    () =>
      new Promise((resolve) => {
        client
          .list(Buffer.from(status))
          .on('data', () => {})
          .on('error', () => {})
          .on('status', () => setTimeout(resolve, 5));
      }),
  );

await printRecorded('Node.Http', {
  answered: () => unary('0'),
  notFound: () => unary('5'),
  internal: () => unary('13'),
  stream: () => streamed('0'),
  brokenStream: () => streamed('14'),
});
await delay(2);
client.close();
server.forceShutdown();
