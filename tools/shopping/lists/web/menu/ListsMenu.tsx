import { Button } from '@mantine/core';
import { IconArchive, IconCloudUp, IconPlus, IconRefresh, IconTrash, IconUsers } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { HttpsHint } from '#platform/web/page/HttpsHint.tsx';
import type { Icon } from '#platform/web/tool.ts';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import type { ListEntry, Planner } from '../plannerTypes.ts';
import { Invitations } from './Invitations.tsx';
import styles from './ListsMenu.module.css';

interface StorageLimitsProps extends Pick<Planner, 'isStored' | 'offline'> {
  readonly className: string | undefined;
}

/** Explains that this browser can't store lists, or can't open them offline. */
export function StorageLimits({ isStored, offline, className }: StorageLimitsProps) {
  if (offline === 'insecure')
    return (
      <p className={className}>
        <HttpsHint>Opening lists offline needs https</HttpsHint>
      </p>
    );
  if (isStored) return null;
  return (
    <p className={className} role="status">
      This browser does not store data for this page, so you lose unsent changes when you close it
    </p>
  );
}

const SMALL_ICON = { size: 16, stroke: 1.75 };

export interface ListsMenuProps {
  readonly planner: Planner;
  /** Key of the open list. */
  readonly selectedKey: string | undefined;
  /** Of the open list; undefined until it is loaded. */
  readonly itemsLeft: ItemsLeft | undefined;
  readonly onSelect: (key: string) => void;
  readonly onCreate: () => void;
  readonly onRestore: (list: { readonly id: number; readonly name: string }) => void;
}

/** Number of open items; 'empty' if the list has no items. */
export type ItemsLeft = number | 'empty';

function formatItemsLeft(itemsLeft: ItemsLeft): string {
  if (itemsLeft === 'empty') return itemsLeft;
  return itemsLeft === 0 ? 'done' : `${itemsLeft} left`;
}

/** Status of a list, beside its name. */
function Note({ entry, itemsLeft }: { readonly entry: ListEntry; readonly itemsLeft: ItemsLeft | undefined }) {
  if (entry.unsent > 0 && itemsLeft === undefined)
    return (
      <span className={`${styles['note']} num`}>
        <IconCloudUp size={14} stroke={1.75} aria-hidden />
        <span className="unseen">changes to send: </span>
        {entry.unsent}
      </span>
    );
  return (
    <span className={`${styles['note']} num`}>
      {entry.members > 1 && (
        <span className={styles['shared']} title={`Shared by ${entry.members} people`}>
          <IconUsers size={14} stroke={1.75} aria-hidden />
          <span className="unseen">shared by </span>
          {entry.members}
        </span>
      )}
      {itemsLeft !== undefined && <span>{formatItemsLeft(itemsLeft)}</span>}
    </span>
  );
}

interface EntryProps extends Pick<ListsMenuProps, 'selectedKey' | 'itemsLeft' | 'onSelect'> {
  readonly entry: ListEntry;
}

function Entry({ entry, selectedKey, itemsLeft, onSelect }: EntryProps) {
  const isSelected = entry.key === selectedKey;
  return (
    <li>
      <button
        type="button"
        className={styles['list']}
        aria-current={isSelected || undefined}
        onClick={() => onSelect(entry.key)}
      >
        <span className={styles['name']}>
          <span className="ellipsis" dir="auto">
            {entry.name}
          </span>
          {entry.owner !== undefined && <small className="ellipsis">by {entry.owner}</small>}
        </span>
        <Note entry={entry} itemsLeft={isSelected ? itemsLeft : undefined} />
      </button>
    </li>
  );
}

interface CollapsibleGroupProps {
  readonly icon: Icon;
  readonly title: string;
  readonly count: number;
  readonly isOpen?: boolean;
  readonly children: ReactNode;
}

/** A collapsed group of lists. */
function CollapsibleGroup({ icon: Icon, title, count, isOpen = false, children }: CollapsibleGroupProps) {
  if (count === 0) return null;
  return (
    <details className={styles['folded']} open={isOpen || undefined}>
      <summary>
        <Icon {...SMALL_ICON} />
        {title} ({count})
      </summary>
      <ul>{children}</ul>
    </details>
  );
}

/** The menu of lists (docs/specification/shopping.md section 1.1). */
export function ListsMenu({ planner, selectedKey, itemsLeft, onSelect, onCreate, onRestore }: ListsMenuProps) {
  const activeLists = planner.lists.filter(({ isArchived }) => !isArchived);
  const archivedLists = planner.lists.filter(({ isArchived }) => isArchived);
  const renderEntry = (listEntry: ListEntry) => (
    <Entry key={listEntry.key} entry={listEntry} selectedKey={selectedKey} itemsLeft={itemsLeft} onSelect={onSelect} />
  );
  return (
    <div className={styles['lists']}>
      <Button leftSection={<IconPlus {...SMALL_ICON} />} onClick={onCreate}>
        Create
      </Button>
      {planner.invitations.length > 0 && (
        <>
          <h2 className={styles['heading']}>Invitations</h2>
          <Invitations planner={planner} onSelect={onSelect} />
        </>
      )}
      <div className={styles['head']}>
        <h2 className={styles['heading']}>Current lists</h2>
        <IconButton label="Reload lists" size={28} onClick={planner.reload}>
          <IconRefresh {...SMALL_ICON} />
        </IconButton>
      </div>
      {planner.isLoading && planner.lists.length === 0 ? (
        <div className={styles['skeleton']} aria-hidden>
          <i />
          <i />
          <i />
        </div>
      ) : (
        <ul aria-label="Current lists">{activeLists.map(renderEntry)}</ul>
      )}
      {!planner.isLoading && activeLists.length === 0 && <p className={styles['empty']}>No lists yet</p>}
      <CollapsibleGroup
        icon={IconArchive}
        title="Archived"
        count={archivedLists.length}
        isOpen={archivedLists.some(({ key }) => key === selectedKey)}
      >
        {archivedLists.map(renderEntry)}
      </CollapsibleGroup>
      <CollapsibleGroup icon={IconTrash} title="Bin" count={planner.deleted.length}>
        {planner.deleted.map((list) => (
          <li key={list.id} className={styles['deleted']}>
            <span className="ellipsis" dir="auto">
              {list.name}
            </span>
            <Button size="compact-sm" aria-label={`Restore ${list.name}`} onClick={() => onRestore(list)}>
              Restore
            </Button>
          </li>
        ))}
      </CollapsibleGroup>
      <StorageLimits className={styles['limits']} isStored={planner.isStored} offline={planner.offline} />
    </div>
  );
}
