import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { RangedFile, RequestOf } from '#platform/contract/call.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { splitIntoChunks } from '#platform/server/database/columns.ts';
import { createRangedFile } from '#platform/server/http/rangedParts.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import type { sendsongplaylist } from '#tools/music/contract.ts';
import { MEDIA_TYPES, type Song } from '../../domain/song.ts';
import { formatM3u, formatFileName, formatNumberedNames } from '../../domain/songFileNames.ts';
import { computeZipLayout } from '../../domain/zipLayout.ts';
import { type Library, parsePlaylistId } from '../library.ts';
import type { MusicStore } from '../store/musicStore.ts';
import type { Ticket } from '../store/ticketStore.ts';
import {
  LIST_LINK,
  getSongPurpose,
  getStreamPath,
  type SignedLinks,
  PAGE_LINK,
  getTicketPath,
  getTicketPurpose,
} from './signedLinks.ts';
import type { SongFiles } from './songFiles.ts';

const PLAYLIST_FILE_NAME = 'playlist.m3u8';

/**
 * Creates a zip of songs and a playlist file, generated while it is read. The same songs always result in the same
 * bytes.
 */
export function createSongsZip(songs: readonly Song[], files: Pick<SongFiles, 'createBytePart'>): RangedFile {
  const names = formatNumberedNames(songs);
  const list = Buffer.from(formatM3u(songs.map((song, index) => ({ ...song, location: names[index] ?? '' }))));
  const { parts, directory } = computeZipLayout([
    ...songs.map(({ size, crc, written }, index) => ({ name: names[index] ?? '', size, crc, modified: written })),
    {
      name: PLAYLIST_FILE_NAME,
      size: list.length,
      crc: crc32(list),
      modified: Math.max(0, ...songs.map(({ written }) => written)),
    },
  ]);
  const contents = [...songs.map(files.createBytePart), { bytes: list }];
  const tag = createHash('sha256').update(directory).digest('base64url').slice(0, 22);
  return createRangedFile(
    parts.flatMap((part) => (typeof part === 'number' ? (contents[part] ?? []) : { bytes: part })),
    tag,
  );
}

/** The songs of a request, and how they are sent. */
export interface SendRequest {
  readonly kind: 'song' | 'zip' | 'm3u';
  /** Without an extension. */
  readonly title: string;
  /** In order. Their files exist. */
  readonly songs: readonly Song[];
  /** Whether the browser should play it instead of saving it. */
  readonly isInline: boolean;
}

type SongRequest = RequestOf<typeof sendsongplaylist>;

const SEVERAL_SONGS_TITLE = 'Songs';

async function findSongs(library: Library, account: number, { songs, playlist }: SongRequest) {
  const id = parsePlaylistId(playlist);
  // Some clients send an empty list beside a playlist: the playlist counts.
  if (songs && (songs.length > 0 || id === undefined)) {
    const requestedSongs = await library.getSongs(account, songs);
    return {
      title: requestedSongs.length === 1 ? (requestedSongs[0]?.title ?? SEVERAL_SONGS_TITLE) : SEVERAL_SONGS_TITLE,
      songs: requestedSongs,
      isPlaylist: false,
    };
  }
  if (id === undefined) throw new Refusal('music.songs_missing', 'Choose songs or a playlist');
  return { ...(await library.getPlaylist(account, id)), isPlaylist: true };
}

function getKind(
  request: SongRequest,
  { count, isPlaylist }: { readonly count: number; readonly isPlaylist: boolean },
) {
  const { justsendm3u: isList = false, Iwanttostream: isStream = false } = request;
  if (isList) return { kind: 'm3u', isInline: false } as const;
  if (isStream) return { kind: count === 1 ? 'song' : 'm3u', isInline: true } as const;
  return { kind: count === 1 && !isPlaylist ? 'song' : 'zip', isInline: false } as const;
}

/**
 * Interprets a request: `songs` take precedence over `playlist`, a playlist file over a stream.
 * Songs without a file are skipped. @throws Refusal
 */
export async function toSendRequest(library: Library, account: number, request: SongRequest): Promise<SendRequest> {
  const { title, songs, isPlaylist } = await findSongs(library, account, request);
  if (songs.length === 0)
    throw new Refusal(
      isPlaylist ? 'music.playlist_empty' : 'music.nothing_chosen',
      isPlaylist ? 'This playlist has no songs' : 'Choose a song first',
    );
  const availableSongs = songs.filter(({ isMissing }) => !isMissing);
  if (availableSongs.length === 0)
    throw new Refusal(
      'music.file_missing',
      songs.length === 1 ? 'The file is missing. Download it again' : 'The files are missing. Download them again',
    );
  return { title, songs: availableSongs, ...getKind(request, { count: songs.length, isPlaylist }) };
}

const TICKET_ID_PATTERN = /^[\w-]{22}$/;

interface TicketsDeps extends Pick<ServerContext, 'database'> {
  readonly store: MusicStore;
  readonly links: SignedLinks;
}

/**
 * Creates addresses of downloads. Their content is stored, so that browsers can pause and resume them without the page.
 */
export function createTickets({ database, store, links }: TicketsDeps) {
  return {
    /** Returns an address that expires together with the pages' links. */
    issue: async (account: number, { kind, title, songs }: SendRequest): Promise<string> => {
      const id = randomBytes(16).toString('base64url');
      const { until, formatQuery } = await links.createQueryFormatter(account, PAGE_LINK);
      const ticket: Ticket = {
        id,
        account,
        kind,
        title,
        songs: songs.map((song) => song.id),
        until: until.epochMilliseconds,
      };
      await database.transaction(({ tx }) => store.tickets.insert(tx, ticket));
      return `${getTicketPath(id)}${formatQuery(getTicketPurpose(id))}`;
    },
    /** Returns the content of an address; undefined if it is wrong, expired or revoked. */
    redeem: async (id: string, query: URLSearchParams): Promise<Ticket | undefined> => {
      const ticket = TICKET_ID_PATTERN.test(id) ? await store.tickets.find(id) : undefined;
      if (!ticket || !(await links.verify(ticket.account, getTicketPurpose(id), query))) return undefined;
      return ticket;
    },
  };
}

export type Tickets = ReturnType<typeof createTickets>;

/** A file as calls and endpoints send it. */
export interface FileToSend {
  readonly type: string;
  readonly name: string;
  readonly isInline: boolean;
  readonly content: string | RangedFile;
}

interface FileSenderDeps {
  readonly files: SongFiles;
  readonly links: SignedLinks;
  /** Path below which this site is served. */
  readonly basePath: string;
  /** Waits until pending tags are written into files. */
  readonly waitForTags: (songs: readonly number[]) => Promise<void>;
  readonly reloadSongs: (account: number, songs: readonly Song[]) => Promise<readonly Song[]>;
  /** Reports missing files. */
  readonly onMissing: (account: number, songs: readonly number[]) => Promise<void>;
}

/** The account, and the origin under which it reached the server. */
interface RequestOrigin {
  readonly account: number;
  readonly origin: string;
}

const BATCH_SIZE = 64;

/** Creates the function that prepares songs as a file, a zip or a playlist file. */
export function createFileSender({ files, links, basePath, waitForTags, reloadSongs, onMissing }: FileSenderDeps) {
  /** Returns the songs whose files exist. @throws Refusal if there is none. */
  async function findComplete(account: number, requested: readonly Song[]): Promise<readonly Song[]> {
    await waitForTags(requested.map(({ id }) => id));
    const songs = await reloadSongs(account, requested);
    const available: Song[] = [];
    const missingIds: number[] = [];
    for (const batch of splitIntoChunks(songs, BATCH_SIZE)) {
      const existsByIndex = await Promise.all(batch.map(files.exists));
      for (const [index, song] of batch.entries())
        if (existsByIndex[index] === true) available.push(song);
        else missingIds.push(song.id);
    }
    if (missingIds.length > 0) await onMissing(account, missingIds);
    if (available.length === 0) throw new Refusal('music.file_missing', 'The file is missing. Download it again');
    return available;
  }

  async function formatPlaylistFile(songs: readonly Song[], { account, origin }: RequestOrigin): Promise<string> {
    const { formatQuery } = await links.createQueryFormatter(account, LIST_LINK);
    return formatM3u(
      songs.map((song) => ({
        ...song,
        location: `${origin}${basePath}${getStreamPath(song.id)}${formatQuery(getSongPurpose(song.id))}`,
      })),
    );
  }

  /** @throws Refusal if all files are missing. */
  return async ({ kind, title, songs, isInline }: SendRequest, origin: RequestOrigin): Promise<FileToSend> => {
    const name = formatFileName(title);
    if (kind === 'm3u')
      return {
        type: 'audio/x-mpegurl',
        name: `${name}.m3u8`,
        isInline,
        content: await formatPlaylistFile(songs, origin),
      };
    const completeSongs = await findComplete(origin.account, songs);
    const [first] = completeSongs;
    if (kind === 'song' && first)
      return {
        type: MEDIA_TYPES[first.type],
        name: `${formatFileName(first.title)}.${first.type}`,
        isInline,
        content: files.openRanged(first),
      };
    return { type: 'application/zip', name: `${name}.zip`, isInline, content: createSongsZip(completeSongs, files) };
  };
}

export type FileSender = ReturnType<typeof createFileSender>;
