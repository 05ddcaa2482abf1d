import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, ftruncateSync, openSync, statSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import * as z from 'zod/mini';
import { call } from '#platform/contract/call.ts';
import { createClient } from '#platform/contract/client.ts';
import { log } from '#platform/contract/session.ts';
import type { Database } from '#platform/server/database/database.ts';
import { DISK_FULL_MESSAGE } from '#platform/server/storage/diskFullError.ts';
import { handle, type ServerTool } from '#platform/server/tool.ts';
import { exportaccount } from '#tools/accounts/contract.ts';
import { deletepaste, mypastes, pasteraw } from '#tools/paste/contract.ts';
import { serverTools } from '../../apps/server/tools.ts';
import { startServer, TEST_PASSWORD, type TestAccount, type TestServer } from '../kits/server/server.ts';
import { readZip } from '../kits/server/zip.ts';
import { postRaw } from '../security/postRaw.ts';

const MIB = 1024 * 1024;
const DISK_MIB = 64;
const RESERVE_BYTES = 16 * MIB;
const WRITER_COUNT = 8;
/** Refusals after which a writer stops. */
const REFUSALS_PER_WRITER = 25;
const LOGIN_COUNT = 20;
const TEXT_CHARACTERS = 20_000;
const PAGE_BYTES = 4096;
const RECOVERY_TIMEOUT_MS = 20_000;

/** Something that limits how much a server can store. */
export interface DiskLimit {
  readonly id: string;
  readonly name: string;
  /** Whether the file system itself is full, so that the reserve file matters. */
  readonly hasReserve: boolean;
  readonly mount: (folder: string) => boolean;
  readonly unmount: (folder: string) => void;
  readonly fill: (folder: string, database: Database, freeBytes: number) => Promise<void>;
  readonly freeSpace: (folder: string, database: Database) => Promise<void>;
}

const isDone = (program: string, ...args: readonly string[]): boolean => spawnSync(program, args).status === 0;

/** Space for some hundred writes. */
const FIRST_FREE_BYTES = 4 * MIB;
/** Less in later rounds, as the database never shrinks. */
const LATER_FREE_BYTES = MIB / 4;

/** A file system of 64 MiB, where root may mount one. */
export const tmpfs: DiskLimit = {
  id: 'tmpfs',
  name: `a disk of ${DISK_MIB} MiB`,
  hasReserve: true,
  mount: (folder) => isDone('mount', '-t', 'tmpfs', '-o', `size=${DISK_MIB}m,mode=0700`, 'pegboard-test', folder),
  unmount: (folder) => void isDone('umount', folder),
  fill: async (folder, _database, freeBytes) => {
    const file = openSync(join(folder, 'filler'), 'w');
    const chunk = Buffer.alloc(MIB, 1);
    let writtenBytes = 0;
    try {
      for (;;) writtenBytes += writeSync(file, chunk);
    } catch (error) {
      if (!String(error).includes('ENOSPC')) throw error;
      ftruncateSync(file, writtenBytes - freeBytes);
    } finally {
      closeSync(file);
    }
  },
  freeSpace: (folder) => rm(join(folder, 'filler')),
};

/** Where mounting is not allowed, the database itself is limited. */
export const fewPages: DiskLimit = {
  id: 'pages',
  name: 'a database of few pages',
  hasReserve: false,
  mount: () => true,
  unmount: () => undefined,
  fill: async (_folder, { db }, freeBytes) => {
    const { rows } = await sql<{ count: number }>`select page_count as count from pragma_page_count`.execute(db);
    await sql`pragma max_page_count = ${sql.lit((rows[0]?.count ?? 0) + freeBytes / PAGE_BYTES)}`.execute(db);
  },
  freeSpace: async (_folder, { db }) => void (await sql`pragma max_page_count = 1073741823`.execute(db)),
};

/** Returns the limits that this user may set. */
export async function listDiskLimits(): Promise<readonly DiskLimit[]> {
  const folder = await mkdtemp(join(tmpdir(), 'pegboard-'));
  const canMount = tmpfs.mount(folder);
  if (canMount) tmpfs.unmount(folder);
  await rm(folder, { recursive: true });
  return canMount ? [tmpfs, fewPages] : [fewPages];
}

/** Stores a text in two tables. */
export const storePair = call({
  route: 'POST /api/test/pair',
  access: 'anyone',
  summary: 'Stores a text in two tables.',
  request: z.object({ text: z.string() }),
});

/** A tool that stores texts in two tables in one transaction, so that a half-finished write would be noticed. */
export function createPairTool() {
  const started: { database?: Database } = {};
  const getDatabase = (): Database => started.database ?? fail('the tool was not started');
  const tool: ServerTool = {
    name: 'pair',
    migrations: [
      {
        name: '001-tables',
        up: async (db) => {
          for (const table of ['pair_left', 'pair_right'])
            await db.schema
              .createTable(table)
              .addColumn('text', 'text', (column) => column.notNull())
              .execute();
        },
      },
    ],
    start: ({ database }) => {
      started.database = database;
      const run = ({ text }: { readonly text: string }) =>
        database.transaction(async ({ tx }) => {
          await sql`insert into pair_left values (${text})`.execute(tx);
          await sql`insert into pair_right values (${text})`.execute(tx);
          return {};
        });
      return { calls: [handle(storePair, run)] };
    },
  };
  async function listTexts(table: 'pair_left' | 'pair_right'): Promise<ReadonlySet<string>> {
    const { rows } = await sql<{ text: string }>`select text from ${sql.table(table)}`.execute(getDatabase().db);
    return new Set(rows.map(({ text }) => text));
  }
  return {
    tool,
    getDatabase,
    /** Counts acknowledged texts that are missing, and texts that only one table has. */
    countFaults: async (acknowledged: readonly string[]) => {
      const [left, right] = [await listTexts('pair_left'), await listTexts('pair_right')];
      return {
        lost: acknowledged.filter((text) => !left.has(text) || !right.has(text)).length,
        torn: [...left, ...right].filter((text) => left.has(text) !== right.has(text)).length,
      };
    },
  };
}

function fail(reason: string): never {
  throw new Error(reason);
}

async function waitFor(what: string, isReady: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + RECOVERY_TIMEOUT_MS;
  while (!(await isReady())) {
    if (performance.now() > deadline) fail(`waited ${RECOVERY_TIMEOUT_MS} ms until ${what}`);
    await sleep(50);
  }
}

/** Stores texts, and records what was acknowledged and what was refused. */
function createWriter({ origin }: TestServer, { token }: TestAccount) {
  const pastes = new Map<string, string>();
  const pairs = new Set<string>();
  let count = 0;
  let refusalCount = 0;

  /** Returns the answer, or undefined if it was refused. Any other answer than the refusal fails the test. */
  async function send(path: `/api/${string}`, body: object): Promise<Readonly<Record<string, unknown>> | undefined> {
    const { status, answer } = await postRaw(origin, path, body);
    if (status === 200 && answer['message'] === 'ok') return answer;
    const expected = JSON.stringify({ message: DISK_FULL_MESSAGE, code: 'disk.full' });
    if (status !== 507 || JSON.stringify(answer) !== expected) fail(`answered ${status} ${JSON.stringify(answer)}`);
    refusalCount += 1;
    return undefined;
  }
  async function write(): Promise<boolean> {
    count += 1;
    const text = `${count} ${'x'.repeat(TEXT_CHARACTERS)}`;
    if (count % 4 === 0) {
      const answer = await send('/api/test/pair', { text });
      if (answer) pairs.add(text);
      return answer !== undefined;
    }
    const answer = await send('/api/paste', { token, inputValue: text });
    if (answer) pastes.set(String(answer['code']), text);
    return answer !== undefined;
  }
  async function writeUntilRefused(): Promise<void> {
    for (let refusals = 0; refusals < REFUSALS_PER_WRITER;) if (!(await write())) refusals += 1;
  }
  return {
    pastes,
    pairs,
    write,
    getRefusalCount: () => refusalCount,
    fillUp: () => Promise.all(Array.from({ length: WRITER_COUNT }, writeUntilRefused)),
  };
}

/** Numbers of one run. */
export interface FullDiskFigures {
  readonly acknowledged: number;
  readonly refused: number;
  readonly lost: number;
  readonly logins: number;
}

/** Counts acknowledged texts that are not stored completely. */
async function countLost(
  { call: callServer }: Pick<TestAccount, 'call'>,
  { pastes, pairs }: ReturnType<typeof createWriter>,
  { countFaults }: ReturnType<typeof createPairTool>,
): Promise<number> {
  const { lost, torn } = await countFaults([...pairs]);
  let lostCount = lost + torn;
  for (const [code, text] of pastes) {
    const { content } = await callServer(pasteraw, { code });
    if ((await content.text()) !== text) lostCount += 1;
  }
  return lostCount;
}

const getReserveBytes = (dataDir: string): number =>
  existsSync(join(dataDir, 'reserve')) ? statSync(join(dataDir, 'reserve')).size : 0;

/** Logs in, as the person who wants to free space does, and exports all data. */
async function logInAndExport({ call: callServer }: TestServer, account: TestAccount): Promise<number> {
  for (let count = 0; count < LOGIN_COUNT; count += 1)
    await callServer(log, { username: account.name, password: TEST_PASSWORD });
  const { content } = await account.call(exportaccount, { password: TEST_PASSWORD });
  if (!readZip(await content.bytes()).has('paste.json')) fail('the export has no pastes');
  return LOGIN_COUNT;
}

/** While the reserve is in use, logging in works at any moment. */
async function useReserve(server: TestServer, owner: TestAccount): Promise<number> {
  if (getReserveBytes(server.dataDir) > 0) fail('the reserve was not released');
  return logInAndExport(server, owner);
}

/** Fills the disk under a running server several times, frees space each time, and counts what was lost. */
export async function playFullDisk(limit: DiskLimit, roundCount: number): Promise<FullDiskFigures> {
  const dataDir = await mkdtemp(join(tmpdir(), 'pegboard-'));
  if (!limit.mount(dataDir)) fail(`${limit.name} cannot be mounted`);
  const pairTool = createPairTool();
  const options = {
    dataDir,
    rateLimits: false,
    tools: [...serverTools, pairTool.tool],
    disk: { reserveBytes: limit.hasReserve ? RESERVE_BYTES : 0 },
  };
  const figures = { acknowledged: 0, refused: 0, lost: 0, logins: 0 };
  let running: TestServer | undefined;
  try {
    const server = await startServer(options);
    running = server;
    const owner = await server.createAccount('Ada');
    const writer = createWriter(server, owner);
    for (let round = 0; round < roundCount; round += 1) {
      if (limit.hasReserve) await waitFor('the reserve exists', () => getReserveBytes(dataDir) === RESERVE_BYTES);
      await limit.fill(dataDir, pairTool.getDatabase(), round === 0 ? FIRST_FREE_BYTES : LATER_FREE_BYTES);
      const countBefore = writer.pastes.size + writer.pairs.size;
      await writer.fillUp();
      figures.acknowledged += writer.pastes.size + writer.pairs.size - countBefore;
      if (limit.hasReserve) figures.logins += await useReserve(server, owner);
      const { pieces } = await owner.call(mypastes, {});
      if (pieces.length === 0) fail('reading does not work on a full disk');

      for (const code of [...writer.pastes.keys()].slice(0, Math.ceil(writer.pastes.size / 2))) {
        await owner.call(deletepaste, { code });
        writer.pastes.delete(code);
      }
      figures.logins += await logInAndExport(server, owner);
      await limit.freeSpace(dataDir, pairTool.getDatabase());
      await waitFor('writing works again', writer.write);
      figures.lost += await countLost(owner, writer, pairTool);
    }
    figures.refused = writer.getRefusalCount();
    running = undefined;
    await server[Symbol.asyncDispose]();

    // The start also checks the database for damage.
    const restartedServer = await startServer(options);
    running = restartedServer;
    const { token } = await restartedServer.call(log, { username: owner.name, password: TEST_PASSWORD });
    const client = createClient({ origin: restartedServer.origin, token: () => token });
    figures.lost += await countLost({ call: client }, writer, pairTool);
    return figures;
  } finally {
    await running?.[Symbol.asyncDispose]();
    limit.unmount(dataDir);
    await rm(dataDir, { recursive: true });
  }
}
