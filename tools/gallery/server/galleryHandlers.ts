import type { HandlerResultOf } from '#platform/contract/call.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import type { Device } from '#platform/server/devices/deviceLink.ts';
import type { Job } from '#platform/server/jobs/jobQueue.ts';
import { handle, type ServerContext, type Handler } from '#platform/server/tool.ts';
import { changevideo, cwlt, forgetbroken, publishvideos, record, recordscreen, sendcapture } from '../contract.ts';
import { type GalleryRecording, getVideoPurpose, type Session, groupBySession } from '../domain/recording.ts';
import { cleanTitle } from '../domain/recordingName.ts';
import type { Captures } from './captures.ts';
import { getBrokenPath, removeVideo } from './galleryFiles.ts';
import type { GalleryStore, Quota } from './galleryStore.ts';
import type { Inbox } from './inbox.ts';
import { VIDEO } from './videoJob.ts';

/**
 * Signed addresses are valid for six to twelve hours. They change only every six hours, so that browsers can cache the
 * files.
 */
const SIGNED_HOURS = 6;

type Answer = HandlerResultOf<typeof cwlt>;
type OwnRecordings = NonNullable<Answer['own']>;

export interface ListingOptions {
  readonly context: ServerContext;
  readonly store: GalleryStore;
  readonly inbox: Inbox;
  readonly quota: Quota;
  /** Returns the computers of an account whose screen is being recorded. */
  readonly listActiveRecordings: (account: number) => OwnRecordings['recording'];
}

function describeState({ state, percent, error }: Job): string {
  if (state === 'running') return percent === undefined ? 'Converting' : `Converting, ${Math.floor(percent)} %`;
  return error === '' ? 'Waiting' : `Trying again soon: ${error}`;
}

const getExpiry = (now: Temporal.Instant): Temporal.Instant =>
  now
    .add({ hours: SIGNED_HOURS })
    .round({ smallestUnit: 'hour', roundingIncrement: SIGNED_HOURS, roundingMode: 'ceil' });

/** Groups by account, newest session first: recordings of several users never share a session. */
const groupSessions = (recordings: readonly GalleryRecording[]): readonly Session<GalleryRecording>[] =>
  [...Map.groupBy(recordings, ({ account }) => account).values()]
    .flatMap((group) => groupBySession(group))
    .toSorted((one, other) => other.start - one.start);

/** Creates the function that lists what the page shows to a viewer. */
export function createRecordingLister({ context, store, inbox, quota, listActiveRecordings }: ListingOptions) {
  const { identity, links, jobs, programs, disk, now } = context;

  async function createSigner(viewer: number | undefined): Promise<(recording: GalleryRecording) => string> {
    if (viewer === undefined) return () => '';
    const generation = (await identity.getLinkGeneration(viewer)) ?? 0;
    const until = getExpiry(now());
    return ({ file, account, isPublic }) =>
      isPublic || account !== viewer
        ? ''
        : links.formatQuery({ purpose: getVideoPurpose(file), account: viewer, generation }, until);
  }
  async function getSetupProblem(account: number): Promise<string> {
    const setupProblem = await programs.getSetupProblem('convert', account);
    if (setupProblem !== '') return setupProblem;
    if (!disk.canStoreLargeFiles()) return 'Waiting: the server has less than 2 GiB of free disk space';
    return quota.getUploadProblem(account);
  }
  async function getOwnRecordings(account: number): Promise<OwnRecordings> {
    const [owner, newPublic, broken, converting, hindrance] = await Promise.all([
      identity.findOwner(),
      store.hasNewPublic(account),
      store.listBroken(account),
      jobs.list(account, { kinds: [VIDEO] }),
      getSetupProblem(account),
    ]);
    const open = converting.filter(({ state }) => state === 'queued' || state === 'running');
    return {
      newPublic,
      broken: [...broken],
      inbox: owner?.id === account ? inbox.folder : '',
      waiting: [
        ...inbox.listWaiting(account),
        ...open.map((job) => ({ id: `job ${job.id}`, name: job.title, state: describeState(job) })),
      ],
      recording: listActiveRecordings(account),
      hindrance,
    };
  }
  return async (viewer: number | undefined): Promise<Answer> => {
    const [recordings, getSignature] = await Promise.all([store.listVisible(viewer), createSigner(viewer)]);
    const files = groupSessions(recordings).map(({ start, end, recordings: videos }) => ({
      start,
      end,
      files: videos.map(({ file }) => file),
      public: videos.every(({ isPublic }) => isPublic),
      own: videos[0]?.account === viewer,
      videos: videos.map((recording) => ({
        file: recording.file,
        title: recording.title,
        start: recording.start,
        duration: recording.duration,
        width: recording.width,
        height: recording.height,
        bytes: recording.bytes,
        public: recording.isPublic,
        cut: recording.isCut,
        signature: getSignature(recording),
      })),
    }));
    return viewer === undefined ? { files } : { files, own: await getOwnRecordings(viewer) };
  };
}

const NOT_FOUND_MESSAGE = 'There is no such recording. It may have been deleted';

/** Checks that a device has reported that it can record. @throws Refusal */
function checkRecordable({ kind, name, abilities: { capture } }: Device): void {
  if (kind === 'browser')
    throw new Refusal('device.is_browser', `${name} is a browser, so it only receives messages. Choose a computer`);
  if (capture && !capture.able)
    throw new Refusal('device.feature_off', capture.reason ?? `${name} does not allow screen recording`);
}

interface GalleryHandlersOptions {
  readonly context: ServerContext;
  readonly store: GalleryStore;
  readonly list: ReturnType<typeof createRecordingLister>;
  readonly captures: Captures;
  readonly onChange: (account: number) => void;
}

/** Creates the handlers of the gallery's calls. */
export function createGalleryHandlers(options: GalleryHandlersOptions): readonly Handler[] {
  const { context, store, list, captures, onChange } = options;
  const { database, devices, files, identity } = context;
  return [
    // The token of a computer gives no access to its account's recordings.
    handle(cwlt, async (_, { account, device }) => list(device === undefined ? account : undefined)),
    handle(changevideo, async ({ file, title, remove }, { account }) => {
      if (title === undefined && !remove) throw new Refusal('gallery.name_empty', 'Enter a new name, or choose Delete');
      await database.transaction(async ({ tx, afterCommit }) => {
        const isKnown = remove
          ? await store.remove(tx, account, file)
          : await store.rename(tx, account, file, cleanTitle(title ?? ''));
        if (!isKnown) throw new Refusal('gallery.recording_not_found', NOT_FOUND_MESSAGE);
        afterCommit(() => onChange(account));
      });
      if (remove) await removeVideo(files, file);
    }),
    handle(publishvideos, async ({ files: requestedFiles, public: isPublic }, { account }) => {
      await database.transaction(async ({ tx, afterCommit }) => {
        if (requestedFiles === 'new') await store.setNewPublic(tx, account, isPublic);
        else {
          const uniqueFiles = [...new Set(requestedFiles)];
          if ((await store.publish(tx, account, uniqueFiles, isPublic)) < uniqueFiles.length)
            throw new Refusal('gallery.recording_not_found', NOT_FOUND_MESSAGE);
        }
        afterCommit(() => onChange(account));
      });
    }),
    handle(forgetbroken, async ({ id }, { account }) => {
      const file = await database.transaction(async ({ tx, afterCommit }) => {
        const brokenFile = await store.removeBroken(tx, account, id);
        if (brokenFile === undefined) throw new Refusal('gallery.recording_not_found', NOT_FOUND_MESSAGE);
        afterCommit(() => onChange(account));
        return brokenFile;
      });
      await files.remove(getBrokenPath(account, file));
    }),
    handle(sendcapture, async (part, { account, device }) => captures.receive({ account, device }, part)),
    handle(recordscreen, async ({ target, to }, { account }) => {
      const device = await devices.getOwned(account, target);
      checkRecordable(device);
      await devices.send(device, record, { to, by: (await identity.findAccount(account))?.name ?? '' });
    }),
  ];
}
