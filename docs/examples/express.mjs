// Express: the Stop of each request has its route. Everything a handler causes belongs to the request.
import { once } from 'node:events';
import express from 'express';
import { defineEventSource, event } from 'tracewright';
import 'tracewright/auto';

const shop = defineEventSource('MyCompany-Shop', {
  PriceStart: event({ id: 'string' }),
  PriceStop: event({ success: 'bool' }),
});

const app = express();
app.get('/orders/:id', async (request, response) => {
  const { id } = request.params;
  const price = await shop.activity('Price', { id }, async () => Number(id) * 2);
  response.json({ id, price });
});

const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');
for (const id of [1, 2]) {
  const answer = await fetch(`http://127.0.0.1:${server.address().port}/orders/${id}`);
  console.log(await answer.text());
}
server.closeAllConnections();
server.close();
