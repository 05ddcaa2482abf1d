import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { showError } from '#platform/web/app/showError.ts';
import type { Player, PlayingSong } from '../../web/musicTypes.ts';
import { getCachedLibrary, libraryOptions } from '../../web/useLibrary.ts';
import { nowPlaying } from './mediaSession.ts';
import { queueStorage } from './queueStorage.ts';
import type { Sound } from './sound.ts';

/** Delay after the page's own requests. */
const PRELOAD_DELAY_MS = 300;

let sound: Sound | undefined;
let loading: Promise<Sound> | undefined;

/** Loads the player. After a failure the next use tries again. */
function load(): Promise<Sound> {
  loading ??= import('./startPlayer.ts').then(
    (playerModule) => {
      sound = playerModule.startPlayer();
      return sound;
    },
    (error: unknown) => {
      loading = undefined;
      throw error;
    },
  );
  return loading;
}

/** Runs immediately if it is loaded, because phones only allow sound during a click. */
function withSound(action: (sound: Sound) => void): void {
  if (sound) action(sound);
  else load().then(action, showError);
}

/** The player of this page. It loads the audio part on first use. */
export const player: Player = {
  getPlaying: nowPlaying.getPlaying,
  subscribe: nowPlaying.subscribe,
  play: (queue) => withSound((loaded) => loaded.play(queue)),
  addToQueue: (queue, position) => withSound((loaded) => loaded.addToQueue(queue, position)),
  toggle: () => withSound((loaded) => loaded.toggle()),
  seekBy: (seconds) => withSound((loaded) => loaded.seekBy(seconds)),
  next: () => withSound((loaded) => loaded.next()),
  previous: () => withSound((loaded) => loaded.previous()),
};

let followedClient: QueryClient | undefined;

/** Keeps the player's songs up to date: renamed ones are updated, deleted ones are removed. */
function follow(queryClient: QueryClient): void {
  if (followedClient === queryClient) return;
  followedClient = queryClient;
  nowPlaying.setLibrarySource(() => getCachedLibrary(queryClient));
  queryClient.getQueryCache().subscribe(() => sound?.updateFromLibrary());
}

/** Restores the queue of the last visit on a page without the library. @throws CallError */
export async function resume(queryClient: QueryClient): Promise<void> {
  if (sound || queueStorage.load() === undefined) return;
  follow(queryClient);
  // The titles of the songs come from the library.
  await queryClient.query({ ...libraryOptions, staleTime: 'static' });
  await load();
}

/**
 * Returns what plays or is paused. On pages with the library it also preloads the player and restores the last queue.
 */
export function usePlaying(): PlayingSong | undefined {
  const queryClient = useQueryClient();
  useEffect(() => {
    follow(queryClient);
    // The first use reports the failure.
    const preloadTimer = setTimeout(() => void load().catch(() => undefined), PRELOAD_DELAY_MS);
    return () => clearTimeout(preloadTimer);
  }, [queryClient]);
  return useSyncExternalStore(nowPlaying.subscribe, nowPlaying.getPlaying);
}
