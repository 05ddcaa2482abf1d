import * as z from 'zod/mini';
import { Refusal } from '#platform/contract/refusal.ts';
import type { FileChecksum } from '#platform/server/storage/fileStorage.ts';
import {
  assertSpaceFor,
  exportedText,
  exportedTime,
  FILE_TYPES,
  iterateParsed,
  MAX_PICTURE_BYTES,
  readParsed,
  saveImportedFile,
} from '#platform/server/storage/importSource.ts';
import type { AccountImport, ImportSource, ServerContext } from '#platform/server/tool.ts';
import { MAX_PLAYLISTS, MAX_SONGS, MAX_TITLE_LENGTH, MAX_URL_LENGTH } from '../contract/limits.ts';
import { generateSongId } from '../downloads/server/songImporter.ts';
import { SONG_TYPES, type Song } from '../library/domain/song.ts';
import { getPicturePath, getSongPath } from '../library/server/files/songFiles.ts';
import { createMarkStore } from '../library/server/store/markStore.ts';
import { createPlayQueueStore } from '../library/server/store/playQueueStore.ts';
import { createCatalogue } from '../subsonic/server/catalogue.ts';
import type { MusicServices } from './musicServices.ts';

const songId = z.int().check(z.positive());
const title = exportedText(MAX_TITLE_LENGTH);
const optionalTime = z.nullable(exportedTime);
const rating = z.int().check(z.minimum(0), z.maximum(5));
const wholeNumber = z.int().check(z.minimum(0), z.maximum(2 ** 31 - 1));

const exportedSong = z.object({
  id: songId,
  title,
  artist: title,
  album: title,
  artists: z.array(title).check(z.maxLength(100)),
  albumArtist: title,
  isCompilation: z.boolean(),
  track: wholeNumber,
  disc: wholeNumber,
  year: wholeNumber,
  genre: title,
  type: z.enum(SONG_TYPES),
  duration: z.number().check(z.minimum(0), z.maximum(1e7)),
  size: z.int().check(z.minimum(0)),
  colour: z.string().check(z.regex(/^[-#(),.%/ \w]{0,100}$/)),
  hasPicture: z.boolean(),
  gain: z.number(),
  peak: z.number(),
  added: exportedTime,
  plays: wholeNumber,
  played: optionalTime,
  starred: optionalTime,
  rating,
  source: exportedText(MAX_URL_LENGTH).check(z.refine((address) => address === '' || /^https?:\/\//i.test(address))),
  site: exportedText(200),
  isMissing: z.boolean(),
  // Missing in exports of earlier versions.
  siteId: z.optional(exportedText(MAX_URL_LENGTH)),
  written: z.optional(exportedTime),
});
type ExportedSong = z.output<typeof exportedSong>;

const songIds = z.array(songId).check(z.maxLength(MAX_SONGS));
const exportedPlaylist = z.object({ title, songs: songIds, created: exportedTime, changed: exportedTime });
const mark = { name: title, starred: optionalTime, rating };
const exportedMarks = z.object({
  albums: z.array(z.object({ ...mark, artist: title })).check(z.maxLength(MAX_SONGS)),
  artists: z.array(z.object(mark)).check(z.maxLength(MAX_SONGS)),
});

/** Converts an exported song. `file` is its stored file, if the export has it. */
const toSong = (
  { written, played, starred, siteId = '', ...exported }: ExportedSong,
  file: FileChecksum | undefined,
): Omit<Song, 'place'> => ({
  ...exported,
  siteId,
  size: file?.bytes ?? exported.size,
  crc: file?.crc32 ?? 0,
  written: written ?? exported.added,
  played: played ?? undefined,
  starred: starred ?? undefined,
  isMissing: file === undefined,
});

/** Lists stars and ratings by the ids that albums and artists have in the library. */
function listMarks(songs: readonly Song[], exported: z.output<typeof exportedMarks>) {
  const { albumsByName, artistsByName } = createCatalogue(songs);
  const albumIds = new Map(albumsByName.map(({ id, name, artist }) => [`${name}\n${artist.name}`, id]));
  const artistIds = new Map(artistsByName.map(({ id, name }) => [name, id]));
  return [
    ...exported.albums.map(({ artist, ...item }) => ({ ...item, id: albumIds.get(`${item.name}\n${artist}`) })),
    ...exported.artists.map((item) => ({ ...item, id: artistIds.get(item.name) })),
  ].flatMap(({ id, starred, rating: stars }) => (id === undefined ? [] : [{ id, starred, rating: stars }]));
}

/** Creates the import of songs with their files, playlists, stars and ratings, and the play queue. */
export function createMusicImport(
  { database, files, disk, now }: Pick<ServerContext, 'database' | 'files' | 'disk' | 'now'>,
  services: MusicServices,
): AccountImport {
  const { store, library, checkQuota } = services;
  const marks = createMarkStore(database);
  const queues = createPlayQueueStore(database);

  /** Stores the files of a song under its new id. Without a file it is missing, as if its file had been deleted. */
  async function saveSong(id: number, exported: ExportedSong, source: ImportSource): Promise<Omit<Song, 'place'>> {
    const { id: oldId, type } = exported;
    const file = source.findFile(`songs/${oldId}.${type}`);
    const picture = source.findFile(`pictures/${oldId}.webp`);
    if (file) assertSpaceFor(disk, file.bytes);
    if (picture)
      await saveImportedFile(files, picture, {
        name: getPicturePath(id),
        isType: FILE_TYPES.webp,
        maxBytes: MAX_PICTURE_BYTES,
      });
    const saved = file && (await saveImportedFile(files, file, { name: getSongPath({ id, type }) }));
    return { ...toSong(exported, saved), id, hasPicture: picture !== undefined };
  }

  async function saveSongs(account: number, source: ImportSource) {
    const songs: Omit<Song, 'place'>[] = [];
    const newIds = new Map<number, number>();
    let bytes = 0;
    try {
      for await (const exported of iterateParsed(source, 'songs', exportedSong)) {
        if (newIds.has(exported.id))
          throw new Refusal('import.entry_invalid', 'This part is damaged: it has a song twice');
        if (songs.length === MAX_SONGS)
          throw new Refusal('music.library_full', `A library can have at most ${MAX_SONGS} songs`);
        bytes += source.findFile(`songs/${exported.id}.${exported.type}`)?.bytes ?? 0;
        await checkQuota(account, bytes);
        const id = generateSongId();
        newIds.set(exported.id, id);
        songs.push(await saveSong(id, exported, source));
      }
    } catch (error) {
      await services.removeFiles([...newIds.values()]);
      throw error;
    }
    return { songs, newIds };
  }

  /** Writes everything in one transaction. Returns the number of playlists. */
  async function writeLibrary(
    account: number,
    source: ImportSource,
    { songs, newIds }: Awaited<ReturnType<typeof saveSongs>>,
  ): Promise<number> {
    const toNewIds = (ids: readonly number[]): readonly number[] => ids.flatMap((id) => newIds.get(id) ?? []);
    const marked = await readParsed(source, 'marked', exportedMarks);
    const queue: number[] = [];
    for await (const id of iterateParsed(source, 'queue', songId)) {
      queue.push(...toNewIds([id]));
      if (queue.length > MAX_SONGS)
        throw new Refusal('import.entry_invalid', 'This part is damaged: its play queue is too long');
    }
    const playlistCount = await database.transaction(async (work) => {
      const { tx } = work;
      await library.startChange(work, account);
      const stored = await store.songs.insertAll(tx, account, songs);
      let count = 0;
      for await (const playlist of iterateParsed(source, 'playlists', exportedPlaylist)) {
        count += 1;
        if (count > MAX_PLAYLISTS)
          throw new Refusal('music.too_many_playlists', `A library can have at most ${MAX_PLAYLISTS} playlists`);
        await store.playlists.insert(tx, account, { ...playlist, songs: toNewIds(playlist.songs) });
      }
      for (const { id, starred, rating: stars } of marked ? listMarks(stored, marked) : []) {
        await marks.star(tx, account, id, starred ?? undefined);
        if (stars > 0) await marks.rate(tx, account, id, stars);
      }
      return count;
    });
    const savedQueue = { songs: queue, current: undefined, position: 0, changed: now().epochMilliseconds, player: '' };
    if (queue.length > 0) await queues.save(account, savedQueue);
    return playlistCount;
  }

  return {
    isEmpty: async (account) => {
      const { songs, deleted } = await store.songs.countUsedSpace(account);
      return songs === 0 && deleted === 0 && (await store.playlists.list(account)).length === 0;
    },
    run: async (account, source) => {
      const { songs, newIds } = await saveSongs(account, source);
      let playlistCount = 0;
      try {
        playlistCount = await writeLibrary(account, source, { songs, newIds });
      } catch (error) {
        await services.removeFiles([...newIds.values()]);
        throw error;
      }
      const missingCount = songs.filter(({ isMissing }) => isMissing).length;
      return {
        counts: { songs: songs.length, playlists: playlistCount },
        problems: [
          ...(songs.length === 0
            ? []
            : ['Not imported: cookies for downloads. Enter them, and connect apps that play music, again']),
          ...(missingCount === 0 ? [] : [`Songs without a file in the zip are listed as missing: ${missingCount}`]),
        ],
      };
    },
  };
}
