import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { showError } from '#platform/web/app/failure.ts';
import type { Player, PlayingSong } from '../../web/musicTypes.ts';
import { libraryNow, libraryOptions } from '../../web/useLibrary.ts';
import { now } from './mediaSession.ts';
import { kept } from './queueStorage.ts';
import type { Sound } from './sound.ts';

/** Behind what the page itself loads. */
const AHEAD_MS = 300;

let sound: Sound | undefined;
let loading: Promise<Sound> | undefined;

/** Asked for again at the next use where it did not come. */
const load = (): Promise<Sound> => {
  loading ??= import('./startPlayer.ts').then(
    (whole) => {
      sound = whole.start();
      return sound;
    },
    (error: unknown) => {
      loading = undefined;
      throw error;
    },
  );
  return loading;
};

/** At once where it is loaded: a phone lets sound begin in the press of the button only. */
const withSound = (then: (sound: Sound) => void): void => {
  if (sound) then(sound);
  else load().then(then, showError);
};

/** The one player of this page. */
export const player: Player = {
  playing: now.playing,
  subscribe: now.subscribe,
  play: (queue) => withSound((it) => it.play(queue)),
  putIn: (queue, behind) => withSound((it) => it.putIn(queue, behind)),
  toggle: () => withSound((it) => it.toggle()),
  seekBy: (seconds) => withSound((it) => it.seekBy(seconds)),
  next: () => withSound((it) => it.next()),
  previous: () => withSound((it) => it.previous()),
};

let followed: QueryClient | undefined;

/** The player knows songs as the library has them now: what is renamed is shown so, what is deleted plays no more. */
const follow = (queries: QueryClient): void => {
  if (followed === queries) return;
  followed = queries;
  now.readsLibrary(() => libraryNow(queries));
  queries.getQueryCache().subscribe(() => sound?.look());
};

/** The queue of the last visit comes back on a page that shows no library. @throws CallFailed */
export async function resume(queries: QueryClient): Promise<void> {
  if (sound || kept.queue() === undefined) return;
  follow(queries);
  // By it songs have their titles.
  await queries.query({ ...libraryOptions, staleTime: 'static' });
  await load();
}

/** What plays, or is held. Whoever shows the library has the player ready, with the queue of the last visit. */
export function usePlaying(): PlayingSong | undefined {
  const queries = useQueryClient();
  useEffect(() => {
    follow(queries);
    // A failure is told by the first use.
    const ahead = setTimeout(() => void load().catch(() => undefined), AHEAD_MS);
    return () => clearTimeout(ahead);
  }, [queries]);
  return useSyncExternalStore(now.subscribe, now.playing);
}
