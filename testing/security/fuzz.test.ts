import { inspect } from 'node:util';
import * as fc from 'fast-check';
import { expect } from 'vitest';
import type { Call } from '#platform/contract/call.ts';
import { listCalls, type JsonSchema, getRequestSchema } from '../kits/server/contracts.ts';
import { testOnBothDatabases } from '../kits/server/database.ts';
import { startServer, type TestServer } from '../kits/server/server.ts';
import { pairComputer } from './pairComputer.ts';

/** `npm run test:faults fuzz` sends 2,000. */
const BODIES = Number(process.env['FUZZ_BODIES'] ?? 40);
/** Every tenth body is sent over a connection like a browser's; the others are injected at half the cost. */
const ON_THE_WIRE = 10;
/** Printed before anything is sent, so that an aborted run can be repeated. */
const SEED = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));
process.stdout.write(`seed ${SEED}\n`);
/** Allows a request every 45 ms, for a busy machine, and the start of a server. */
const FUZZ_TIMEOUT_MS = 60_000 + BODIES * 9000;
/** Success or refusal, invalid, too large, too many requests, address too long. */
const FAULTLESS = [200, 400, 413, 429, 431];

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '',
    '0',
    '-1',
    'no id',
    // Ids may be sent as text.
    '4711',
    '-9007199254740993',
    '9'.repeat(16),
    '9'.repeat(40),
    '1e3',
    '0x10',
    ' 7',
    '٣',
    '__proto__',
    '../../etc/passwd',
    "'; --",
    '\u0000',
    'a\u0000',
    '👋'.repeat(201),
    '[[keys]]Ctrl-',
  ),
);
const number = fc.oneof(fc.integer(), fc.double(), fc.constantFrom(0, -1, 1, 2 ** 31, 2 ** 53, 1e300));

/** Generates values that almost fit the schema: a field may be missing, have another type, or any content. */
function nearly(schema: JsonSchema): fc.Arbitrary<unknown> {
  function shaped(): fc.Arbitrary<unknown> {
    if (schema.enum) return fc.constantFrom(...schema.enum);
    if (schema.anyOf) return fc.oneof(...schema.anyOf.map(nearly));
    if (schema.properties)
      return fc.record(
        Object.fromEntries(Object.entries(schema.properties).map(([name, inner]) => [name, nearly(inner)])),
        { requiredKeys: [] },
      );
    if (schema.type === 'array') return fc.array(nearly(schema.items ?? {}), { maxLength: 5 });
    if (schema.type === 'string') return text;
    if (schema.type === 'number' || schema.type === 'integer') return number;
    return schema.type === 'boolean' ? fc.boolean() : fc.jsonValue();
  }
  return fc.oneof({ weight: 9, arbitrary: shaped() }, { weight: 1, arbitrary: fc.jsonValue() });
}

/** Bodies that no program of ours sends. */
const broken = fc.constantFrom(
  '',
  '{',
  '"text"',
  'null',
  '[]',
  '{"a":1,"a":2}',
  '{"__proto__":{"account":1}}',
  '{"constructor":{"prototype":{"account":1}}}',
  `${'{"content":'.repeat(100)}1${'}'.repeat(100)}`,
  `{"name":"${'x'.repeat(70_000)}"}`,
  '{"name":"\\ud800"}',
  '\uFEFF{}',
);

const bodies = (contract: Call): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 8, arbitrary: nearly(getRequestSchema(contract)).map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: broken },
    { weight: 1, arbitrary: fc.jsonValue().map((value) => JSON.stringify(value)) },
  );

function getQuery(body: string): string {
  try {
    const fields: unknown = JSON.parse(body);
    return new URLSearchParams(
      Object.entries(fields ?? {}).map(([name, value]) => [
        name,
        typeof value === 'string' ? value : JSON.stringify(value),
      ]),
    ).toString();
  } catch {
    return body; // Broken bodies make broken queries.
  }
}

const calls = await listCalls();

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

const isFaultless = ({ status, body }: Answer): boolean =>
  FAULTLESS.includes(status) &&
  typeof body === 'object' &&
  body !== null &&
  'message' in body &&
  typeof body.message === 'string';

type Send = (contract: Call, body: string, headers: Readonly<Record<string, string>>) => Promise<Answer>;

/** Sends bodies alternately over a connection and injected. */
function senderTo({ origin, inject }: TestServer): Send {
  let count = 0;
  return async ({ method, path }, body, headers) => {
    const url = method === 'GET' ? `${path}?${getQuery(body)}` : path;
    const content = method === 'GET' ? {} : { body };
    count += 1;
    if (count % ON_THE_WIRE === 0) {
      const response = await fetch(origin + url, { method, headers, ...content });
      return { status: response.status, body: await response.json() };
    }
    const { host } = new URL(origin);
    const response = await inject({ method, url, headers: { host, ...headers }, ...content });
    return { status: response.statusCode, body: response.json() };
  };
}

/** Sends bodies as a separate account. @throws with the smallest body that caused an internal error. */
async function assail(server: TestServer, contract: Call, name: string): Promise<void> {
  const before = server.log.length;
  const owner = await server.createAccount(name);
  const token = contract.access === 'device' ? await pairComputer(server.origin, owner, 'Laptop') : owner.token;
  const headers = {
    authorization: `Bearer ${token}`,
    ...(contract.method === 'POST' && { 'content-type': 'application/json' }),
  };
  const send = senderTo(server);
  await fc.assert(
    fc.asyncProperty(bodies(contract), async (body) => {
      const answer = await send(contract, body, headers);
      // Asserted only on failure: forty thousand assertions take as long as the requests.
      if (!isFaultless(answer)) expect(answer).toEqual({ status: 'one of a refusal or of success', body: 'a message' });
    }),
    { numRuns: BODIES, seed: SEED },
  );
  // Joined to one text, since a failed test would print a list only by its length.
  const failed = server.log.slice(before).filter((line) => line.includes('http.request.failed'));
  expect(failed.join('\n')).toBe('');
}

// One server for all calls, as starting one takes longer than the requests.
testOnBothDatabases(
  `every call answers ${BODIES} bodies that no client would send without a fault of the server`,
  async ({ databaseUrl }) => {
    await using server = await startServer({ rateLimits: false, databaseUrl });
    const faults: string[] = [];
    for (const [index, contract] of calls.entries())
      await assail(server, contract, `owner${index}`).catch((error: unknown) =>
        // Includes the cause, because the actual error is behind the counterexample.
        faults.push(`${contract.path}: ${inspect(error)}`),
      );
    expect(faults.join('\n')).toBe('');
  },
  { timeout: FUZZ_TIMEOUT_MS },
);
