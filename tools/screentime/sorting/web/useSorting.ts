import { queryOptions, useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState, useSyncExternalStore, useLayoutEffect, useRef } from 'react';
import { InvalidTokenRefusal } from '#platform/contract/refusal.ts';
import { call } from '#platform/web/app/call.ts';
import { createLiveStaleTime } from '#platform/web/app/liveStaleTime.ts';
import { notices } from '#platform/web/app/notices.ts';
import { offlineStorage } from '#platform/web/app/offlineStorage.ts';
import { reachability } from '#platform/web/app/reachability.ts';
import { session, useSession, type Session } from '#platform/web/app/session.ts';
import { useConnectionStateChange, useRealtimeEvent } from '#platform/web/app/useRealtimeEvent.ts';
import { applicationcatinfo, categoriesChanged, modifyapplicationcatinfo } from '../../contract.ts';
import { SCREEN_TIME } from '../../web/usageClock.ts';
import {
  applyEdit,
  type Box,
  canAddCategory,
  getCategory,
  invertEdit,
  type SortingEdit,
} from '../domain/categoryBoard.ts';
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

const INVALID_NAME_MESSAGE = 'Category name already exists or is empty';

/** Actions on the visible boxes. Each shows a notice with undo, and only the last notice stays. */
export function useSortingActions(boxes: readonly Box[] | undefined, saver: Saver): SortingActions {
  const visibleBoxes = useRef(boxes);
  useLayoutEffect(() => {
    visibleBoxes.current = boxes;
  }, [boxes]);
  const lastActionRef = useRef<{ readonly undo: SortingEdit; readonly notice: number | undefined }>(undefined);
  return useMemo(() => {
    function undo(): boolean {
      const lastAction = lastActionRef.current;
      if (!lastAction) return false;
      lastActionRef.current = undefined;
      if (lastAction.notice !== undefined) notices.dismiss(lastAction.notice);
      saver.edit(lastAction.undo);
      return true;
    }
    function applyWithUndo(edit: SortingEdit, message: string): void {
      const undoEdit = visibleBoxes.current && invertEdit(visibleBoxes.current, edit);
      if (!undoEdit || !visibleBoxes.current) return;
      // The next action may come before this one is rendered.
      visibleBoxes.current = applyEdit(visibleBoxes.current, edit);
      saver.edit(edit);
      if (lastActionRef.current?.notice !== undefined) notices.dismiss(lastActionRef.current.notice);
      notices.addWithAction(message, 'Undo', () => undo());
      lastActionRef.current = { undo: undoEdit, notice: notices.getShown()[0]?.id };
    }
    return {
      move: (application, to) => {
        if (visibleBoxes.current && getCategory(visibleBoxes.current, application) !== to)
          applyWithUndo({ kind: 'move', application, to }, `${application} moved to ${to}`);
      },
      remove: (category) => applyWithUndo({ kind: 'remove', category }, `Deleted ${category}`),
      add: () => {
        // oxlint-disable-next-line no-alert -- specified prompt (docs/specification/screentime.md section 1.7)
        const name = window.prompt('Enter a name for the new category');
        if (name === null || !visibleBoxes.current) return;
        if (canAddCategory(visibleBoxes.current, name))
          applyWithUndo({ kind: 'add', category: name.trim() }, `Added ${name.trim()}`);
        // oxlint-disable-next-line no-alert -- specified alert (docs/specification/screentime.md section 5)
        else window.alert(INVALID_NAME_MESSAGE);
      },
      undo,
    };
  }, [saver]);
}

const CATEGORIES_KEY = [SCREEN_TIME, 'categories'] as const;
export const RULES_KEY = [SCREEN_TIME, 'rules'] as const;

const sortingOptions = queryOptions({
  queryKey: CATEGORIES_KEY,
  queryFn: async (): Promise<CategoryBoxes> => toCategoryBoxes((await call(applicationcatinfo, {})).data),
  // While connected, every change is notified.
  staleTime: createLiveStaleTime([categoriesChanged]),
});

const createSortingSaver = (queryClient: QueryClient, isSameUserAsBefore: () => boolean) =>
  createSaver({
    load: async () => {
      const { boxes } = toCategoryBoxes((await call(applicationcatinfo, {})).data);
      return boxes;
    },
    send: async (before, after) => {
      // Another user may have logged in meanwhile.
      if (!isSameUserAsBefore()) throw new InvalidTokenRefusal();
      await call(modifyapplicationcatinfo, toRequest(before, after));
    },
    onSaved: (boxes: readonly Box[]) => {
      queryClient.setQueryData<CategoryBoxes>(CATEGORIES_KEY, (current) => current && { ...current, boxes });
      // Loads what the server made of it, such as the normalized hotkey.
      void queryClient.invalidateQueries({ queryKey: CATEGORIES_KEY });
    },
    onRefused: (refusal) => notices.add('bad', refusal.message),
  });

/** Asks before the page closes or the user logs out with unsaved changes. */
function guardUnsaved(saver: Saver): () => void {
  const countUnsaved = (): number => saver.getState().edits.length;
  function handleBeforeUnload(event: BeforeUnloadEvent): void {
    if (countUnsaved() > 0) event.preventDefault();
  }
  window.addEventListener('beforeunload', handleBeforeUnload);
  const stopCounting = offlineStorage.addCounter(countUnsaved);
  return () => {
    window.removeEventListener('beforeunload', handleBeforeUnload);
    stopCounting();
  };
}

interface SharedSaver {
  session: Session | undefined;
  readonly saver: Saver;
  readonly release: () => void;
}
let sharedSaver: SharedSaver | undefined;

const isSameUser = (a: Session | undefined, b: Session | undefined): boolean =>
  a?.token === b?.token || (a !== undefined && a.username !== '' && a.username === b?.username);

/** Remembers the user, and discards everything when they log out. */
function followSession(shared: SharedSaver): void {
  const current = session.getCurrent();
  if (current && current.token === shared.session?.token) shared.session = current;
  if (current || !session.hasLoggedOut() || sharedSaver !== shared) return;
  shared.release();
  sharedSaver = undefined;
}

/**
 * Returns a saver that survives the page and an expired session: unsaved edits return for the same user
 * only.
 */
function getSaver(currentSession: Session | undefined, queryClient: QueryClient): Saver {
  const isReusable =
    sharedSaver !== undefined &&
    sharedSaver.saver.getState().edits.length > 0 &&
    isSameUser(sharedSaver.session, currentSession);
  if (sharedSaver && isReusable) {
    sharedSaver.session = currentSession;
    return sharedSaver.saver;
  }
  sharedSaver?.release();
  const saver = createSortingSaver(queryClient, () => isSameUser(newSaver.session, session.getCurrent()));
  const stops = [guardUnsaved(saver), session.subscribe(() => followSession(newSaver))];
  const newSaver: SharedSaver = { session: currentSession, saver, release: () => stops.forEach((stop) => stop()) };
  sharedSaver = newSaver;
  return saver;
}

/** Returns whether there are unsaved changes that need a login. */
export function hasUnsavedChanges(): boolean {
  return (sharedSaver?.saver.getState().edits.length ?? 0) > 0;
}

/** Reloads after changes by other pages, rules and computers. */
function useReloadOnChange(queryClient: QueryClient): void {
  function reload(): void {
    for (const queryKey of [CATEGORIES_KEY, RULES_KEY]) void queryClient.invalidateQueries({ queryKey });
  }
  useRealtimeEvent(categoriesChanged, reload);
  useConnectionStateChange((state) => state === 'connected' && reload());
}

/** Loads the categories with unsaved edits, and saves edits. */
export function useSorting() {
  const queryClient = useQueryClient();
  const { data, error, refetch } = useQuery(sortingOptions);
  const currentSession = useSession();
  const [saver] = useState(() => getSaver(currentSession, queryClient));
  const { edits, status } = useSyncExternalStore(saver.subscribe, saver.getState);
  useReloadOnChange(queryClient);
  useEffect(() => {
    function saveRemaining(): void {
      if (reachability.isReachable() && saver.getState().edits.length > 0) saver.save();
    }
    saveRemaining();
    return reachability.subscribe(saveRemaining);
  }, [saver]);
  const boxes = useMemo(() => data && edits.reduce(applyEdit, data.boxes), [data, edits]);
  return { sorting: data, boxes, error, refetch, saver, status };
}
