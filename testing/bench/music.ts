import { execFileSync } from 'node:child_process';
import { truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { crc32 } from 'node:zlib';
import Sqlite from 'better-sqlite3';
import { pino } from 'pino';
import { createClient, type Client } from '#platform/contract/client.ts';
import { openDatabase } from '#platform/server/database/openDatabase.ts';
import { computeChecksum } from '#platform/server/storage/fileStorage.ts';
import { fillLibrary, createSongFiles, createSongRow } from '#testing/kits/media/songs.ts';
import { downloadticket, starsong, streamaddresses, ytgetdata } from '#tools/music/contract.ts';
import { createMusicStore } from '#tools/music/library/server/store/musicStore.ts';
import { signUpOwner } from './account.ts';
import {
  formatP50P99,
  percentile,
  getResidentMib,
  runServer,
  createScratchFolder,
  createServerProgram,
  type Bench,
  type BenchFigure,
  type RunningServer,
} from './measure.ts';

const SONGS = 20_000;
const PLAYLISTS = 300;
/** A playlist with files of about 3 minutes each. */
const ZIPPED = 200;
const SONG_BYTES = 2_500_000;
const ROUNDS = 30;
const WARM_UP = 5;
const DOWNLOADS = 7;

const LIBRARY_MS = 150;
const MIN_SHARE = 0.8;
const MAX_GROWTH_MB = 30;
const SEEK_MS = 80;

interface SongPosition {
  readonly folder: string;
  readonly token: string;
  /** Ids of the songs that have files. */
  readonly zipped: readonly number[];
}

/** Creates a library with rows for almost all songs, and files for those of one playlist. */
async function fill(folder: string): Promise<Omit<SongPosition, 'folder'>> {
  let token: string;
  {
    await using server = await runServer(createServerProgram(folder, undefined));
    ({ token } = await signUpOwner(server.origin));
  }
  const log = pino({ level: 'silent' });
  await using database = await openDatabase({ dataDir: folder, databaseUrl: undefined, log });
  await createSongFiles(folder, await fillLibrary(database, 1, { songs: SONGS - ZIPPED, playlists: PLAYLISTS }));
  const store = createMusicStore(database);
  const zipped: number[] = [];
  for (let at = 0; at < ZIPPED; at += 1) {
    const content = Buffer.alloc(SONG_BYTES, `song ${at} `);
    const song = createSongRow(SONGS + at, { size: SONG_BYTES, crc: crc32(content) });
    await writeFile(join(folder, 'music', `${song.id}.mp3`), content);
    await database.transaction(async ({ tx }) => {
      await store.revisions.increment(tx, 1);
      await store.songs.insert(tx, 1, song);
    });
    zipped.push(song.id);
  }
  return { token, zipped };
}

async function listTimes(
  work: () => Promise<unknown>,
  before: (round: number) => Promise<unknown> = async () => undefined,
): Promise<readonly number[]> {
  const times: number[] = [];
  for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
    await before(round);
    const startedAt = performance.now();
    await work();
    if (round >= WARM_UP) times.push(performance.now() - startedAt);
  }
  return times;
}

/** Reads all rows and writes them as JSON, without a server. */
async function naiveTimes(folder: string): Promise<readonly number[]> {
  const file = new Sqlite(join(folder, 'data.db'), { readonly: true });
  const [songs, lists] = ['music_song', 'music_playlist'].map((table) => file.prepare(`select * from ${table}`));
  try {
    return await listTimes(async () => JSON.stringify({ songs: songs?.all(), lists: lists?.all() }).length);
  } finally {
    file.close();
  }
}

async function libraryFigure(
  { origin }: RunningServer,
  call: Client,
  { token, folder, zipped }: SongPosition,
): Promise<BenchFigure> {
  const headers = { authorization: `Bearer ${token}` };
  const ask = async (query = '') => (await fetch(`${origin}/api/ytgetdata${query}`, { headers })).arrayBuffer();
  const change = (round: number) => call(starsong, { id: zipped[0] ?? 0, starred: round % 2 === 0 });
  const ours = await listTimes(() => ask(), change);
  const again = await listTimes(() => ask());
  const { revision } = await call(ytgetdata, {});
  const since = await listTimes(() => ask(`?known=${revision}`), change);
  return {
    what: `music: ytgetdata of ${SONGS} songs and ${PLAYLISTS} playlists`,
    target: `under ${LIBRARY_MS} ms`,
    ours: `${formatP50P99(ours)} after a change; ${formatP50P99(again)} again; ${formatP50P99(since)} what has changed since`,
    peer: `${formatP50P99(await naiveTimes(folder))} (select * and JSON.stringify, without a server)`,
    isReached: percentile(ours, 0.99) < LIBRARY_MS,
  };
}

/** Measures bytes per second with curl. */
const measureSpeed = (url: string): number =>
  Number(execFileSync('curl', ['-sS', '-o', '/dev/null', '-w', '%{speed_download}', url], { encoding: 'utf8' }));

const inMb = (bytes: number): string => `${Math.round(bytes / 1e6)} MB/s`;

/** Resumes a download that was cut off after two fifths; returns whether it is complete then. */
async function resumes(url: string, size: number, folder: string): Promise<boolean> {
  const [whole, cut] = [join(folder, 'whole.zip'), join(folder, 'cut.zip')];
  execFileSync('curl', ['-sS', '-o', whole, url]);
  execFileSync('cp', [whole, cut]);
  await truncate(cut, Math.floor(size * 0.4));
  execFileSync('curl', ['-sS', '-C', '-', '-o', cut, url]);
  return isDeepStrictEqual(await computeChecksum(whole), await computeChecksum(cut));
}

async function zipFigure(server: RunningServer, call: Client, { zipped, folder }: SongPosition): Promise<BenchFigure> {
  const { address, size } = await call(downloadticket, { songs: [...zipped] });
  const url = server.origin + address;
  const isResumed = await resumes(url, size, folder);
  await using peer = await runServer({
    args: ['testing/bench/peers/static.ts'],
    env: { FILE: join(folder, 'whole.zip') },
    ready: '/',
  });
  const before = getResidentMib(server);
  const [ours, theirs]: [number[], number[]] = [[], []];
  let max = before;
  for (let round = 0; round < DOWNLOADS; round += 1) {
    theirs.push(measureSpeed(`${peer.origin}/file`));
    ours.push(measureSpeed(url));
    max = Math.max(max, getResidentMib(server));
  }
  const share = percentile(ours, 0.5) / percentile(theirs, 0.5);
  return {
    what: `music: a playlist of ${ZIPPED} songs (${Math.round(size / 1e6)} MB) as a zip`,
    target: `at least ${MIN_SHARE} of @fastify/static; memory grows under ${MAX_GROWTH_MB} MB; taken up by curl -C -`,
    ours: `${inMb(percentile(ours, 0.5))} (${share.toFixed(2)}); grew ${(max - before).toFixed(0)} MiB; ${isResumed ? 'taken up, equal' : 'not taken up'}`,
    peer: `${inMb(percentile(theirs, 0.5))} (@fastify/static, one file of that size)`,
    isReached: share >= MIN_SHARE && max - before < MAX_GROWTH_MB && isResumed,
  };
}

/** Measures from requesting a position in a song to its first bytes. */
async function seekTimes(url: string): Promise<readonly number[]> {
  let round = 0;
  return listTimes(async () => {
    round += 1;
    const from = (round * 104_729) % (SONG_BYTES - 70_000);
    const answer = await fetch(url, { headers: { range: `bytes=${from}-` } });
    const reader = answer.body?.getReader();
    await reader?.read();
    await reader?.cancel();
  });
}

async function seekFigure(
  { origin }: RunningServer,
  call: Client,
  { zipped, folder }: SongPosition,
): Promise<BenchFigure> {
  const id = zipped[7] ?? 0;
  const { addresses } = await call(streamaddresses, { songs: [id] });
  const ours = await seekTimes(origin + (addresses[String(id)] ?? ''));
  await using peer = await runServer({
    args: ['testing/bench/peers/static.ts'],
    env: { FILE: join(folder, 'music', `${id}.mp3`) },
    ready: '/',
  });
  return {
    what: 'music: seek in a stream to its first bytes',
    target: `under ${SEEK_MS} ms`,
    ours: formatP50P99(ours),
    peer: `${formatP50P99(await seekTimes(`${peer.origin}/file`))} (@fastify/static)`,
    isReached: percentile(ours, 0.99) < SEEK_MS,
  };
}

/** The library, the zip and the music streams. */
export const musicBench: Bench = {
  name: 'music',
  run: async () => {
    await using scratch = await createScratchFolder();
    const folder = scratch.path;
    const place = { folder, ...(await fill(folder)) };
    await using server = await runServer(createServerProgram(folder, undefined));
    const call = createClient({ origin: server.origin, token: () => place.token });
    return [
      await libraryFigure(server, call, place),
      await zipFigure(server, call, place),
      await seekFigure(server, call, place),
    ];
  },
};
