import { EgressRefusal, type Egress } from '#platform/server/egress/egress.ts';
import { JobFailure } from '#platform/server/jobs/jobQueue.ts';
import { FIRST_OF_LINK } from '../../contract/limits.ts';
import { EMPTY_LIST, ofStatus } from '../domain/failure.ts';
import { keyOfLink, linkIn } from '../domain/link.ts';
import { readList } from '../domain/plainList.ts';
import { siteOf } from '../domain/ytdlpProgress.ts';
import { failing, probe, type DownloadRequest, type Downloader, type Entry } from './ytdlp.ts';

const LIST_BYTES = 1024 * 1024;
const REACHED_LATER = ['unreached', 'answer'];

/** A song of a list, with an address that can be asked. */
export interface ListedSong {
  readonly url: string;
  /** By which it is found again. */
  readonly key: string;
  readonly title: string;
  readonly site: string;
  readonly siteId: string;
}

/** A list of songs, as much of it as is taken. */
export interface SongList {
  readonly title: string;
  readonly songs: readonly ListedSong[];
  /** There are more than those that are looked at. */
  readonly isCut: boolean;
  /** How many there are in all; undefined where that is not known. */
  readonly of: number | undefined;
}

const listedOf = ({ title, url, extractor, id }: Entry): readonly ListedSong[] => {
  const link = linkIn(url);
  return link ? [{ url: link.href, key: keyOfLink(link), title, ...siteOf(extractor, id) }] : [];
};

/** The first ones, each once. @throws JobFailure where there is none */
const taken = (title: string, entries: readonly Entry[], count: number | undefined): SongList => {
  const songs = new Map<string, ListedSong>();
  for (const song of entries.slice(0, FIRST_OF_LINK).flatMap(listedOf))
    if (!songs.has(song.key)) songs.set(song.key, song);
  if (songs.size === 0) throw failing(EMPTY_LIST);
  return { title, songs: [...songs.values()], isCut: (count ?? entries.length) > FIRST_OF_LINK, of: count };
};

/** A plain list of addresses, read by ourselves: yt-dlp takes one for a stream in parts. Undefined where it is none. @throws JobFailure */
export const plainListAt = async (egress: Egress, url: string): Promise<SongList | undefined> => {
  try {
    const answer = await egress.fetch(url, { maxBytes: LIST_BYTES, isOfWeb: true });
    if (answer.status !== 200) throw failing(ofStatus(answer.status));
    const found = readList(Buffer.from(answer.body).toString('utf8'), url);
    if (found === undefined) return undefined;
    const entries = found.map((each) => ({ ...each, extractor: '', id: '' }));
    return taken('', entries, found.length);
  } catch (cause) {
    if (!(cause instanceof EgressRefusal)) throw cause;
    if (cause.fault === 'inner') throw new JobFailure('final', 'This address leads into a private network', { cause });
    throw new JobFailure(REACHED_LATER.includes(cause.fault) ? 'again' : 'final', cause.message, { cause });
  }
};

/** The list that a link leads to; undefined where it leads to a single song. @throws JobFailure */
export const listAt = async (downloader: Downloader, asked: DownloadRequest): Promise<SongList | undefined> => {
  const { isList, title, entries, count } = await probe(downloader, asked);
  return isList ? taken(title, entries, count) : undefined;
};
