import { execFileSync } from 'node:child_process';
import { link, mkdir, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Database } from '#platform/server/database/database.ts';
import type { ServerContext, StartedServerTool, ServerTool } from '#platform/server/tool.ts';
import { createSeededRandom } from '#testing/kits/random.ts';
import type { NewSong, Song } from '#tools/music/library/domain/song.ts';
import { createLibrary } from '#tools/music/library/server/library.ts';
import { createMusicStore } from '#tools/music/library/server/store/musicStore.ts';
import type { ServerOptions } from '../../../apps/server/assemble.ts';
import { serverTools } from '../../../apps/server/tools.ts';
import { getSharedFolder } from '../server/globalSetup.ts';
import { startServer, type TestServer } from '../server/server.ts';

/** Creates bytes that are not audio, for tests that don't play them: the same for the same seed. */
export function createNoise(seed: number, size: number): Buffer {
  const { nextInt } = createSeededRandom(seed);
  return Buffer.from(Array.from({ length: size }, () => nextInt(256)));
}

const TONE_SECONDS = 3;

const writeTone = (path: string, hertz: number, seconds: number): void =>
  void execFileSync(
    'ffmpeg',
    `-nostdin -v error -f lavfi -i sine=frequency=${hertz}:duration=${seconds} -c:a libmp3lame -q:a 9 -y`
      .split(' ')
      .concat(path),
  );

/** Creates a real mp3 of one tone with ffmpeg, once per run. */
export async function createTone(hertz = 440, seconds = TONE_SECONDS): Promise<Buffer> {
  const name = `tone-${hertz}-${seconds}.mp3`;
  const made = await getSharedFolder(name, async (into) => writeTone(join(into, name), hertz, seconds));
  if (made !== undefined) return readFile(join(made, name));
  const folder = await mkdtemp(join(tmpdir(), 'pegboard-tone-'));
  try {
    writeTone(join(folder, name), hertz, seconds);
    return await readFile(join(folder, name));
  } finally {
    await rm(folder, { recursive: true });
  }
}

const FIRST_DAY = Date.UTC(2026, 0, 1);
const ID_FLOOR = 2 ** 51;

/** Creates a row of the library with defaults for missing fields: the first one has number 1. */
export function createSongRow(number: number, fields: Partial<NewSong> = {}): NewSong {
  return {
    id: ID_FLOOR + number * 7919,
    title: `Song ${number}`,
    artist: `Artist ${number % 97}`,
    album: `Album ${number % 311}`,
    artists: [],
    albumArtist: '',
    isCompilation: false,
    track: 0,
    disc: 0,
    year: 0,
    genre: '',
    type: 'mp3',
    duration: 120 + (number % 240),
    size: 0,
    crc: 0,
    colour: '#5a5a5a',
    hasPicture: false,
    gain: -6,
    peak: 0.9,
    added: FIRST_DAY + number * 60_000,
    written: FIRST_DAY + number * 60_000,
    source: `https://videos.example/watch?v=${number}`,
    site: 'Example',
    siteId: String(number),
    ...fields,
  };
}

export interface SongSpec extends Partial<NewSong> {
  /** Content of the file; a little noise by default. */
  readonly content?: Uint8Array;
  /** `image/webp`. */
  readonly picture?: Uint8Array;
}

export interface MusicServer extends TestServer {
  readonly database: Database;
  /** Adds songs with their files to an account's library, in order. */
  readonly addSongs: (owner: string, specs: readonly SongSpec[]) => Promise<readonly Song[]>;
  /** Runs the nightly cleanup of the music tool. */
  readonly runNightlyCleanup: () => Promise<void>;
  /** Returns the absolute path of a song's file. */
  readonly getSongPath: (song: Pick<Song, 'id' | 'type'>) => string;
}

const NOISE_BYTES = 2000;

/**
 * Starts the whole server for music tests.
 * Use: `await using server = await startMusicServer(); await server.addSongs('ann', [{ title: 'One' }])`.
 */
export async function startMusicServer(options: Partial<ServerOptions> = {}): Promise<MusicServer> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'pegboard-')));
  let context: ServerContext | undefined;
  let parts: StartedServerTool | undefined;
  const spiedOn = (tool: ServerTool): ServerTool => ({
    ...tool,
    start: (given, site) => {
      context = given;
      parts = tool.start(given, site);
      return parts;
    },
  });
  const tools = serverTools.map((tool) => (tool.name === 'music' ? spiedOn(tool) : tool));
  const server = await startServer({ ...options, dataDir, tools });
  if (!context) throw new Error('the server carries no music');
  const { database, identity, files } = context;
  const library = createLibrary(context, createMusicStore(database));
  const folder = join(dataDir, 'music');
  let made = 0;

  async function addFile(name: string, content: Uint8Array): Promise<void> {
    const path = join(dataDir, 'added');
    await writeFile(path, content);
    await files.importFile(path, name);
  }
  async function addSong(account: number, { content, picture, ...fields }: SongSpec): Promise<Song> {
    made += 1;
    // The file has the size in the row, because the scan after the start marks other files as missing.
    const bytes = content ?? createNoise(made, fields.size ?? NOISE_BYTES);
    const fresh = createSongRow(made, {
      size: bytes.length,
      crc: crc32(bytes),
      hasPicture: picture !== undefined,
      ...fields,
    });
    await addFile(`music/${fresh.id}.${fresh.type}`, bytes);
    if (picture) await addFile(`music/${fresh.id}.webp`, picture);
    return database.transaction((work) => library.addSong(work, account, fresh));
  }

  return {
    ...server,
    database,
    runNightlyCleanup: async () => parts?.nightly?.(),
    getSongPath: ({ id, type }) => join(folder, `${id}.${type}`),
    addSongs: async (owner, specs) => {
      const account = await identity.findAccountByName(owner);
      if (!account) throw new Error(`there is no account ${owner}`);
      const songs: Song[] = [];
      for (const spec of specs) songs.push(await addSong(account.id, spec));
      return songs;
    },
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      if (options.dataDir === undefined) await rm(dataDir, { recursive: true });
    },
  };
}

const BATCH_SIZE = 500;
const FILLED_BYTES = 4_000_000;

/** Fills a large library without calls, for benchmarks: rows of songs, and playlists of every fourth to tenth song. */
export async function fillLibrary(
  database: Database,
  account: number,
  {
    songs,
    playlists,
    listed = 100,
    first: offset = 0,
  }: {
    readonly songs: number;
    readonly playlists: number;
    readonly listed?: number;
    /** Added to the numbers of the songs, so that several accounts can have a library. */
    readonly first?: number;
  },
): Promise<readonly number[]> {
  const store = createMusicStore(database);
  const ids: number[] = [];
  for (let first = 1; first <= songs; first += BATCH_SIZE)
    await database.transaction(async ({ tx }) => {
      await store.revisions.increment(tx, account);
      for (let number = first; number < Math.min(first + BATCH_SIZE, songs + 1); number += 1)
        ids.push((await store.songs.insert(tx, account, createSongRow(offset + number, { size: FILLED_BYTES }))).id);
    });
  await database.transaction(async ({ tx }) => {
    await store.revisions.increment(tx, account);
    for (let number = 0; number < playlists; number += 1) {
      const chosen = Array.from({ length: listed }, (_, at) => ids[(number * 131 + at * 17) % ids.length] ?? 0);
      await store.playlists.insert(tx, account, {
        title: `Playlist ${number}`,
        songs: [...new Set(chosen)],
        created: FIRST_DAY,
        changed: FIRST_DAY,
      });
    }
  });
  return ids;
}

/** Creates files for the songs of a filled library, so that none is missing: one file with hard links. */
export async function createSongFiles(dataDir: string, songs: readonly number[]): Promise<void> {
  const folder = join(dataDir, 'music');
  await mkdir(folder, { recursive: true });
  const sound = join(dataDir, 'sound');
  await writeFile(sound, '');
  await truncate(sound, FILLED_BYTES);
  await Promise.all(songs.map((song) => link(sound, join(folder, `${song}.mp3`))));
  await rm(sound);
}
