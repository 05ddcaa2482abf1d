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
import { applyEdit, type Box, canAdd, getCategory, invertEdit, type SortingEdit } from '../domain/categoryBoard.ts';
import { toRequest, toCategoryBoxes, type CategoryBoxes } from './categoryBoxes.ts';
import { createSaver, type Saver } from './saver.ts';

/** Actions of the category view. */
export interface SortingActions {
  readonly move: (application: string, to: string) => void;
  readonly remove: (category: string) => void;
  /** Asks for a name and adds the category (docs/specification/screentime.md section 1.7). */
  readonly add: () => void;
  /** Undoes the last move or deletion; false if there is none. */
  readonly undo: () => boolean;
}

const NO_CATEGORY = 'Category name already exists or is empty';

/** Actions on the visible boxes. Each shows a notice with undo, and only the last notice stays. */
export function useActs(boxes: readonly Box[] | undefined, saver: Saver): SortingActions {
  const visibleBoxes = useRef(boxes);
  useLayoutEffect(() => {
    visibleBoxes.current = boxes;
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
    const act = (edit: SortingEdit, message: string): void => {
      const undoEdit = visibleBoxes.current && invertEdit(visibleBoxes.current, edit);
      if (!undoEdit || !visibleBoxes.current) return;
      // The next action may come before this one is rendered.
      visibleBoxes.current = applyEdit(visibleBoxes.current, edit);
      saver.edit(edit);
      if (last.current?.notice !== undefined) notices.dismiss(last.current.notice);
      notices.addWithAction(message, 'Undo', () => undo());
      last.current = { undo: undoEdit, notice: notices.getShown()[0]?.id };
    };
    return {
      move: (application, to) => {
        if (visibleBoxes.current && getCategory(visibleBoxes.current, application) !== to)
          act({ kind: 'move', application, to }, `${application} moved to ${to}`);
      },
      remove: (category) => act({ kind: 'remove', category }, `Deleted ${category}`),
      add: () => {
        // oxlint-disable-next-line no-alert -- specified prompt (docs/specification/screentime.md section 1.7)
        const name = window.prompt('Enter a name for the new category');
        if (name === null || !visibleBoxes.current) return;
        if (canAdd(visibleBoxes.current, name)) act({ kind: 'add', category: name.trim() }, `Added ${name.trim()}`);
        // oxlint-disable-next-line no-alert -- specified alert (docs/specification/screentime.md section 5)
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
  queryFn: async (): Promise<CategoryBoxes> => toCategoryBoxes((await call(applicationcatinfo, {})).data),
  // While connected, every change is notified.
  staleTime: () => (realtime.getConnectionState() === 'connected' ? Infinity : 5000),
});

const createSortingSaver = (queries: QueryClient, isOwn: () => boolean) =>
  createSaver({
    ask: async () => {
      const { boxes } = toCategoryBoxes((await call(applicationcatinfo, {})).data);
      return boxes;
    },
    send: async (before, after) => {
      // Another user may have logged in meanwhile.
      if (!isOwn()) throw new InvalidTokenRefusal();
      await call(modifyapplicationcatinfo, toRequest(before, after));
    },
    saved: (boxes: readonly Box[]) => {
      queries.setQueryData<CategoryBoxes>(CATEGORIES, (known) => known && { ...known, boxes });
      // Loads what the server made of it, such as the normalized hotkey.
      void queries.invalidateQueries({ queryKey: CATEGORIES });
    },
    refused: (why) => notices.add('bad', why.message),
  });

/** Asks before the page closes or the user logs out with unsaved changes. */
const guardUnsaved = (saver: Saver): (() => void) => {
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
let sharedSaver: SharedSaver | undefined;

const isSamePerson = (one: Session | undefined, other: Session | undefined): boolean =>
  one?.token === other?.token || (one !== undefined && one.username !== '' && one.username === other?.username);

/** Remembers the user, and discards everything when they log out. */
const followSession = (one: SharedSaver): void => {
  const now = session.getCurrent();
  if (now && now.token === one.whose?.token) one.whose = now;
  if (now || !session.hasLoggedOut() || sharedSaver !== one) return;
  one.release();
  sharedSaver = undefined;
};

/**
 * Returns a saver that survives the page and an expired session: unsaved edits return for the same user
 * only.
 */
const getSaver = (whose: Session | undefined, queries: QueryClient): Saver => {
  const isReusable =
    sharedSaver !== undefined && sharedSaver.saver.current().edits.length > 0 && isSamePerson(sharedSaver.whose, whose);
  if (sharedSaver && isReusable) {
    sharedSaver.whose = whose;
    return sharedSaver.saver;
  }
  sharedSaver?.release();
  const saver = createSortingSaver(queries, () => isSamePerson(created.whose, session.getCurrent()));
  const stops = [guardUnsaved(saver), session.subscribe(() => followSession(created))];
  const created: SharedSaver = { whose, saver, release: () => stops.forEach((stop) => stop()) };
  sharedSaver = created;
  return saver;
};

/** Returns whether there are unsaved changes that need a login. */
export function hasUnsaved(): boolean {
  return (sharedSaver?.saver.current().edits.length ?? 0) > 0;
}

/** Reloads after changes by other pages, rules and computers. */
const useChanges = (queries: QueryClient): void =>
  useEffect(() => {
    const reload = (): void => {
      for (const queryKey of [CATEGORIES, RULES]) void queries.invalidateQueries({ queryKey });
    };
    const stops = [
      realtime.on(categoriesChanged, reload),
      realtime.onConnectionStateChange(() => {
        // The first time too: data loaded before the connection may have changed.
        if (realtime.getConnectionState() === 'connected') reload();
      }),
    ];
    return () => stops.forEach((stop) => stop());
  }, [queries]);

/** Loads the categories with unsaved edits, and saves edits. */
export function useSorting() {
  const queries = useQueryClient();
  const { data, error, refetch } = useQuery(sortingOptions);
  const whose = useSession();
  const [saver] = useState(() => getSaver(whose, queries));
  const { edits, status } = useSyncExternalStore(saver.subscribe, saver.current);
  useChanges(queries);
  useEffect(() => {
    const saveRest = (): void => {
      if (reachability.isReachable() && saver.current().edits.length > 0) saver.save();
    };
    saveRest();
    return reachability.subscribe(saveRest);
  }, [saver]);
  const boxes = useMemo(() => data && edits.reduce(applyEdit, data.boxes), [data, edits]);
  return { sorting: data, boxes, error, refetch, saver, status };
}
