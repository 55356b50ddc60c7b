/** The libraries whose channels are subscribed to, from npm's registry. */
import { type Dependencies, installedTools } from '../consumers/application.ts';

const NEWEST: Dependencies = {
  '@grpc/grpc-js': '^1.14.0',
  '@hono/node-server': '^2.1.0',
  '@koa/router': '^15.7.0',
  express: '^5.3.0',
  fastify: '^5.12.0',
  h3: '^2.0.0',
  hono: '^4.13.0',
  ioredis: '^6.0.0',
  koa: '^3.3.0',
  mongodb: '^7.9.0',
  mysql2: '^3.24.0',
  pg: '^8.23.0',
  redis: '^6.3.0',
  undici: '^7.30.0',
};
const installed = installedTools(NEWEST);

/** Where programs find them: see programs/libraries.mjs. Empty where there are none. */
export const folder = 'folder' in installed ? installed.folder : '';
/** Why tests are skipped; undefined when they are not. */
export const skipReason = 'reason' in installed ? installed.reason : undefined;

/**
 * The same at the lowest versions that docs/automatic-activities.md supports, of those that run on all versions of
 * Node.js; without mongodb, which the tests have no real server of.
 */
export function lowestFolder(): string | undefined {
  const lowest = installedTools({
    express: '5.3.0',
    fastify: '5.0.0',
    ioredis: '6.0.0',
    mysql2: '3.24.0',
    pg: '8.0.3',
    redis: '6.3.0',
    undici: '6.0.0',
  });
  return 'folder' in lowest ? lowest.folder : undefined;
}
