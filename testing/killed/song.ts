// A server that processes songs, to be killed: `song.ts <data folder> <a song> <where to stop>`. Prints `<stage> <job>`
// before each stage, and `done <job>`; it stops in the named stage, such as `placed 4`.
import { appendFile, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import * as z from 'zod/mini';
import { migrate } from '#platform/server/database/migrate.ts';
import { openDatabase } from '#platform/server/database/openDatabase.ts';
import { identityMigrations } from '#platform/server/identity/migrations.ts';
import { createJobQueue } from '#platform/server/jobs/createJobQueue.ts';
import { defineJobKind } from '#platform/server/jobs/jobQueue.ts';
import { jobMigrations } from '#platform/server/jobs/jobStore.ts';
import { createProcessRunner } from '#platform/server/programs/processRunner.ts';
import { createFileStorage } from '#platform/server/storage/fileStorage.ts';
import { createMedia } from '../../apps/server/assemble.ts';

type Tables = {
  account: { id?: number; name: string; folded: string; password: string; is_owner: number; created: number };
  song: { id: number; bytes: number };
};

const [, , dataDir = '', source = '', stopAt = ''] = process.argv;
/** Longer than a program takes to start. */
const INTO_STAGE_MS = 50;
const log = pino({ level: 'error' }, process.stderr);
const database = await openDatabase({ dataDir, log });
await migrate(database, [
  { name: 'identity', migrations: identityMigrations },
  { name: 'job', migrations: jobMigrations },
  {
    name: 'song',
    migrations: [
      {
        name: '001-songs',
        up: async (to) => {
          await to.schema.createTable('song').addColumn('id', 'integer').addColumn('bytes', 'integer').execute();
        },
      },
    ],
  },
]);
const db = database.db.$extendTables<Tables>();
const files = createFileStorage(dataDir);
const processRunner = createProcessRunner({ log });
const media = createMedia(processRunner);
const standStill = (): void => void process.kill(process.pid, 'SIGSTOP');
function print(stage: string, job: number): void {
  const line = `${stage} ${job}`;
  // Writing to a pipe is synchronous.
  process.stdout.write(`${line}\n`);
  if (line !== stopAt) return;
  // After `placed`, the commit follows immediately; every other stage runs a program, which should have started.
  if (stage === 'placed') standStill();
  else setTimeout(standStill, INTO_STAGE_MS);
}

/** Appends what is missing, like yt-dlp when it resumes a download. */
async function fetchSong(folder: string): Promise<void> {
  const part = join(folder, 'media.mp3.part');
  const whole = await readFile(source);
  const there = await stat(part).then(
    ({ size }) => size,
    () => 0,
  );
  if (there === 0) await appendFile(part, whole.subarray(0, 1000));
  await processRunner.run({
    program: 'sleep',
    args: ['0.2'],
    folder,
    limits: { timeoutMs: 5000, maxCpuSeconds: 5, maxFileBytes: 1000 },
  });
  await appendFile(part, whole.subarray(there === 0 ? 1000 : there));
  await rename(part, join(folder, 'media.mp3'));
}

const jobs = createJobQueue({
  database,
  files,
  log,
  now: Temporal.Now.instant,
  disk: { measureFreeBytes: async () => Infinity, canStoreLargeFiles: () => true },
});
await jobs.start([
  defineJobKind({
    name: 'song',
    input: z.object({}),
    onChange: ({ state, id }) => print(state, id),
    run: async ({ job, folder, signal }) => {
      print('fetch', job.id);
      if (!(await stat(join(folder, 'media.mp3')).catch(() => undefined))) await fetchSong(folder);
      print('check', job.id);
      const song = await media.processSong({
        folder,
        signal,
        name: 'media.mp3',
        tags: {},
        fallbackTitle: 'song',
        onStep: (step) => print(`behind-${step}`, job.id),
      });
      const name = `music/${job.id}.mp3`;
      await files.importFile(join(folder, song.name), name);
      print('placed', job.id);
      return {
        save: async ({ tx }) => {
          await tx.$extendTables<Tables>().insertInto('song').values({ id: job.id, bytes: song.bytes }).execute();
          return job.id;
        },
        undo: () => files.remove(name),
      };
    },
  }),
]);
if ((await db.selectFrom('account').select('id').executeTakeFirst()) === undefined)
  await db
    .insertInto('account')
    .values({ name: 'ann', folded: 'ann', password: '', is_owner: 1, created: 0 })
    .execute();
process.stdin.on('data', () => {
  void database.transaction((work) => jobs.add(work, [{ account: 1, kind: 'song', input: {}, title: 'A song' }]));
});
print('ready', 0);
