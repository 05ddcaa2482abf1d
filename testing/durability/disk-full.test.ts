import { spawnSync } from 'node:child_process';
import { closeSync, ftruncateSync, mkdirSync, openSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { call } from '#platform/contract/call.ts';
import type { Database } from '#platform/server/database/database.ts';
import { handle, type ServerTool } from '#platform/server/tool.ts';
import { createManualTimers } from '../kits/server/manualTimers.ts';
import { startServer } from '../kits/server/server.ts';
import { postRaw } from '../security/postRaw.ts';

const DISK_MIB = 96; // The reserve of 32, the same again, and some space to fill.
const MAX_WRITES = 5000;
const MIB = 1024 * 1024;
const TEXT = 'x'.repeat(2000);

const answer = z.object({ count: z.int(), halves: z.int() });
const common = { access: 'anyone', summary: 'Of this test.' } as const;
const keep = call({ ...common, route: 'POST /api/test/keep', request: z.object({ text: z.string() }) });
const drop = call({ ...common, route: 'POST /api/test/drop' });
const look = call({ ...common, route: 'POST /api/test/look', answer });

/** Stores each text in two tables in one transaction, so that a half-finished write would be noticed. */
function createNotes() {
  const started: { database?: Database } = {};
  const tool: ServerTool = {
    name: 'notes',
    migrations: [
      {
        name: '001-tables',
        up: async (db) => {
          for (const table of ['notes_left', 'notes_right'])
            await db.schema
              .createTable(table)
              .addColumn('text', 'text', (column) => column.notNull())
              .execute();
        },
      },
    ],
    start: ({ database }) => {
      started.database = database;
      return {
        calls: [
          handle(keep, async ({ text }) => {
            await database.transaction(async ({ tx }) => {
              await sql`insert into notes_left values (${text})`.execute(tx);
              await sql`insert into notes_right values (${text})`.execute(tx);
            });
            return {};
          }),
          handle(drop, async () => {
            await database.transaction(async ({ tx }) => {
              await sql`delete from notes_left`.execute(tx);
              await sql`delete from notes_right`.execute(tx);
            });
            return {};
          }),
          handle(look, async () => {
            const { rows } = await sql<{ count: number; right: number }>`
              select (select count(*) from notes_left) as count, (select count(*) from notes_right) as right
            `.execute(database.db);
            return { count: rows[0]?.count ?? -1, halves: (rows[0]?.count ?? 0) - (rows[0]?.right ?? 0) };
          }),
        ],
      };
    },
  };
  return { tool, started };
}

interface DiskLimit {
  readonly id: string;
  readonly name: string;
  readonly mount: (folder: string) => boolean;
  readonly unmount: (folder: string) => void;
  readonly fill: (folder: string, database: Database) => Promise<void>;
  readonly freeSpace: (folder: string, database: Database) => Promise<void>;
}

const isDone = (program: string, ...args: readonly string[]): boolean => spawnSync(program, args).status === 0;

const tmpfs: DiskLimit = {
  id: 'tmpfs',
  name: `a disk of ${DISK_MIB} MiB`,
  mount: (folder) => isDone('mount', '-t', 'tmpfs', '-o', `size=${DISK_MIB}m,mode=0700`, 'pegboard-test', folder),
  unmount: (folder) => void isDone('umount', folder),
  fill: async (folder) => {
    const file = openSync(join(folder, 'filler'), 'w');
    const chunk = Buffer.alloc(MIB, 1);
    let writtenBytes = 0;
    try {
      for (;;) writtenBytes += writeSync(file, chunk);
    } catch (error) {
      if (!String(error).includes('ENOSPC')) throw error;
      ftruncateSync(file, writtenBytes - 4 * MIB); // Space for some hundred writes before the disk is full.
    } finally {
      closeSync(file);
    }
  },
  freeSpace: (folder) => rm(join(folder, 'filler')),
};
/** Where mounting is not allowed, the database itself is limited. */
const fewPages: DiskLimit = {
  id: 'pages',
  name: 'a database of few pages',
  mount: () => true,
  unmount: () => undefined,
  fill: async (_folder, { db }) => void (await sql`pragma max_page_count = 400`.execute(db)),
  freeSpace: async (_folder, { db }) => void (await sql`pragma max_page_count = 1073741823`.execute(db)),
};

const mayMount = await (async (): Promise<boolean> => {
  const folder = await mkdtemp(join(tmpdir(), 'pegboard-'));
  const may = tmpfs.mount(folder);
  if (may) tmpfs.unmount(folder);
  await rm(folder, { recursive: true });
  return may;
})();

/** Fills the disk under a running server, and continues there. Leaves 200 texts. */
async function fillUp(place: DiskLimit, dataDir: string): Promise<void> {
  const timers = createManualTimers();
  const notes = createNotes();
  const reserve = () => statSync(join(dataDir, 'reserve'), { throwIfNoEntry: false })?.size;
  await using server = await startServer({ dataDir, rateLimits: false, tools: [notes.tool], disk: { timers } });
  const { database } = notes.started;
  if (!database) throw new Error('the tool was not started');
  await expect.poll(reserve).toBe(32 * MIB);
  await server.call(keep, { text: TEXT });
  await place.fill(dataDir, database);

  const send = () => postRaw(server.origin, '/api/test/keep', { text: TEXT });
  let noteCount = 1;
  let full = await send();
  for (; full.status === 200 && noteCount < MAX_WRITES; full = await send()) noteCount += 1;
  expect(full).toMatchObject({ status: 500, answer: { message: 'server error', id: expect.any(String) } });
  expect(server.log.find((line) => line.includes(String(full.answer['id'])))).toContain('SQLITE_FULL');
  expect(reserve()).toBe(undefined);
  expect(await server.call(look, {})).toEqual({ count: noteCount, halves: 0 });

  await server.call(drop, {});
  expect(await server.call(look, {})).toEqual({ count: 0, halves: 0 });
  for (let index = 0; index < 200; index += 1) await server.call(keep, { text: TEXT });
  expect(await server.call(look, {})).toEqual({ count: 200, halves: 0 });

  await place.freeSpace(dataDir, database);
  timers.advance(30_000);
  await expect.poll(reserve).toBe(32 * MIB);
  const { rows } = await sql`pragma quick_check`.execute(database.db);
  expect(rows).toEqual([{ quick_check: 'ok' }]);
  mkdirSync('reports', { recursive: true });
  const figures = { place: place.name, acknowledged: noteCount, lost: 0, keptAfterwards: 200 };
  writeFileSync(`reports/durability-disk-full-${place.id}.json`, `${JSON.stringify(figures)}\n`);
}

test.each(mayMount ? [tmpfs, fewPages] : [fewPages])(
  'on a full disk on $name no acknowledged write is lost, deleting works, and then writing, without a restart',
  async (place) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'pegboard-'));
    expect(place.mount(dataDir)).toBe(true);
    try {
      await fillUp(place, dataDir);
      await using server = await startServer({ dataDir, tools: [createNotes().tool] });
      expect(await server.call(look, {})).toEqual({ count: 200, halves: 0 });
    } finally {
      place.unmount(dataDir);
      await rm(dataDir, { recursive: true });
    }
  },
);
