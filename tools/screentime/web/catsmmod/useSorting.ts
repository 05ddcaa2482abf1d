import { queryOptions, useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { InvalidToken } from '#platform/contract/refusal.ts';
import { call } from '#platform/web/call.ts';
import { notices } from '#platform/web/notices.ts';
import { offline } from '#platform/web/offline.ts';
import { reach } from '#platform/web/reach.ts';
import { useSession } from '#platform/web/session.ts';
import { realtime } from '#platform/web/socket.ts';
import { applicationcatinfo, categoriesChanged, modifyapplicationcatinfo } from '../../contract.ts';
import { edited, type Box } from '../../domain/move.ts';
import { SCREEN_TIME } from '../keys.ts';
import { sentOf, sortingIn, type Sorting } from './boxes.ts';
import { makeSaver, type Saver } from './saver.ts';

const CATEGORIES = [SCREEN_TIME, 'categories'] as const;
export const RULES = [SCREEN_TIME, 'rules'] as const;

const sortingOptions = queryOptions({
  queryKey: CATEGORIES,
  queryFn: async (): Promise<Sorting> => sortingIn((await call(applicationcatinfo, {})).data),
  // While the line stands every change is told.
  staleTime: () => (realtime.line() === 'connected' ? Infinity : 5000),
});

const saverOf = (queries: QueryClient) =>
  makeSaver({
    ask: async () => {
      const { boxes } = sortingIn((await call(applicationcatinfo, {})).data);
      return boxes;
    },
    send: async (before, after) => void (await call(modifyapplicationcatinfo, sentOf(before, after))),
    saved: (boxes: readonly Box[]) => {
      queries.setQueryData<Sorting>(CATEGORIES, (known) => known && { ...known, boxes });
      // What the server made of it, such as how a key is written.
      void queries.invalidateQueries({ queryKey: CATEGORIES });
    },
    refused: (why) => {
      if (!(why instanceof InvalidToken)) notices.add('bad', why.message);
    },
  });

/** Whoever closes the page, or logs out, while something is not saved is asked first. */
const guard = (saver: Saver): (() => void) => {
  const unsaved = (): number => saver.current().edits.length;
  const ask = (event: BeforeUnloadEvent): void => {
    if (unsaved() > 0) event.preventDefault();
  };
  window.addEventListener('beforeunload', ask);
  const stopCounting = offline.counts(unsaved);
  return () => {
    window.removeEventListener('beforeunload', ask);
    stopCounting();
  };
};

interface Kept {
  readonly token: string | undefined;
  readonly saver: Saver;
  readonly release: () => void;
}
let kept: Kept | undefined;

/** Outlives the page: what is not saved yet is still there after a look at another page, in the same session. */
const saverFor = (token: string | undefined, queries: QueryClient): Saver => {
  if (kept?.token === token && kept?.saver.current().edits.length) return kept.saver;
  kept?.release();
  const saver = saverOf(queries);
  kept = { token, saver, release: guard(saver) };
  return saver;
};

/** Asks again for what other pages, rules and computers change. */
const useChanges = (queries: QueryClient): void =>
  useEffect(() => {
    const again = async (): Promise<void> => {
      for (const queryKey of [CATEGORIES, RULES]) {
        // What is in flight for nobody would come as it was before, and count as fresh.
        await queries.cancelQueries({ queryKey, type: 'inactive' });
        await queries.invalidateQueries({ queryKey });
      }
    };
    const stops = [
      realtime.on(categoriesChanged, () => void again()),
      realtime.onLine(() => {
        // The first time too: what was asked for before it stood may have changed since.
        if (realtime.line() === 'connected') void again();
      }),
    ];
    return () => stops.forEach((stop) => stop());
  }, [queries]);

/** The categories with what is not saved yet, and how to change them. */
export const useSorting = () => {
  const queries = useQueryClient();
  const { data, error, refetch } = useQuery(sortingOptions);
  const token = useSession()?.token;
  const [saver] = useState(() => saverFor(token, queries));
  const { edits, status } = useSyncExternalStore(saver.subscribe, saver.current);
  useChanges(queries);
  useEffect(() => {
    const saveRest = (): void => {
      if (reach.current() && saver.current().edits.length > 0) saver.save();
    };
    saveRest();
    return reach.subscribe(saveRest);
  }, [saver]);
  const boxes = useMemo(() => data && edits.reduce(edited, data.boxes), [data, edits]);
  return { sorting: data, boxes, error, refetch, saver, status };
};
