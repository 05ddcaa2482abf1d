import { expect, test } from 'vitest';
import type { ServerTool } from '#platform/server/tool.ts';
import { serverTools } from '../../apps/server/tools.ts';
import { listCalls, createSample, getRequestSchema } from '../kits/server/contracts.ts';
import { startServer, TEST_PASSWORD } from '../kits/server/server.ts';
import { pairComputer } from './pairComputer.ts';

const TYPED = 'typed-hunter2';

/** Makes everything fail with the request in the error, like a careless driver. */
const careless = (tools: readonly ServerTool[]): readonly ServerTool[] =>
  tools.map((tool) => ({
    ...tool,
    start: (context, site) => {
      const { calls, ...parts } = tool.start(context, site);
      const broken = calls.map(({ contract }) => ({
        contract,
        run: async (request: unknown) => {
          throw Object.assign(new Error('the database said no'), {
            parameters: request,
            detail: JSON.stringify(request),
          });
        },
      }));
      return { ...parts, calls: broken };
    },
  }));

test.each([
  ['answers', serverTools],
  ['fails at', careless(serverTools)],
])('the log of a server that %s every call contains no token, password or typed text', async (_, tools) => {
  await using server = await startServer({ rateLimits: false, logLevel: 'debug', tools });
  const ann = await server.createAccount('ann');
  const device = tools === serverTools ? await pairComputer(server.origin, ann, 'Laptop') : '';
  const secrets = [TYPED, TEST_PASSWORD, encodeURIComponent(TEST_PASSWORD), ann.token, device].filter(Boolean);
  for (const token of [ann.token, device].filter(Boolean))
    for (const contract of await listCalls()) {
      if (contract.path === '/api/logout') continue; // The remaining calls would be unauthenticated.
      const fields = createSample(getRequestSchema(contract), TYPED) as Record<string, unknown>;
      const ask = (url: string, body?: string, headers: Record<string, string> = {}) =>
        fetch(server.origin + url, {
          method: contract.method,
          headers: { 'content-type': 'application/json', ...headers },
          ...(contract.method === 'POST' && body !== undefined ? { body } : {}),
        });
      const query = new URLSearchParams({ ...(fields as Record<string, string>), token, q: TYPED }).toString();
      await ask(`${contract.path}?${query}`, JSON.stringify(fields));
      await ask(contract.path, JSON.stringify({ ...fields, password: TEST_PASSWORD, token }));
      await ask(contract.path, JSON.stringify({ content: { token, ...fields } }), { cookie: `usertoken=${token}` });
      await ask(contract.path, `{"text":"${TYPED}`, { authorization: `Bearer ${token}` });
      await ask(`${contract.path}/${TYPED}?token=${token}`, '{}');
    }
  expect(server.log.length).toBeGreaterThan(100);
  expect(server.log.filter((line) => secrets.some((secret) => line.includes(secret)))).toEqual([]);
  if (tools !== serverTools) expect(server.log.some((line) => line.includes('the database said no'))).toBe(true);
});
