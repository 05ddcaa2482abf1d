import { Button } from '@mantine/core';
import { IconShoppingCart } from '@tabler/icons-react';
import { Suspense, useEffect, useMemo, useState, useCallback, useSyncExternalStore } from 'react';
import { useCommands } from '#platform/web/app/commands.ts';
import { lazyPart } from '#platform/web/app/lazyPart.ts';
import { offlineStorage } from '#platform/web/app/offline.ts';
import { useOfflineState } from '#platform/web/app/offlinePage.ts';
import { useIsReachable } from '#platform/web/app/reachability.ts';
import { useSession } from '#platform/web/app/session.ts';
import { useUsername } from '#platform/web/app/username.ts';
import { EmptyState } from '#platform/web/ui/EmptyState.tsx';
import { getLists, startLists } from '../../sync/web/currentLists.ts';
import type { Lists as UseListsLists } from '../../sync/web/openLists.ts';
import type { SyncStatus } from '../../sync/web/syncDriver.ts';
import { type List, isDone } from '../domain/list.ts';
import { Invitations } from './menu/Invitations.tsx';
import { Limits, Lists, type ItemsLeft, type ListsProps } from './menu/ListsMenu.tsx';
import { Head } from './menu/PlannerHeader.tsx';
import { useListActs } from './menu/useListActions.ts';
import { useMenu, useSmall, usePlace } from './menu/usePlannerLocation.ts';
import type { Planner, OpenList } from './plannerTypes.ts';
import { Loading, Opened } from './view/OpenedList.tsx';
import styles from './PlannerPage.module.css';

/** Returns the lists of the signed-in account; undefined until the account is known. */
export function useLists(): UseListsLists | undefined {
  const signedIn = useSession() !== undefined;
  // Requests the name if the token was stored without it.
  useUsername();
  useEffect(() => offlineStorage.setAccount());
  const account = signedIn ? offlineStorage.getAccount() : undefined;
  const lists = account === undefined ? undefined : getLists(account);
  useEffect(() => {
    if (lists) startLists(lists);
  }, [lists]);
  return lists;
}

const never = (): (() => void) => () => undefined;
const CLOSED: SyncStatus = {
  list: undefined,
  state: 'saved',
  unsent: 0,
  storedCount: 0,
  flashing: new Set(),
  isGone: false,
  problem: undefined,
};

/** Subscribes to one list by its key; without a key there is none. */
export function useList(key: string | undefined): OpenList {
  const lists = useLists();
  // The result is the same object at every call, once the stored lists are read.
  const find = useCallback(() => (key === undefined ? undefined : lists?.open(key)), [lists, key]);
  const opened = useSyncExternalStore(lists?.subscribe ?? never, find);
  useEffect(() => (key === undefined || !opened ? undefined : lists?.use(key)), [lists, key, opened]);
  const standing = useSyncExternalStore(
    opened?.sync.subscribe ?? never,
    useCallback(() => opened?.sync.getStatus() ?? CLOSED, [opened]),
  );
  const change = useMemo<OpenList['change']>(
    () => (key !== undefined && opened && lists?.getChange(key)) || (() => undefined),
    [lists, key, opened],
  );
  const undo = useCallback(() => opened?.undo.back(), [opened]);
  const getKey = useCallback<OpenList['getKey']>((id) => opened?.sync.getKey(id) ?? id, [opened]);
  return useMemo(
    () => ({ ...standing, change, undo, getKey, canUndo: opened?.undo.can() ?? false }),
    [standing, change, undo, getKey, opened],
  );
}

const subscribeToNothing = (): (() => void) => () => undefined;

/** Shown until the account is known. */
const LOADING: Planner = {
  lists: [],
  invitations: [],
  deleted: [],
  globalItems: [],
  isKnown: false,
  isLoading: true,
  isStored: true,
  offline: 'preparing',
  reload: () => undefined,
  create: () => '',
  drop: () => undefined,
};

/** Subscribes to all lists of the account. From its first use on, the page also opens offline. */
export function usePlanner(): Planner {
  const offline = useOfflineState();
  const lists = useLists();
  const planner = useSyncExternalStore(
    lists?.subscribe ?? subscribeToNothing,
    useCallback(() => lists?.planner() ?? LOADING, [lists]),
  );
  return useMemo(() => ({ ...planner, offline }), [planner, offline]);
}

const MenuSheet = lazyPart(async () => (await import('./menu/MenuSheet.tsx')).MenuSheet);

const countItemsLeft = (list: List | undefined): ItemsLeft | undefined => {
  if (!list) return undefined;
  return list.items.size === 0 ? 'empty' : [...list.items.values()].filter((item) => !isDone(item)).length;
};

/** A new list needs a moment until the menu contains it. */
const SURE_MS = 1000;

/**
 * Reloads if the menu no longer contains the open list: it was deleted or unshared. The answer says so.
 */
const useMissed = (isMissed: boolean, reload: () => void): void => {
  useEffect(() => {
    if (!isMissed) return undefined;
    const ask = setTimeout(reload, SURE_MS);
    return () => clearTimeout(ask);
  }, [isMissed, reload]);
};

interface NoListProps {
  readonly planner: Planner;
  readonly onCreate: () => void;
}

function NoList({ planner, onCreate }: NoListProps) {
  if (planner.isLoading) return <Loading />;
  return (
    <EmptyState icon={IconShoppingCart} text="Your shopping lists appear here. Create the first one">
      <Button variant="primary" onClick={onCreate}>
        Create
      </Button>
    </EmptyState>
  );
}

interface MenuProps {
  readonly lists: ListsProps;
  readonly small: boolean;
  readonly menu: ReturnType<typeof useMenu>;
}

interface OwnLimitsProps {
  readonly planner: Planner;
  readonly isInMenu: boolean;
  readonly isBelow: boolean;
}

/** Shows the page's limits if the menu doesn't: below the list, and above it when offline, where they matter. */
function OwnLimits({ planner, isInMenu, isBelow }: OwnLimitsProps) {
  const isReached = useIsReachable();
  if (isInMenu || isReached !== isBelow) return null;
  return <Limits className={styles['limits']} isStored={planner.isStored} offline={planner.offline} />;
}

/** The menu of lists: beside the list, or as a sheet over it in a narrow window. */
function Menu({ lists, small, menu }: MenuProps) {
  const [hadSheet, setHadSheet] = useState(false);
  if (small && menu.isOpen && !hadSheet) setHadSheet(true);
  if (small)
    return hadSheet ? (
      <Suspense>
        <MenuSheet {...lists} opened={menu.isOpen} onClose={() => menu.setOpen(false)} />
      </Suspense>
    ) : null;
  if (!menu.isOpen) return null;
  return (
    <aside className={styles['menu']} aria-label="Shopping Planner">
      <Lists {...lists} />
    </aside>
  );
}

export default function PlannerPage() {
  const planner = usePlanner();
  const place = usePlace(planner.lists);
  const open = useList(place.key);
  const small = useSmall();
  const menu = useMenu(small);
  const actions = useListActs({ planner, leave: place.leave, pick: place.pick });
  const [fresh, setFresh] = useState<string>();
  const { list } = open;
  useMissed(list !== undefined && !place.entry && !open.isGone && !planner.isLoading, planner.reload);
  const left = useMemo(() => countItemsLeft(list), [list]);
  const [isWished, setWished] = useState(false);
  const create = (): void => {
    setWished(!planner.isKnown);
    if (!planner.isKnown) return;
    const newKey = planner.create();
    setFresh(newKey);
    place.pick(newKey);
  };
  useEffect(() => {
    // oxlint-disable-next-line react-hooks-js/set-state-in-effect -- created outside of React, once the account is known
    if (isWished && planner.isKnown) create();
  });
  useCommands([
    { id: 'shopping.create', name: 'New list', keys: 'n', opensField: true, run: create },
    {
      id: 'shopping.menu',
      name: menu.isOpen ? 'Hide Menu' : 'Show Menu',
      keys: 'm',
      run: () => menu.setOpen(!menu.isOpen),
    },
    { id: 'shopping.reload', name: 'Reload lists', run: planner.reload },
  ]);
  const lists: ListsProps = {
    planner,
    current: place.key,
    left,
    onPick: place.pick,
    onCreate: create,
    onRestore: (deleted) => void actions.restore(deleted),
  };
  const hasMenu = !small && menu.isOpen;
  return (
    <div className={styles['planner']} data-flush data-menu={hasMenu || undefined}>
      <Head open={open} isOpen={menu.isOpen} onMenu={menu.setOpen} />
      <Menu lists={lists} small={small} menu={menu} />
      <section className={styles['container']} aria-label={list?.name ?? 'List'}>
        <OwnLimits planner={planner} isInMenu={menu.isOpen} isBelow={false} />
        {!hasMenu && planner.invitations.length > 0 && (
          <div className={styles['invitations']}>
            <Invitations planner={planner} onPick={place.pick} />
          </div>
        )}
        {place.key === undefined ? (
          <NoList planner={planner} onCreate={create} />
        ) : (
          <Opened
            key={place.key}
            planner={planner}
            listKey={place.key}
            open={open}
            entry={place.entry}
            actions={actions}
            isEditing={place.isEditing}
            isFresh={fresh === place.key}
            onEdit={place.edit}
          />
        )}
        <OwnLimits planner={planner} isInMenu={menu.isOpen} isBelow />
      </section>
    </div>
  );
}
