import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { fillLibrary, createSongFiles } from '#testing/kits/media/songs.ts';
import { startPostgres } from '#testing/kits/server/postgres.ts';
import { getSkipReason } from '#testing/machine.ts';
import { makeapppassword } from '#tools/accounts/contract.ts';
import { startFilledServer } from './filledServer.ts';
import { formatMs, percentile, measureTimes, type Bench, type BenchFigure } from './measure.ts';

const SONGS = 20_000;
const PLAYLISTS = 300;
const ROUNDS = 200;
const WARM_UP = 20;

/**
 * Queries: typed letter by letter, in every song, in few, in none;
 * and the empty query with which players load the library.
 */
const QUERIES = ['song', 'son', 'artist 5', 'album 31', 'song 1999', 'ist', '9', 'nowhere at all', ''] as const;

const p95 = (samples: readonly number[]): string => `p95 ${formatMs(percentile(samples, 0.95))}`;

/** The simplest program: it searches every row. */
function measureLikeQueries(folder: string): readonly number[] {
  const file = new Sqlite(join(folder, 'data.db'), { readonly: true });
  try {
    const statement = file.prepare(`select * from music_song where account = 1 and gone is null
      and (title like ? or artist like ? or album like ?) order by title limit 20`);
    return Array.from({ length: ROUNDS }, (_, round) => {
      const pattern = `%${QUERIES[round % QUERIES.length] ?? ''}%`;
      const startedAt = performance.now();
      statement.all(pattern, pattern, pattern);
      return performance.now() - startedAt;
    });
  } finally {
    file.close();
  }
}

async function measure(name: string, databaseUrl: string | undefined): Promise<readonly BenchFigure[]> {
  await using filledServer = await startFilledServer({
    databaseUrl,
    fill: async (database, folder) =>
      createSongFiles(folder, await fillLibrary(database, 1, { songs: SONGS, playlists: PLAYLISTS })),
  });
  const { server, owner, folder } = filledServer;
  const { password } = await owner.call(makeapppassword, { name: 'Player', kind: 'music' });
  async function search(query: string): Promise<void> {
    const parameters = new URLSearchParams({ apiKey: password, f: 'json', query });
    const response = await (await fetch(`${server.origin}/rest/search3?${parameters.toString()}`)).text();
    if (!response.includes('"status":"ok"')) throw new Error(response.slice(0, 300));
  }
  const [first = Number.NaN] = await measureTimes({ rounds: 1 }, () => search('song'));
  const times = await measureTimes({ rounds: ROUNDS, warmUp: WARM_UP }, (round) =>
    search(QUERIES[round % QUERIES.length] ?? ''),
  );
  return [
    {
      name: `subsonic: search3 over ${SONGS.toLocaleString('en')} songs (${name})`,
      target: 'p95 under 20 ms',
      measured: p95(times),
      baseline:
        databaseUrl === undefined
          ? `${p95(measureLikeQueries(folder))} (SQLite's LIKE over the same rows, nothing sent)`
          : 'the same',
      isTargetMet: percentile(times, 0.95) < 20,
    },
    {
      name: `subsonic: the first search after a change, ${SONGS.toLocaleString('en')} songs (${name})`,
      target: 'under 500 ms',
      measured: formatMs(first),
      baseline: 'none: a look into the rows knows of no change',
      isTargetMet: first < 500,
    },
  ];
}

export const subsonicBench: Bench = {
  name: 'subsonic',
  run: async () => {
    const figures = [...(await measure('SQLite', undefined))];
    if (getSkipReason('initdb') === undefined) {
      await using postgres = await startPostgres();
      figures.push(...(await measure('PostgreSQL', await postgres.createDatabase())));
    }
    return figures;
  },
};
