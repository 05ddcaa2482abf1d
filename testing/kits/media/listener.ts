import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll } from 'vitest';
import { getSkipReason } from '#testing/machine.ts';
import { createplaylist } from '#tools/music/contract.ts';
import { startBrowser, type TestBrowser, type OpenPageOptions } from '../browser/browser.ts';
import { openLoggedIn } from '../browser/openLoggedIn.ts';
import type { TestAccount } from '../server/server.ts';
import { startMusicServer, createTone, type MusicServer } from './songs.ts';

/** State of one media element of the page. */
export interface PlayerState {
  /** Id of the song. */
  readonly song: number;
  /** Seconds. */
  readonly at: number;
  readonly duration: number;
  readonly isPlaying: boolean;
  readonly volume: number;
}

interface WatchedPlayer {
  readonly elements: HTMLAudioElement[];
  /** Handlers of media keys and lock screens. */
  readonly acts: Map<string, (details: { readonly seekTime?: number }) => void>;
}
type WatchedWindow = Window & { readonly watched: WatchedPlayer };

/** Records the page's media elements, which are not in the document, and its media key handlers. */
function watch(): void {
  const elements: HTMLAudioElement[] = [];
  const acts: WatchedPlayer['acts'] = new Map();
  Object.assign(window, {
    watched: { elements, acts },
    Audio: class extends Audio {
      constructor(address?: string) {
        super(address);
        elements.push(this);
      }
    },
  });
  const handle = navigator.mediaSession.setActionHandler.bind(navigator.mediaSession);
  navigator.mediaSession.setActionHandler = (action, run) => {
    handle(action, run);
    if (run) acts.set(action, run as never);
  };
}

/** Returns the state of the page's media elements that have a song. */
export function listPlayers(page: Page): Promise<readonly PlayerState[]> {
  return page.evaluate(() =>
    (window as unknown as WatchedWindow).watched.elements.flatMap(
      ({ src, currentTime, duration, paused, ended, volume }): PlayerState[] => {
        const song = Number(/\/api\/stream\/(\d+)/.exec(src)?.[1]);
        return song > 0
          ? [{ song, at: currentTime, duration: duration || 0, isPlaying: !paused && !ended, volume }]
          : [];
      },
    ),
  );
}

/** Waits until the song plays and has reached `from` seconds; returns its state. */
export async function waitForPlaying(page: Page, song: number, from = 0.05): Promise<PlayerState> {
  const result = await page.waitForFunction(
    ({ id, minTime }) =>
      (window as unknown as WatchedWindow).watched.elements.some(
        (element) => element.src.includes(`/api/stream/${id}?`) && !element.paused && element.currentTime >= minTime,
      ),
    { id: song, minTime: from },
    { polling: 20 },
  );
  await result.dispose();
  const players = (await listPlayers(page)).filter((player) => player.song === song);
  const state = players.find((player) => player.isPlaying) ?? players[0];
  if (!state) throw new Error(`song ${song} does not play`);
  return state;
}

/** Waits until nothing plays. */
export async function waitForSilence(page: Page): Promise<void> {
  // Not based on frames, as a background tab may render nothing.
  const result = await page.waitForFunction(
    () => (window as unknown as WatchedWindow).watched.elements.every((element) => element.paused || element.ended),
    undefined,
    { polling: 20 },
  );
  await result.dispose();
}

/** Simulates in the page that playback stalled, as browsers do if the connection breaks. */
export function breakPlayback(page: Page): Promise<void> {
  return page
    .evaluate(() =>
      (window as unknown as WatchedWindow).watched.elements
        .find((element) => !element.paused)
        ?.dispatchEvent(new Event('error')),
    )
    .then(() => undefined);
}

/** Presses a media key, or a button of a lock screen. */
export function pressMediaKey(page: Page, action: string, seekTime?: number): Promise<void> {
  return page.evaluate(
    ([name, to]) =>
      (window as unknown as WatchedWindow).watched.acts.get(name)?.(to === undefined ? {} : { seekTime: to }),
    [action, seekTime] as const,
  );
}

/** Waits until the next song can play immediately; returns whether the previous one still plays then. */
export async function waitForPreload(page: Page, playing: number, next: number): Promise<boolean> {
  const result = await page.waitForFunction(
    ([playingSong, nextSong]) => {
      const { elements } = (window as unknown as WatchedWindow).watched;
      const findElement = (song: number) => elements.find(({ src }) => src.includes(`/api/stream/${song}?`));
      const playingElement = findElement(playingSong);
      if (!playingElement || playingElement.paused || playingElement.ended) return 'late';
      return (findElement(nextSong)?.readyState ?? 0) >= HTMLMediaElement.HAVE_FUTURE_DATA && 'ready';
    },
    [playing, next] as const,
    { polling: 20 },
  );
  return (await result.jsonValue()) === 'ready';
}

export interface MusicSite {
  readonly skipReason: string | undefined;
  readonly server: MusicServer;
  readonly browser: TestBrowser;
}

/** Starts one server with songs and one Chromium for all tests of a file. */
export function serveMusicSite(options: Parameters<typeof startMusicServer>[0] = {}): MusicSite {
  const skipReason = getSkipReason('chromium', 'ffmpeg');
  let running: { readonly server: MusicServer; readonly browser: TestBrowser } | undefined;
  beforeAll(async () => {
    if (skipReason === undefined) running = { server: await startMusicServer(options), browser: await startBrowser() };
  });
  afterAll(async () => {
    await running?.browser[Symbol.asyncDispose]();
    await running?.server[Symbol.asyncDispose]();
  });
  function started() {
    if (!running) throw new Error('the site is there within the tests only');
    return running;
  }
  return {
    skipReason,
    get server() {
      return started().server;
    },
    get browser() {
      return started().browser;
    },
  };
}

/** Difference in pitch between the tones of consecutive songs. */
export const STEP_HERTZ = 110;
export function getToneHertz(at: number): number {
  return 440 + STEP_HERTZ * at;
}

let people = 0;

export interface TestListener {
  readonly account: TestAccount;
  readonly playlist: number;
  /** Ids in order. */
  readonly songs: readonly number[];
}

/** Creates an account with a playlist 'Evening walk' of tones of this duration, named 'Tone 1' and so on. */
export async function createListener(
  site: Pick<MusicSite, 'server'>,
  seconds: readonly number[],
): Promise<TestListener> {
  const account = await site.server.createAccount(`listener${++people}`);
  const picture = await sharp({ create: { width: 32, height: 32, channels: 3, background: '#2fa37a' } })
    .webp()
    .toBuffer();
  const specs = await Promise.all(
    seconds.map(async (duration, at) => ({
      title: `Tone ${at + 1}`,
      artist: '',
      album: '',
      duration,
      // The same tones for all, so that they are created once.
      content: await createTone(getToneHertz(at), duration),
      picture,
      colour: '#2fa37a',
      id: 2 ** 50 + people * 1000 + at,
      siteId: `${people} ${at}`,
    })),
  );
  const songs = (await site.server.addSongs(account.name, specs)).map(({ id }) => id);
  const { playlistid } = await account.call(createplaylist, { title: 'Evening walk', contains: songs });
  return { account, playlist: playlistid, songs };
}

/** Tests wait for the end of songs of up to 30 s. */
const SONG_END_MS = 60_000;

/** Opens the music page of a listener with recording of media elements, and its playlist's songs visible. */
export async function openMusicPage(
  site: MusicSite,
  { account }: TestListener,
  options: OpenPageOptions = {},
): Promise<Page> {
  const page = await openLoggedIn(site, account, '/musicmusic', {
    ...options,
    before: async (blank) => {
      await blank.addInitScript(watch);
      await options.before?.(blank);
    },
  });
  page.setDefaultTimeout(SONG_END_MS);
  await page.getByRole('button', { name: 'Expand Evening walk' }).click();
  return page;
}
