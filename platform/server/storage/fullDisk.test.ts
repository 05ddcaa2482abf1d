import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { call } from '#platform/contract/call.ts';
import { browserHello } from '#platform/contract/device.ts';
import { log } from '#platform/contract/session.ts';
import { createSample, getRequestSchema, listCalls } from '#testing/kits/server/contracts.ts';
import { testOnPostgres, testOnSqlite } from '#testing/kits/server/database.ts';
import { createManualTimers } from '#testing/kits/server/manualTimers.ts';
import { startServer, TEST_PASSWORD } from '#testing/kits/server/server.ts';
import { openSocket } from '#testing/kits/server/socket.ts';
import { postRaw } from '#testing/security/postRaw.ts';
import { openSqlite } from '../database/sqlite.ts';
import { createLogger } from '../operations/logger.ts';
import { handle, type ServerTool } from '../tool.ts';
import { DISK_FULL_MESSAGE } from './diskFullError.ts';

const REFUSAL = { message: DISK_FULL_MESSAGE, code: 'disk.full' };

/** Starts a server with one account, and then takes all space but that of the reserve. */
async function startFullServer() {
  const timers = createManualTimers();
  const reserveBytes = 1024;
  let free = 10 * 1024 ** 3;
  const disk = { read: async () => free, reserveBytes, timers };
  const server = await startServer({ rateLimits: false, disk, databaseUrl: undefined }); // PostgreSQL has its own disk
  const ada = await server.createAccount('Ada');
  const reservePath = join(server.dataDir, 'reserve');
  await expect.poll(() => existsSync(reservePath)).toBe(true);
  const isLogged = (event: string) => () => server.log.some((line) => line.includes(`"${event}"`));
  async function setFree(bytes: number, event: string): Promise<void> {
    free = bytes;
    timers.advance(30_000);
    await expect.poll(isLogged(event)).toBe(true);
  }
  // As a write that finds no space does.
  rmSync(reservePath);
  await setFree(0, 'disk.full');
  return { server, ada, setFree };
}

const isReading = (summary: string): boolean => /^(Returns|Lists|Finds|Searches)\b(?!.*changes)/.test(summary);

test('on a full disk reading and logging in works, writing is refused with a sentence, and nothing is a fault', async () => {
  const { server, setFree } = await startFullServer();
  await using _ = server;
  const refused: string[] = [];
  for (const { access, method, path, summary, ...contract } of await listCalls()) {
    if (access === 'device' || path === '/api/aiq') continue;
    const { token } = await server.call(log, { username: 'Ada', password: TEST_PASSWORD });
    const request = createSample(getRequestSchema({ access, method, path, summary, ...contract }), 'Europe/Berlin');
    const url = new URL(server.origin + path);
    for (const [name, value] of method === 'GET' ? Object.entries(request as object) : [])
      url.searchParams.set(name, String(value));
    const response = await fetch(url, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: method === 'GET' ? null : JSON.stringify(request),
    });
    const text = await response.text();
    expect({ path, isFault: response.status === 500 }).toEqual({ path, isFault: false });
    if (response.status !== 507) continue;
    expect(JSON.parse(text)).toEqual(REFUSAL);
    refused.push(path);
    expect({ path, isReading: isReading(summary) }).toEqual({ path, isReading: false });
  }
  expect(refused).toContain('/api/createplaylist');
  const { token } = await server.call(log, { username: 'Ada', password: TEST_PASSWORD });
  const playlist = { token, title: 'Songs', contains: [] };
  expect((await postRaw(server.origin, '/api/createplaylist', playlist)).status).toBe(507);
  await setFree(10 * 1024 ** 3, 'disk.full.ended');
  expect(await postRaw(server.origin, '/api/createplaylist', playlist)).toMatchObject({ status: 200 });
});

test('a socket event that finds no space is refused with the same sentence', async () => {
  const { server, ada } = await startFullServer();
  await using _ = server;
  await using socket = await openSocket(server, { token: ada.token });
  await expect(socket.request(browserHello, { key: 'k'.repeat(20) })).rejects.toMatchObject(REFUSAL);
});

const fail = call({ route: 'POST /api/test/fail', summary: 'Fails.', access: 'anyone' });

const createFailingTool = (getError: () => unknown): ServerTool => ({
  name: 'failing',
  migrations: [],
  start: () => ({
    calls: [
      handle(fail, async () => {
        throw getError();
      }),
    ],
  }),
});

test('no space for a file is the same refusal, also if the error was wrapped', async () => {
  let error = new Error('other');
  await using server = await startServer({ tools: [createFailingTool(() => error)] });
  const getAnswer = async () => {
    const { status, answer } = await postRaw(server.origin, '/api/test/fail', {});
    return { status, answer };
  };
  expect(await getAnswer()).toMatchObject({ status: 500, answer: { id: expect.any(String) } });
  for (const code of ['ENOSPC', 'EDQUOT']) {
    error = new Error('failed', { cause: Object.assign(new Error('no space'), { code }) });
    expect(await getAnswer()).toEqual({ status: 507, answer: REFUSAL });
  }
});

testOnPostgres('a full disk of PostgreSQL is the same refusal', async ({ open }) => {
  await using database = await open();
  const raise = sql`do $$ begin raise exception using errcode = '53100', message = 'could not extend file'; end $$`;
  const error = await raise.execute(database.db).catch((cause: unknown) => cause);
  await using server = await startServer({ tools: [createFailingTool(() => error)] });
  const { status, answer } = await postRaw(server.origin, '/api/test/fail', {});
  expect({ status, answer }).toEqual({ status: 507, answer: REFUSAL });
});

testOnSqlite('a write that found no space is repeated if the reserve made some', async ({ dataDir }) => {
  let hasReserve = true;
  // Takes effect before the repeated write, as writes run in order.
  function releaseReserve(): boolean {
    if (!hasReserve) return false;
    hasReserve = false;
    void sql`pragma max_page_count = 400`.execute(database.db);
    return true;
  }
  await using database = await openSqlite({
    dataDir,
    log: createLogger({ level: 'silent' }),
    onFatal: () => undefined,
    disk: { releaseReserve },
  });
  const { db } = database;
  await sql`create table t (text text)`.execute(db);
  await sql`pragma max_page_count = 100`.execute(db);
  const text = 'x'.repeat(3000);
  let storedCount = 0;
  const writeAll = async (): Promise<void> => {
    for (; storedCount < 1000; storedCount += 1)
      if (storedCount % 2 === 0) await sql`insert into t values (${text})`.execute(db);
      else await database.transaction(({ tx }) => sql`insert into t values (${text})`.execute(tx));
  };
  await expect(writeAll()).rejects.toMatchObject({ code: 'SQLITE_FULL' });
  expect(hasReserve).toBe(false);
  expect(storedCount).toBeGreaterThan(300);
  expect((await sql`select count(*) as count from t`.execute(db)).rows).toEqual([{ count: storedCount }]);
});
