import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AnswerOf } from '#platform/contract/call.ts';
import type { Client } from '#platform/contract/client.ts';
import { signup } from '#platform/contract/session.ts';
import { accountimport, exportaccount } from '#tools/accounts/contract.ts';
import { findFreePort, startServerProgram } from '../journeys/program.ts';
import { EXPORTED_SONG, packZip, uploadZip } from '../kits/server/accountTransfer.ts';
import { createPatientClient } from '../kits/server/patientClient.ts';
import { TEST_PASSWORD } from '../kits/server/server.ts';
import { getServerProgram } from '../kits/server/serverProgram.ts';
import { readJsonFromZip, readZip } from '../kits/server/zip.ts';
import type { FaultSuite } from './suite.ts';

const KILL_COUNT = 12;
const EVENT_COUNT = 20_000;
const INTERVAL_COUNT = 50_000;
const SONG_COUNT = 300;
const SONG_BYTES = 200_000;
/** Of the whole server with the zip of 60 MB. */
const MAX_MEMORY_MIB = 512;

const TIME = '2026-11-21T12:00:00Z';

function createEvents(): readonly object[] {
  return Array.from({ length: EVENT_COUNT }, (_, index) => ({
    id: index + 1,
    uid: `event ${index}`,
    name: `Event ${index}`,
    description: 'x'.repeat(index % 500),
    date: '2026-11-23',
    endDate: '2026-11-23',
    exceptions: [],
    tags: [],
    created: TIME,
    edited: TIME,
    history: [],
  }));
}
function createIntervals(): readonly object[] {
  const start = Date.parse('2026-01-01T00:00:00Z');
  const formatTime = (seconds: number): string => new Date(start + seconds * 1000).toISOString();
  return Array.from({ length: INTERVAL_COUNT }, (_, index) => ({
    device: 1,
    application: `app ${index % 20}`,
    status: 'on',
    from: formatTime(index * 100),
    until: formatTime(index * 100 + 90),
  }));
}
function createSongs(): readonly object[] {
  return Array.from({ length: SONG_COUNT }, (_, index) => ({
    ...EXPORTED_SONG,
    id: index + 1,
    title: `Song ${index}`,
    size: SONG_BYTES,
  }));
}

/** Creates a zip whose import takes some seconds. */
async function createLargeZip(): Promise<Buffer> {
  const songs = createSongs();
  return packZip({
    'calendar.json': { events: createEvents() },
    'screentime.json': {
      computers: [{ id: 1, name: 'Desk' }],
      applications: Array.from({ length: 20 }, (_, index) => ({ name: `app ${index}`, firstSeen: TIME })),
      stretches: createIntervals(),
    },
    'music.json': { songs },
    ...Object.fromEntries(songs.map((_, index) => [`music/songs/${index + 1}.mp3`, randomBytes(SONG_BYTES)])),
  });
}

type ImportState = AnswerOf<typeof accountimport>;

async function waitForEnd(call: Client): Promise<ImportState> {
  for (;;) {
    const state = await call(accountimport, {});
    if (state.state === 'done' || state.state === 'failed') return state;
    await sleep(100);
  }
}

/** Returns the largest memory that a process has used, in MiB. */
async function readPeakMemoryMib(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Math.ceil(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}

/** Compares the account with the zip. Returns what differs. */
async function findDifferences(call: Client, dataDir: string, state: ImportState): Promise<readonly string[]> {
  const { content } = await call(exportaccount, { password: TEST_PASSWORD });
  const files = readZip(Buffer.from(await content.bytes()));
  const count = (tool: string, field: string): number =>
    (readJsonFromZip(files, `${tool}.json`) as Readonly<Record<string, readonly unknown[]>>)[field]?.length ?? 0;
  const stored = await readdir(join(dataDir, 'music'));
  return Object.entries({
    parts: [state.parts?.filter(({ status }) => status === 'imported' || status === 'skipped').length, 3],
    events: [count('calendar', 'events'), EVENT_COUNT],
    intervals: [count('screentime', 'stretches'), INTERVAL_COUNT],
    songs: [count('music', 'songs'), SONG_COUNT],
    'exported files': [[...files.keys()].filter((path) => path.startsWith('music/songs/')).length, SONG_COUNT],
    'stored files': [stored.filter((name) => name.endsWith('.mp3')).length, SONG_COUNT],
  }).flatMap(([what, [found, expected]]) => (found === expected ? [] : [`${what}: ${found} instead of ${expected}`]));
}

/** Imports a zip on a new server that is killed after a delay; undefined to let it run. */
async function playImport(zip: Buffer, delayMs: number | undefined) {
  const dataDir = await mkdtemp(join(tmpdir(), 'pegboard-'));
  const port = await findFreePort();
  const options = { program: await getServerProgram('main') };
  let token = '';
  const call = createPatientClient({ origin: `http://127.0.0.1:${port}`, token: () => token });
  try {
    await using first = await startServerProgram(dataDir, port, options);
    ({ token } = await call(signup, { username: 'Ada', password: TEST_PASSWORD }));
    await uploadZip({ call }, zip);
    const uploadedAt = performance.now();
    if (delayMs !== undefined) {
      await sleep(delayMs);
      await first.end('SIGKILL');
    }
    await using second = delayMs === undefined ? first : await startServerProgram(dataDir, port, options);
    const state = await waitForEnd(call);
    const durationMs = performance.now() - uploadedAt;
    const memoryMib = await readPeakMemoryMib(second.child.pid);
    const differences = await findDifferences(call, dataDir, state);
    return { differences, durationMs, memoryMib };
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Imports of accounts on a server that is killed meanwhile. */
export const importsSuite: FaultSuite = {
  name: 'imports',
  run: async (say) => {
    const zip = await createLargeZip();
    const { durationMs, memoryMib, differences } = await playImport(zip, undefined);
    say(
      `${(zip.length / 1e6).toFixed(0)} MB in ${(durationMs / 1000).toFixed(1)} s, ${memoryMib} MiB of memory at most`,
    );
    const failures: string[] = [];
    for (let index = 0; index < KILL_COUNT; index += 1) {
      const delayMs = Math.round((durationMs * (index + Math.random())) / KILL_COUNT);
      const killed = await playImport(zip, delayMs);
      if (killed.differences.length > 0) failures.push(`killed after ${delayMs} ms: ${killed.differences.join('; ')}`);
      say(`${index + 1} of ${KILL_COUNT} kills, ${failures.length} failed`);
    }
    return [
      { what: 'import of an account', caseCount: 1, failures: differences },
      {
        what: 'memory of a server that imports',
        caseCount: 1,
        failures: memoryMib > MAX_MEMORY_MIB ? [`${memoryMib} MiB, more than ${MAX_MEMORY_MIB}`] : [],
      },
      { what: 'imports killed at random moments', caseCount: KILL_COUNT, failures },
    ];
  },
};
