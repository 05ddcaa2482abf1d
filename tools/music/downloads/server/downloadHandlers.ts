import { Refusal } from '#platform/contract/refusal.ts';
import { replaceUnstorable } from '#platform/contract/text.ts';
import type { UnitOfWork } from '#platform/server/database/database.ts';
import { lockAccount } from '#platform/server/identity/accountStore.ts';
import type { Job, JobQueue } from '#platform/server/jobs/jobQueue.ts';
import type { MediaPrograms } from '#platform/server/programs/mediaPrograms.ts';
import type { Room } from '#platform/server/realtime/realtime.ts';
import {
  type Connection,
  handle,
  listen,
  type ServerContext,
  type Handler,
  type Listener,
} from '#platform/server/tool.ts';
import {
  ALL_SONGS,
  changedownload,
  downloads,
  pollDownloadProgress,
  ytdownload,
  removecookies,
  setcookies,
  setytdlpupdates,
  updateytdlp,
} from '../../contract.ts';
import { MAX_LINKS, MAX_OPEN_JOBS } from '../../contract/limits.ts';
import { parsePlaylistId, createUnknownPlaylistRefusal } from '../../library/server/library.ts';
import type { MusicServices } from '../../server/musicServices.ts';
import { InvalidCookiesError, parseCookies, listSiteNames } from '../domain/cookies.ts';
import { getLinkKey, parseLink, findLinks, NOT_AN_ADDRESS, formatLinkTitle } from '../domain/link.ts';
import type { CookieStore } from './cookieStore.ts';
import { type PollState, getJobStatus, type DownloadNotifier } from './downloadNotifier.ts';
import { KINDS, SONG, type SongInput } from './jobInput.ts';
import type { Uploads } from './uploads.ts';

/** Lists the sites for which an account has cookies, without the cookies themselves. */
export async function listCookieSites(cookies: CookieStore, account: number): Promise<readonly string[]> {
  return listSiteNames((await cookies.get(account))?.cookies ?? []);
}

/** Creates the handlers of the calls for cookies. */
export function createCookieHandlers({ now }: Pick<ServerContext, 'now'>, cookies: CookieStore): readonly Handler[] {
  return [
    handle(setcookies, async ({ text }, { account }) => {
      const storableText = replaceUnstorable(text);
      try {
        parseCookies(storableText);
      } catch (error) {
        if (error instanceof InvalidCookiesError) throw new Refusal('music.cookies_invalid', error.message);
        throw error;
      }
      await cookies.set(account, storableText, now().epochMilliseconds);
      return { sites: [...(await listCookieSites(cookies, account))] };
    }),
    handle(removecookies, async (_request, { account }) => {
      await cookies.remove(account);
    }),
  ];
}

/** Creates the handlers with which the owner manages yt-dlp. */
export function createYtdlpHandlers({
  identity,
  ytdlpUpdates,
}: Pick<ServerContext, 'identity' | 'ytdlpUpdates'>): readonly Handler[] {
  async function assertOwner(account: number): Promise<void> {
    if (!(await identity.findAccount(account))?.isOwner)
      throw new Refusal('account.owner_only', 'Only the owner of this server can update yt-dlp');
  }
  return [
    handle(updateytdlp, async (_request, { account }) => {
      await assertOwner(account);
      return ytdlpUpdates.update();
    }),
    handle(setytdlpupdates, async (options, { account }) => {
      await assertOwner(account);
      await ytdlpUpdates.setOptions(options);
    }),
  ];
}

const LONG_AGO = Temporal.Instant.fromEpochMilliseconds(0);

/** The same message for downloads that have ended, belong to another account, or never existed. */
const createUnknownDownloadRefusal = (): Refusal =>
  new Refusal('music.download_not_found', 'There is no such download. It may have finished already');

/** Returns the playlist to add a song to; undefined for All MP3s, which contains every song. @throws Refusal */
export function getTargetPlaylist(playlist: Parameters<typeof parsePlaylistId>[0]): number | undefined {
  const id = parsePlaylistId(playlist);
  return id === ALL_SONGS ? undefined : id;
}

function toQueuedDownload(job: Job) {
  const { status, code } = getJobStatus(job);
  return { downloadid: job.id, title: job.title, status, failed: code };
}

async function getUpdateState(updates: ServerContext['ytdlpUpdates']) {
  const { channel, dailyAt, last } = await updates.getState();
  return { channel, dailyAt, ...(last === undefined ? {} : { last }) };
}

interface DownloadHandlersDeps {
  readonly services: MusicServices;
  readonly jobs: JobQueue;
  readonly programs: MediaPrograms;
  readonly notifier: DownloadNotifier;
  readonly uploads: Pick<Uploads, 'removeByJob'>;
  readonly cookies: CookieStore;
}

/** Creates the handlers of the calls for downloads. */
export function createDownloadHandlers(
  context: Pick<ServerContext, 'database' | 'identity' | 'ytdlpUpdates'>,
  deps: DownloadHandlersDeps,
): readonly Handler[] {
  const { database, identity, ytdlpUpdates } = context;
  const { services, jobs, programs, notifier, uploads, cookies } = deps;

  /** Checks that a playlist exists. @throws Refusal */
  async function assertPlaylistExists(account: number, id: number | undefined): Promise<void> {
    if (id !== undefined && !(await services.store.playlists.find(account, id))) throw createUnknownPlaylistRefusal();
  }

  async function queueLink(
    work: UnitOfWork,
    { account, url, playlist }: { account: number; url: URL; playlist: number | undefined },
  ): Promise<Job> {
    const key = getLinkKey(url);
    const openJobs = await jobs.listOpenByKey(account, SONG, key, work.tx);
    const existing = openJobs.find(({ input }) => (input as SongInput).playlist === playlist);
    if (existing) return existing;
    if ((await jobs.countOpen(account, work.tx)) >= MAX_OPEN_JOBS)
      throw new Refusal(
        'music.too_many_downloads',
        `You have the maximum of ${MAX_OPEN_JOBS.toLocaleString('en')} downloads. Wait for some to finish, or cancel them`,
      );
    const input = { url: url.href, ...(playlist === undefined ? {} : { playlist }) };
    const [job] = await jobs.add(work, [
      { account, kind: SONG, input, title: replaceUnstorable(formatLinkTitle(url)), key },
    ]);
    if (!job) throw new Error('nothing was queued');
    return job;
  }

  /** Queues links in one transaction: all or none. A link that is queued already is not queued twice. */
  const queueLinks = (account: number, urls: readonly URL[], playlist: number | undefined): Promise<readonly Job[]> =>
    database.transaction(async (work) => {
      await lockAccount(database, work.tx, account);
      const queued: Job[] = [];
      for (const url of urls) queued.push(await queueLink(work, { account, url, playlist }));
      return queued;
    });

  /** Returns a download and, for a list, the downloads of its songs. @throws Refusal */
  async function listWithSongs(account: number, id: number): Promise<readonly Job[]> {
    const job = await jobs.find(account, id);
    if (!job || !KINDS.includes(job.kind)) throw createUnknownDownloadRefusal();
    return [job, ...(await jobs.list(account, { parent: id, endedAfter: LONG_AGO }))];
  }
  const JOB_ACTIONS = { cancelled: jobs.cancel, again: jobs.retry, saved: jobs.dismiss } as const;

  return [
    handle(ytdownload, async ({ url, exact = false, playlist: requestedPlaylist }, { account }) => {
      const links = exact ? [parseLink(url)].filter((link) => link !== undefined) : findLinks(url);
      if (links.length === 0) throw new Refusal('music.invalid_link', NOT_AN_ADDRESS);
      if (links.length > MAX_LINKS)
        throw new Refusal(
          'music.too_many_links',
          `This text has ${links.length} links. Paste at most ${MAX_LINKS} at a time`,
        );
      const playlist = getTargetPlaylist(requestedPlaylist);
      await assertPlaylistExists(account, playlist);
      const setupProblem = await programs.getSetupProblem('download', account);
      if (setupProblem !== '') throw new Refusal('music.programs_missing', setupProblem);
      await services.checkQuota(account, 1);
      const [first, ...more] = (await queueLinks(account, links, playlist)).map(toQueuedDownload);
      if (first === undefined) throw new Error('nothing was queued');
      return { ...first, ...(more.length === 0 ? {} : { more }) };
    }),

    handle(downloads, async (_request, { account }) => {
      const problems = [await programs.getSetupProblem('download', account), jobs.getPauseReason()];
      const isOwner = (await identity.findAccount(account))?.isOwner === true;
      const tools = [await programs.describeVersions(), await programs.describeScripting()];
      return {
        downloads: [...(await notifier.list(account))],
        hindrance: problems.filter(Boolean).join('. '),
        tools: tools.filter(Boolean).join(', '),
        advice: await programs.getUpdateAdvice(account),
        cookies: [...(await listCookieSites(cookies, account))],
        ...(isOwner ? { updates: await getUpdateState(ytdlpUpdates) } : {}),
      };
    }),

    handle(changedownload, async ({ downloadid, to }, { account }) => {
      let hasChanged = false;
      for (const { id } of await listWithSongs(account, downloadid)) {
        if (!(await JOB_ACTIONS[to](account, id))) continue;
        hasChanged = true;
        if (to !== 'again') await uploads.removeByJob(account, id);
      }
      // Closing a download twice is not an error.
      if (!hasChanged && to !== 'saved') throw createUnknownDownloadRefusal();
    }),
  ];
}

/** Creates the listener for polls of the page. */
export function createDownloadListeners({ notifier }: Pick<DownloadHandlersDeps, 'notifier'>): readonly Listener[] {
  const pollStates = new WeakMap<Connection, PollState>();
  return [
    listen(pollDownloadProgress, async (_data, { account }, connection) => {
      const pollState = pollStates.get(connection) ?? { lastSent: new Map<number, string>(), fullListSentAt: 0 };
      pollStates.set(connection, pollState);
      // A room for this connection only, because other pages of the account did not poll.
      const room: Room = `music:poll-${connection.id}`;
      connection.join(room);
      await notifier.sendAll(account, room, pollState);
    }),
  ];
}
