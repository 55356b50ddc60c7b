// Fastify: the Stop of each request has its route and its status, even if it fails.
import fastify from 'fastify';
import { defineEventSource, event } from 'tracewright';
import 'tracewright/auto';

const shop = defineEventSource('MyCompany-Shop', {
  PriceStart: event({ id: 'string' }),
  PriceStop: event({ success: 'bool', errorMessage: 'string' }),
});

const app = fastify();
app.get('/orders/:id', async (request) => {
  const { id } = request.params;
  const price = await shop.activity('Price', { id }, async () => {
    if (id === '0') throw new RangeError('No such order');
    return Number(id) * 2;
  });
  return { id, price };
});

const origin = await app.listen({ port: 0, host: '127.0.0.1' });
for (const id of [1, 0]) {
  const answer = await fetch(`${origin}/orders/${id}`);
  console.log(await answer.text());
}
await app.close();
