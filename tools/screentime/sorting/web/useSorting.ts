import { queryOptions, useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState, useSyncExternalStore, useLayoutEffect, useRef } from 'react';
import { InvalidTokenRefusal } from '#platform/contract/refusal.ts';
import { call } from '#platform/web/app/call.ts';
import { notices } from '#platform/web/app/notices.ts';
import { offlineStorage } from '#platform/web/app/offline.ts';
import { reachability } from '#platform/web/app/reachability.ts';
import { session, useSession, type Session } from '#platform/web/app/session.ts';
import { realtime } from '#platform/web/app/socket.ts';
import { applicationcatinfo, categoriesChanged, modifyapplicationcatinfo } from '../../contract.ts';
import { SCREEN_TIME } from '../../web/usageClock.ts';
import { edited, type Box, canAdd, categoryOf, inverseOf, type SortingEdit } from '../domain/categoryBoard.ts';
import { sentOf, sortingIn, type CategoryBoxes } from './categoryBoxes.ts';
import { createSaver, type Saver } from './saver.ts';

/** What can be done in the category view. */
export interface SortingActions {
  readonly move: (application: string, to: string) => void;
  readonly remove: (category: string) => void;
  /** Asks for a name, as the specification has it, and adds the category. */
  readonly add: () => void;
  /** Takes the last move or deletion back; false where there is none. */
  readonly undo: () => boolean;
}

const NO_CATEGORY = 'Category name already exists or is empty';

/** Acts on the boxes as they are shown. Each tells what it did, with a way back; only the last one has its notice. */
export function useActs(boxes: readonly Box[] | undefined, saver: Saver): SortingActions {
  const shown = useRef(boxes);
  useLayoutEffect(() => {
    shown.current = boxes;
  }, [boxes]);
  const last = useRef<{ readonly undo: SortingEdit; readonly notice: number | undefined }>(undefined);
  return useMemo(() => {
    const undo = (): boolean => {
      const before = last.current;
      if (!before) return false;
      last.current = undefined;
      if (before.notice !== undefined) notices.dismiss(before.notice);
      saver.edit(before.undo);
      return true;
    };
    const act = (edit: SortingEdit, said: string): void => {
      const way = shown.current && inverseOf(shown.current, edit);
      if (!way || !shown.current) return;
      // The next act may come before this one is drawn.
      shown.current = edited(shown.current, edit);
      saver.edit(edit);
      if (last.current?.notice !== undefined) notices.dismiss(last.current.notice);
      notices.addWithAction(said, 'Undo', () => undo());
      last.current = { undo: way, notice: notices.getShown()[0]?.id };
    };
    return {
      move: (application, to) => {
        if (shown.current && categoryOf(shown.current, application) !== to)
          act({ kind: 'move', application, to }, `${application} moved to ${to}`);
      },
      remove: (category) => act({ kind: 'remove', category }, `Deleted ${category}`),
      add: () => {
        // oxlint-disable-next-line no-alert -- the specification asks for the browser's prompt
        const name = window.prompt('Name of the new category');
        if (name === null || !shown.current) return;
        if (canAdd(shown.current, name)) act({ kind: 'add', category: name.trim() }, `Added ${name.trim()}`);
        // oxlint-disable-next-line no-alert -- the specification asks for the browser's alert
        else window.alert(NO_CATEGORY);
      },
      undo,
    };
  }, [saver]);
}

const CATEGORIES = [SCREEN_TIME, 'categories'] as const;
export const RULES = [SCREEN_TIME, 'rules'] as const;

const sortingOptions = queryOptions({
  queryKey: CATEGORIES,
  queryFn: async (): Promise<CategoryBoxes> => sortingIn((await call(applicationcatinfo, {})).data),
  // While the line stands every change is told.
  staleTime: () => (realtime.getConnectionState() === 'connected' ? Infinity : 5000),
});

const saverOf = (queries: QueryClient, isOwn: () => boolean) =>
  createSaver({
    ask: async () => {
      const { boxes } = sortingIn((await call(applicationcatinfo, {})).data);
      return boxes;
    },
    send: async (before, after) => {
      // Somebody else may have logged in since it was asked.
      if (!isOwn()) throw new InvalidTokenRefusal();
      await call(modifyapplicationcatinfo, sentOf(before, after));
    },
    saved: (boxes: readonly Box[]) => {
      queries.setQueryData<CategoryBoxes>(CATEGORIES, (known) => known && { ...known, boxes });
      // What the server made of it, such as how a key is written.
      void queries.invalidateQueries({ queryKey: CATEGORIES });
    },
    refused: (why) => notices.add('bad', why.message),
  });

/** Whoever closes the page, or logs out, while something is not saved is asked first. */
const guard = (saver: Saver): (() => void) => {
  const unsaved = (): number => saver.current().edits.length;
  const ask = (event: BeforeUnloadEvent): void => {
    if (unsaved() > 0) event.preventDefault();
  };
  window.addEventListener('beforeunload', ask);
  const stopCounting = offlineStorage.addCounter(unsaved);
  return () => {
    window.removeEventListener('beforeunload', ask);
    stopCounting();
  };
};

interface SharedSaver {
  whose: Session | undefined;
  readonly saver: Saver;
  readonly release: () => void;
}
let kept: SharedSaver | undefined;

const areOne = (one: Session | undefined, other: Session | undefined): boolean =>
  one?.token === other?.token || (one !== undefined && one.username !== '' && one.username === other?.username);

/** Notes who it is once that is known, and lets go of everything when the person leaves. */
const follow = (one: SharedSaver): void => {
  const now = session.getCurrent();
  if (now && now.token === one.whose?.token) one.whose = now;
  if (now || !session.hasLoggedOut() || kept !== one) return;
  one.release();
  kept = undefined;
};

/** Outlives the page, and a session that ends by itself: what is not saved yet is there again for the same person, and for nobody else. */
const saverFor = (whose: Session | undefined, queries: QueryClient): Saver => {
  const isKept = kept !== undefined && kept.saver.current().edits.length > 0 && areOne(kept.whose, whose);
  if (kept && isKept) {
    kept.whose = whose;
    return kept.saver;
  }
  kept?.release();
  const saver = saverOf(queries, () => areOne(made.whose, session.getCurrent()));
  const stops = [guard(saver), session.subscribe(() => follow(made))];
  const made: SharedSaver = { whose, saver, release: () => stops.forEach((stop) => stop()) };
  kept = made;
  return saver;
};

/** Whether there are changes that their owner has to log in for. */
export function hasUnsaved(): boolean {
  return (kept?.saver.current().edits.length ?? 0) > 0;
}

/** Asks again for what other pages, rules and computers change. */
const useChanges = (queries: QueryClient): void =>
  useEffect(() => {
    const again = (): void => {
      for (const queryKey of [CATEGORIES, RULES]) void queries.invalidateQueries({ queryKey });
    };
    const stops = [
      realtime.on(categoriesChanged, again),
      realtime.onConnectionStateChange(() => {
        // The first time too: what was asked for before it stood may have changed since.
        if (realtime.getConnectionState() === 'connected') again();
      }),
    ];
    return () => stops.forEach((stop) => stop());
  }, [queries]);

/** The categories with what is not saved yet, and how to change them. */
export function useSorting() {
  const queries = useQueryClient();
  const { data, error, refetch } = useQuery(sortingOptions);
  const whose = useSession();
  const [saver] = useState(() => saverFor(whose, queries));
  const { edits, status } = useSyncExternalStore(saver.subscribe, saver.current);
  useChanges(queries);
  useEffect(() => {
    const saveRest = (): void => {
      if (reachability.isReachable() && saver.current().edits.length > 0) saver.save();
    };
    saveRest();
    return reachability.subscribe(saveRest);
  }, [saver]);
  const boxes = useMemo(() => data && edits.reduce(edited, data.boxes), [data, edits]);
  return { sorting: data, boxes, error, refetch, saver, status };
}
