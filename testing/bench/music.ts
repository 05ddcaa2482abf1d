import { execFileSync } from 'node:child_process';
import { truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { crc32 } from 'node:zlib';
import Sqlite from 'better-sqlite3';
import type { Database } from '#platform/server/database/database.ts';
import { computeChecksum } from '#platform/server/storage/fileStorage.ts';
import { fillLibrary, createSongFiles, createSongRow } from '#testing/kits/media/songs.ts';
import { downloadticket, starsong, streamaddresses, ytgetdata } from '#tools/music/contract.ts';
import { createMusicStore } from '#tools/music/library/server/store/musicStore.ts';
import { startFilledServer, type FilledServer } from './filledServer.ts';
import {
  formatP50P99,
  percentile,
  getResidentMib,
  measureTimes,
  runBaseline,
  type Bench,
  type BenchFigure,
} from './measure.ts';

const SONGS = 20_000;
const PLAYLISTS = 300;
/** A playlist with files of about 3 minutes each. */
const PLAYLIST_SONGS = 200;
const SONG_BYTES = 2_500_000;
const ROUNDS = 30;
const WARM_UP = 5;
const DOWNLOADS = 7;

const MAX_LIBRARY_MS = 150;
const MIN_SPEED_SHARE = 0.8;
const MAX_GROWTH_MIB = 30;
const MAX_SEEK_MS = 80;

/** Our server with the ids of the songs that have files. */
type MusicServer = FilledServer<readonly number[]>;

/** Creates a library with rows for almost all songs, and files for those of one playlist. Returns their ids. */
async function fillMusic(database: Database, folder: string): Promise<readonly number[]> {
  const ids = await fillLibrary(database, 1, { songs: SONGS - PLAYLIST_SONGS, playlists: PLAYLISTS });
  await createSongFiles(folder, ids);
  const store = createMusicStore(database);
  const playlistSongs: number[] = [];
  for (let index = 0; index < PLAYLIST_SONGS; index += 1) {
    const content = Buffer.alloc(SONG_BYTES, `song ${index} `);
    const song = createSongRow(SONGS + index, { size: SONG_BYTES, crc: crc32(content) });
    await writeFile(join(folder, 'music', `${song.id}.mp3`), content);
    await database.transaction(async ({ tx }) => {
      await store.revisions.increment(tx, 1);
      await store.songs.insert(tx, 1, song);
    });
    playlistSongs.push(song.id);
  }
  return playlistSongs;
}

const TIMED_ROUNDS = { rounds: ROUNDS, warmUp: WARM_UP };

/** Reads all rows and writes them as JSON, without a server; returns milliseconds per run. */
async function measureBaselineTimes(folder: string): Promise<readonly number[]> {
  const file = new Sqlite(join(folder, 'data.db'), { readonly: true });
  const [songs, playlists] = ['music_song', 'music_playlist'].map((table) => file.prepare(`select * from ${table}`));
  try {
    return await measureTimes(
      TIMED_ROUNDS,
      async () => JSON.stringify({ songs: songs?.all(), playlists: playlists?.all() }).length,
    );
  } finally {
    file.close();
  }
}

async function measureLibrary({ server, owner, folder, content: songs }: MusicServer): Promise<BenchFigure> {
  const { token, call } = owner;
  const headers = { authorization: `Bearer ${token}` };
  const request = async (query = '') =>
    (await fetch(`${server.origin}/api/ytgetdata${query}`, { headers })).arrayBuffer();
  const prepare = (round: number) => call(starsong, { id: songs[0] ?? 0, starred: round % 2 === 0 });
  const pegboard = await measureTimes({ ...TIMED_ROUNDS, prepare }, () => request());
  const unchanged = await measureTimes(TIMED_ROUNDS, () => request());
  const { revision } = await call(ytgetdata, {});
  const incremental = await measureTimes({ ...TIMED_ROUNDS, prepare }, () => request(`?known=${revision}`));
  return {
    name: `music: ytgetdata of ${SONGS} songs and ${PLAYLISTS} playlists`,
    target: `under ${MAX_LIBRARY_MS} ms`,
    measured: `${formatP50P99(pegboard)} after a change; ${formatP50P99(unchanged)} again; ${formatP50P99(incremental)} what has changed since`,
    baseline: `${formatP50P99(await measureBaselineTimes(folder))} (select * and JSON.stringify, without a server)`,
    isTargetMet: percentile(pegboard, 0.99) < MAX_LIBRARY_MS,
  };
}

/** Measures bytes per second with curl. */
const measureSpeed = (url: string): number =>
  Number(execFileSync('curl', ['-sS', '-o', '/dev/null', '-w', '%{speed_download}', url], { encoding: 'utf8' }));

const formatSpeed = (bytes: number): string => `${Math.round(bytes / 1e6)} MB/s`;

/** Resumes a download that was cut off after two fifths; returns whether it is complete then. */
async function resumeDownload(url: string, size: number, folder: string): Promise<boolean> {
  const [complete, partial] = [join(folder, 'whole.zip'), join(folder, 'cut.zip')];
  execFileSync('curl', ['-sS', '-o', complete, url]);
  execFileSync('cp', [complete, partial]);
  await truncate(partial, Math.floor(size * 0.4));
  execFileSync('curl', ['-sS', '-C', '-', '-o', partial, url]);
  return isDeepStrictEqual(await computeChecksum(complete), await computeChecksum(partial));
}

async function measureZip({ server, owner, folder, content: songs }: MusicServer): Promise<BenchFigure> {
  const { address, size } = await owner.call(downloadticket, { songs: [...songs] });
  const url = server.origin + address;
  const isResumed = await resumeDownload(url, size, folder);
  await using baselineServer = await runBaseline('static', { FILE: join(folder, 'whole.zip') });
  const memoryBefore = getResidentMib(server.child.pid ?? 0);
  const [pegboard, baseline]: [number[], number[]] = [[], []];
  let maxMemory = memoryBefore;
  for (let round = 0; round < DOWNLOADS; round += 1) {
    baseline.push(measureSpeed(`${baselineServer.origin}/file`));
    pegboard.push(measureSpeed(url));
    maxMemory = Math.max(maxMemory, getResidentMib(server.child.pid ?? 0));
  }
  const share = percentile(pegboard, 0.5) / percentile(baseline, 0.5);
  return {
    name: `music: a playlist of ${PLAYLIST_SONGS} songs (${Math.round(size / 1e6)} MB) as a zip`,
    target: `at least ${MIN_SPEED_SHARE} of @fastify/static; memory grows under ${MAX_GROWTH_MIB} MiB; taken up by curl -C -`,
    measured: `${formatSpeed(percentile(pegboard, 0.5))} (${share.toFixed(2)}); grew ${(maxMemory - memoryBefore).toFixed(0)} MiB; ${isResumed ? 'taken up, equal' : 'not taken up'}`,
    baseline: `${formatSpeed(percentile(baseline, 0.5))} (@fastify/static, one file of that size)`,
    isTargetMet: share >= MIN_SPEED_SHARE && maxMemory - memoryBefore < MAX_GROWTH_MIB && isResumed,
  };
}

/** Measures milliseconds from requesting a position in a song to its first bytes. */
async function measureSeekTimes(url: string): Promise<readonly number[]> {
  return measureTimes(TIMED_ROUNDS, async (round) => {
    const from = ((round + 1) * 104_729) % (SONG_BYTES - 70_000);
    const response = await fetch(url, { headers: { range: `bytes=${from}-` } });
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
  });
}

async function measureSeek({ server, owner, folder, content: songs }: MusicServer): Promise<BenchFigure> {
  const id = songs[7] ?? 0;
  const { addresses } = await owner.call(streamaddresses, { songs: [id] });
  const pegboard = await measureSeekTimes(server.origin + (addresses[String(id)] ?? ''));
  await using baselineServer = await runBaseline('static', { FILE: join(folder, 'music', `${id}.mp3`) });
  return {
    name: 'music: seek in a stream to its first bytes',
    target: `under ${MAX_SEEK_MS} ms`,
    measured: formatP50P99(pegboard),
    baseline: `${formatP50P99(await measureSeekTimes(`${baselineServer.origin}/file`))} (@fastify/static)`,
    isTargetMet: percentile(pegboard, 0.99) < MAX_SEEK_MS,
  };
}

/** The library, the zip and the music streams. */
export const musicBench: Bench = {
  name: 'music',
  run: async () => {
    await using server = await startFilledServer({ fill: fillMusic });
    return [await measureLibrary(server), await measureZip(server), await measureSeek(server)];
  },
};
