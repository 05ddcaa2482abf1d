import { Button } from '@mantine/core';
import { IconShoppingCart } from '@tabler/icons-react';
import { Suspense, useEffect, useMemo, useState, useCallback, useSyncExternalStore } from 'react';
import { useCommands } from '#platform/web/app/commands.ts';
import { lazyPart } from '#platform/web/app/lazyPart.ts';
import { offlineStorage } from '#platform/web/app/offlineStorage.ts';
import { useIsReachable } from '#platform/web/app/reachability.ts';
import { useSession } from '#platform/web/app/session.ts';
import { useOfflineState } from '#platform/web/app/useOfflineState.ts';
import { useUsername } from '#platform/web/app/useUsername.ts';
import { EmptyState } from '#platform/web/ui/EmptyState.tsx';
import { getLists, startLists } from '../../sync/web/currentLists.ts';
import type { Lists } from '../../sync/web/openLists.ts';
import type { SyncStatus } from '../../sync/web/syncDriver.ts';
import { type List, isDone } from '../domain/list.ts';
import { Invitations } from './menu/Invitations.tsx';
import { StorageLimits, ListsMenu, type ItemsLeft, type ListsMenuProps } from './menu/ListsMenu.tsx';
import { PlannerHeader } from './menu/PlannerHeader.tsx';
import { useListActions } from './menu/useListActions.ts';
import { useMenu, useIsSmall, usePlannerLocation } from './menu/usePlannerLocation.ts';
import type { Planner, OpenList } from './plannerTypes.ts';
import { Loading, OpenedList } from './view/OpenedList.tsx';
import styles from './PlannerPage.module.css';

/** Returns the lists of the account; undefined until the account is known. */
function useLists(): Lists | undefined {
  const isLoggedIn = useSession() !== undefined;
  // Requests the name if the token was stored without it.
  useUsername();
  useEffect(() => offlineStorage.setAccount());
  const account = isLoggedIn ? offlineStorage.getAccount() : undefined;
  const lists = account === undefined ? undefined : getLists(account);
  useEffect(() => {
    if (lists) startLists(lists);
  }, [lists]);
  return lists;
}

const subscribeToNothing = (): (() => void) => () => undefined;
const CLOSED_STATUS: SyncStatus = {
  list: undefined,
  state: 'saved',
  unsent: 0,
  storedCount: 0,
  flashing: new Set(),
  isGone: false,
  problem: undefined,
};

/** Subscribes to one list by its key; without a key there is none. */
function useList(key: string | undefined): OpenList {
  const lists = useLists();
  // The result is the same object at every call, once the stored lists are read.
  const find = useCallback(() => (key === undefined ? undefined : lists?.open(key)), [lists, key]);
  const opened = useSyncExternalStore(lists?.subscribe ?? subscribeToNothing, find);
  useEffect(() => (key === undefined || !opened ? undefined : lists?.retain(key)), [lists, key, opened]);
  const status = useSyncExternalStore(
    opened?.sync.subscribe ?? subscribeToNothing,
    useCallback(() => opened?.sync.getStatus() ?? CLOSED_STATUS, [opened]),
  );
  const change = useMemo<OpenList['change']>(
    () => (key !== undefined && opened && lists?.getChange(key)) || (() => undefined),
    [lists, key, opened],
  );
  const undo = useCallback(() => opened?.undo.undo(), [opened]);
  const getKey = useCallback<OpenList['getKey']>((id) => opened?.sync.getKey(id) ?? id, [opened]);
  return useMemo(
    () => ({ ...status, change, undo, getKey, canUndo: opened?.undo.canUndo() ?? false }),
    [status, change, undo, getKey, opened],
  );
}

/** Shown until the account is known. */
const LOADING_PLANNER: Planner = {
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
  remove: () => undefined,
};

/** Subscribes to all lists of the account. From its first use on, the page also opens offline. */
function usePlanner(): Planner {
  const offline = useOfflineState();
  const lists = useLists();
  const planner = useSyncExternalStore(
    lists?.subscribe ?? subscribeToNothing,
    useCallback(() => lists?.getPlanner() ?? LOADING_PLANNER, [lists]),
  );
  return useMemo(() => ({ ...planner, offline }), [planner, offline]);
}

const MenuSheet = lazyPart(async () => (await import('./menu/MenuSheet.tsx')).MenuSheet);

function countItemsLeft(list: List | undefined): ItemsLeft | undefined {
  if (!list) return undefined;
  return list.items.size === 0 ? 'empty' : [...list.items.values()].filter((item) => !isDone(item)).length;
}

/** Time until the menu contains a new list. */
const MISSING_DELAY_MS = 1000;

/** Reloads if the menu does not contain the open list, to learn whether it was deleted or is no longer shared. */
function useReloadIfMissing(isMissing: boolean, reload: () => void): void {
  useEffect(() => {
    if (!isMissing) return undefined;
    const timer = setTimeout(reload, MISSING_DELAY_MS);
    return () => clearTimeout(timer);
  }, [isMissing, reload]);
}

function NoList({ planner, onCreate }: { readonly planner: Planner; readonly onCreate: () => void }) {
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
  readonly lists: ListsMenuProps;
  readonly isSmall: boolean;
  readonly menu: ReturnType<typeof useMenu>;
}

interface PageStorageLimitsProps {
  readonly planner: Planner;
  readonly isInMenu: boolean;
  readonly isBelow: boolean;
}

/** Shows the limits if the menu doesn't: below the list, or above it while offline, when they matter. */
function PageStorageLimits({ planner, isInMenu, isBelow }: PageStorageLimitsProps) {
  const isReachable = useIsReachable();
  if (isInMenu || isReachable !== isBelow) return null;
  return <StorageLimits className={styles['limits']} isStored={planner.isStored} offline={planner.offline} />;
}

/** The menu of lists: beside the list, or as a sheet over it in a narrow window. */
function Menu({ lists, isSmall, menu }: MenuProps) {
  const [hadSheet, setHadSheet] = useState(false);
  if (isSmall && menu.isOpen && !hadSheet) setHadSheet(true);
  if (isSmall)
    return hadSheet ? (
      <Suspense>
        <MenuSheet {...lists} isOpen={menu.isOpen} onClose={() => menu.setOpen(false)} />
      </Suspense>
    ) : null;
  if (!menu.isOpen) return null;
  return (
    <aside className={styles['menu']} aria-label="Shopping Planner">
      <ListsMenu {...lists} />
    </aside>
  );
}

export default function PlannerPage() {
  const planner = usePlanner();
  const location = usePlannerLocation(planner.lists);
  const openList = useList(location.key);
  const isSmall = useIsSmall();
  const menu = useMenu(isSmall);
  const actions = useListActions({ planner, onLeave: location.leave, onSelect: location.select });
  const [newListKey, setNewListKey] = useState<string>();
  const { list } = openList;
  useReloadIfMissing(list !== undefined && !location.entry && !openList.isGone && !planner.isLoading, planner.reload);
  const itemsLeft = useMemo(() => countItemsLeft(list), [list]);
  /** Whether to create a list once the account is known. */
  const [isCreationPending, setCreationPending] = useState(false);
  function create(): void {
    setCreationPending(!planner.isKnown);
    if (!planner.isKnown) return;
    const newKey = planner.create();
    setNewListKey(newKey);
    location.select(newKey);
  }
  useEffect(() => {
    // oxlint-disable-next-line react-hooks-js/set-state-in-effect -- created outside of React, once the account is known
    if (isCreationPending && planner.isKnown) create();
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
  const lists: ListsMenuProps = {
    planner,
    selectedKey: location.key,
    itemsLeft,
    onSelect: location.select,
    onCreate: create,
    onRestore: (deleted) => void actions.restore(deleted),
  };
  const hasMenu = !isSmall && menu.isOpen;
  return (
    <div className={styles['planner']} data-flush data-menu={hasMenu || undefined}>
      <PlannerHeader openList={openList} isMenuOpen={menu.isOpen} onMenuToggle={menu.setOpen} />
      <Menu lists={lists} isSmall={isSmall} menu={menu} />
      <section className={styles['container']} aria-label={list?.name ?? 'List'}>
        <PageStorageLimits planner={planner} isInMenu={menu.isOpen} isBelow={false} />
        {!hasMenu && planner.invitations.length > 0 && (
          <div className={styles['invitations']}>
            <Invitations planner={planner} onSelect={location.select} />
          </div>
        )}
        {location.key === undefined ? (
          <NoList planner={planner} onCreate={create} />
        ) : (
          <OpenedList
            key={location.key}
            planner={planner}
            listKey={location.key}
            openList={openList}
            entry={location.entry}
            actions={actions}
            isEditing={location.isEditing}
            isNew={newListKey === location.key}
            onEdit={location.edit}
          />
        )}
        <PageStorageLimits planner={planner} isInMenu={menu.isOpen} isBelow />
      </section>
    </div>
  );
}
