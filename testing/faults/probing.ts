import type { Page } from 'playwright-core';
import type { Call } from '#platform/contract/call.ts';
import { createClient } from '#platform/contract/client.ts';
import { newevent } from '#tools/calendar/contract/events.ts';
import { pages } from '../../apps/server/pages.ts';
import { openPage } from '../bench/tasks.ts';
import { startChromium } from '../kits/browser/chromium.ts';
import { createSample, getRequestSchema, type JsonSchema, listCalls } from '../kits/server/contracts.ts';
import { startPostgres } from '../kits/server/postgres.ts';
import { startServer, type TestServer } from '../kits/server/server.ts';
import { getSkipReason } from '../machine.ts';
import { pairComputer } from '../security/pairComputer.ts';
import type { FaultSuite, SuiteResult } from './suite.ts';

/** Text of another account, which no answer may contain. */
const SECRET = 'zanzibar-of-the-other-account';

/** What injects SQL, shell commands, paths, templates or markup where a program inserts texts unescaped. */
const PAYLOADS = [
  "'",
  '"',
  '`',
  "')",
  "' OR '1'='1",
  "' OR '1'='1' -- ",
  '" OR "1"="1',
  '1 OR 1=1',
  '1) OR (1=1',
  "'; DROP TABLE account; --",
  "' UNION SELECT NULL, name, password FROM account -- ",
  '1 UNION ALL SELECT name FROM sqlite_schema',
  "' AND (SELECT count(*) FROM pg_sleep(9)) > 0 -- ",
  "'||(SELECT randomblob(900000000))||'",
  '%27%20OR%201=1',
  String.raw`\' OR 1=1 -- `,
  '%',
  '_%_',
  '* OR name:*',
  'NEAR(a b)',
  '$(touch /tmp/pegboard-injected)',
  '; sleep 9',
  '| id',
  '../../../../etc/passwd',
  '..%2f..%2f..%2fetc%2fpasswd',
  '{{7*7}}${7*7}',
  '<script>alert(1)</script>',
  '\r\nSet-Cookie: injected=1',
] as const;
/** What only an error of a database, a program or a module says. */
const LEAK =
  /SQLITE_|sqlite error|syntax error|unterminated quoted|pg_|no such (?:table|column)|relation "|node_modules|\.ts:\d+|root:x:0|zanzibar-of/i;
const SLOW_MS = 8000;
const IDLE_TIMEOUT_MS = 5000;

type Path = readonly string[];
const listPaths = (schema: JsonSchema, path: Path = []): readonly Path[] =>
  schema.properties
    ? Object.entries(schema.properties).flatMap(([name, inner]) => listPaths(inner, [...path, name]))
    : [path];

function withValue(request: unknown, [name, ...rest]: Path, value: unknown): unknown {
  return name === undefined
    ? value
    : { ...(request as object), [name]: withValue((request as Record<string, unknown>)[name], rest, value) };
}

interface Probe {
  readonly server: TestServer;
  readonly contract: Call;
  readonly token: string;
}

/** @returns what is wrong with the answer. */
async function probe({ server, contract, token }: Probe, request: unknown): Promise<string | undefined> {
  const { method, path } = contract;
  const headers = {
    authorization: `Bearer ${token}`,
    ...(method === 'POST' && { 'content-type': 'application/json' }),
  };
  const query = Object.entries(request as object).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  const url = method === 'GET' ? `${path}?${new URLSearchParams(query).toString()}` : path;
  const start = performance.now();
  const response = await fetch(server.origin + url, {
    method,
    headers,
    ...(method === 'POST' && { body: JSON.stringify(request) }),
  });
  const text = await response.text();
  const sent = JSON.stringify(request);
  const leak = LEAK.exec(text)?.[0];
  if (response.status >= 500) return `status ${response.status}`;
  if (leak !== undefined && !sent.includes(leak)) return `the answer contains ${leak}`;
  if (response.headers.has('set-cookie') && response.headers.get('set-cookie')?.includes('injected')) return 'a header';
  return performance.now() - start > SLOW_MS ? 'slow' : undefined;
}

async function probeCalls(name: string, databaseUrl?: string): Promise<SuiteResult> {
  await using server = await startServer({ rateLimits: false, databaseUrl });
  const owner = await server.createAccount('owner');
  const other = await server.createAccount('other');
  const ofOther = createClient({ origin: server.origin, token: () => other.token });
  await ofOther(newevent, { data: { id: 0, name: SECRET, date: '2027-01-01' } });
  const device = await pairComputer(server.origin, owner, 'Laptop');
  const failures: string[] = [];
  let caseCount = 0;
  for (const [index, contract] of (await listCalls()).entries()) {
    // Some calls end the session or delete the account.
    const { token } = await server.createAccount(`user${index}`);
    const schema = getRequestSchema(contract);
    const sample = createSample(schema, 'x');
    const cases = listPaths(schema).flatMap((path) => PAYLOADS.map((payload) => ({ path, payload })));
    for (const { path, payload } of cases) {
      const request = withValue(sample, path, payload);
      const wrong = await probe({ server, contract, token: contract.access === 'device' ? device : token }, request);
      if (wrong !== undefined) failures.push(`${contract.path}, ${path.join('.')} = ${payload}: ${wrong}`);
    }
    caseCount += cases.length;
  }
  const faults = server.log.filter((line) => line.includes('http.request.failed'));
  return {
    what: `injected texts in every field of every call (${name})`,
    caseCount,
    failures: [...failures, ...faults],
  };
}

/** Follows every link of a page that leads to this site. */
async function crawl(page: Page, origin: string): Promise<SuiteResult> {
  const failures: string[] = [];
  page.on('pageerror', (error) => failures.push(`${page.url()}: ${error.message}`));
  page.on('response', (response) => {
    if (response.status() >= 500) failures.push(`${response.url()}: ${response.status()}`);
  });
  const queue: string[] = [...pages];
  const seen = new Set(queue);
  for (const path of queue) {
    await page.goto(origin + path, { waitUntil: 'load' }).catch((error: unknown) => {
      // A download is no page.
      if (!/ERR_ABORTED|Download is starting/.test(String(error))) failures.push(`${path}: ${String(error)}`);
    });
    // A page that polls is never idle.
    await page.waitForLoadState('networkidle', { timeout: IDLE_TIMEOUT_MS }).catch(() => undefined);
    const links = await page
      .locator('a[href]')
      .evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).href))
      .catch(() => []);
    for (const link of links) {
      const url = new URL(link);
      const next = url.pathname + url.search;
      if (url.origin !== origin || seen.has(next)) continue;
      seen.add(next);
      queue.push(next);
    }
  }
  return { what: 'pages of a crawler', caseCount: queue.length, failures };
}

async function crawlSite(): Promise<readonly SuiteResult[]> {
  await using server = await startServer({ rateLimits: false });
  const { token } = await server.createAccount('owner');
  const browser = await startChromium();
  try {
    const results: SuiteResult[] = [];
    for (const login of [undefined, { origin: server.origin, token }])
      results.push(await crawl(await openPage(browser, {}, login), server.origin));
    const faults = server.log.filter((line) => line.includes('http.request.failed'));
    return results.map((result, index) =>
      index === 0 ? result : { ...result, failures: [...result.failures, ...faults] },
    );
  } finally {
    await browser.close();
  }
}

/** A crawler, and texts that inject something into programs that insert them unescaped. */
export const probingSuite: FaultSuite = {
  name: 'probing',
  run: async (say) => {
    const results = [await probeCalls('SQLite')];
    const databaseSkipReason = getSkipReason('initdb');
    if (databaseSkipReason === undefined) {
      await using postgres = await startPostgres();
      results.push(await probeCalls('PostgreSQL', await postgres.createDatabase()));
    } else say(databaseSkipReason);
    const browserSkipReason = getSkipReason('chromium');
    if (browserSkipReason !== undefined) say(browserSkipReason);
    else results.push(...(await crawlSite()));
    return results;
  },
};
