import { Button } from '@mantine/core';
import { IconArchive, IconCloudUp, IconPlus, IconRefresh, IconTrash, IconUsers } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { HttpsHint } from '#platform/web/page/HttpsHint.tsx';
import type { Icon } from '#platform/web/tool.ts';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import type { ListEntry, Planner } from '../plannerTypes.ts';
import { Invitations } from './Invitations.tsx';
import styles from './ListsMenu.module.css';

interface LimitsProps extends Pick<Planner, 'isStored' | 'offline'> {
  readonly className: string | undefined;
}

/** What this browser can't do for the planner. Shown in the menu, or on the page if the menu is closed. */
export function Limits({ isStored, offline, className }: LimitsProps) {
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

const small = { size: 16, stroke: 1.75 };

export interface ListsProps {
  readonly planner: Planner;
  /** Key of the open list. */
  readonly current: string | undefined;
  /** How much of the open list is still to be bought; undefined until it is known. */
  readonly left: ItemsLeft | undefined;
  readonly onPick: (key: string) => void;
  readonly onCreate: () => void;
  readonly onRestore: (list: { readonly id: number; readonly name: string }) => void;
}

/** Number of open items; 'empty' if the list has no items. */
export type ItemsLeft = number | 'empty';

const formatItemsLeft = (left: ItemsLeft): string => {
  if (left === 'empty') return left;
  return left === 0 ? 'done' : `${left} left`;
};

/** Status of a list, beside its name. */
function Note({ entry, left }: { readonly entry: ListEntry; readonly left: ItemsLeft | undefined }) {
  if (entry.unsent > 0 && left === undefined)
    return (
      <span className={styles['note']}>
        <IconCloudUp size={14} stroke={1.75} aria-hidden />
        <span className="unseen">changes to send: </span>
        {entry.unsent}
      </span>
    );
  return (
    <span className={styles['note']}>
      {entry.members > 1 && (
        <span className={styles['shared']} title={`Shared by ${entry.members} people`}>
          <IconUsers size={14} stroke={1.75} aria-hidden />
          <span className="unseen">shared by </span>
          {entry.members}
        </span>
      )}
      {left !== undefined && <span>{formatItemsLeft(left)}</span>}
    </span>
  );
}

interface EntryProps extends Pick<ListsProps, 'current' | 'left' | 'onPick'> {
  readonly entry: ListEntry;
}

function Entry({ entry, current, left, onPick }: EntryProps) {
  const isCurrent = entry.key === current;
  return (
    <li>
      <button
        type="button"
        className={styles['list']}
        aria-current={isCurrent || undefined}
        onClick={() => onPick(entry.key)}
      >
        <span className={styles['name']}>
          <span className="ellipsis" dir="auto">
            {entry.name}
          </span>
          {entry.owner !== undefined && <small className="ellipsis">by {entry.owner}</small>}
        </span>
        <Note entry={entry} left={isCurrent ? left : undefined} />
      </button>
    </li>
  );
}

interface FoldedProps {
  readonly icon: Icon;
  readonly title: string;
  readonly count: number;
  readonly isOpen?: boolean;
  readonly children: ReactNode;
}

/** A collapsed group of lists. */
function Folded({ icon: Icon, title, count, isOpen = false, children }: FoldedProps) {
  if (count === 0) return null;
  return (
    <details className={styles['folded']} open={isOpen || undefined}>
      <summary>
        <Icon {...small} />
        {title} ({count})
      </summary>
      <ul>{children}</ul>
    </details>
  );
}

/** The menu of lists (docs/specification/shopping.md section 1.1). */
export function Lists({ planner, current, left, onPick, onCreate, onRestore }: ListsProps) {
  const activeLists = planner.lists.filter(({ isArchived }) => !isArchived);
  const archived = planner.lists.filter(({ isArchived }) => isArchived);
  const entry = (each: ListEntry) => (
    <Entry key={each.key} entry={each} current={current} left={left} onPick={onPick} />
  );
  return (
    <div className={styles['lists']}>
      <Button leftSection={<IconPlus {...small} />} onClick={onCreate}>
        Create
      </Button>
      {planner.invitations.length > 0 && (
        <>
          <h2 className={styles['heading']}>Invitations</h2>
          <Invitations planner={planner} onPick={onPick} />
        </>
      )}
      <div className={styles['head']}>
        <h2 className={styles['heading']}>Current lists</h2>
        <IconButton label="Reload lists" size={28} onClick={planner.reload}>
          <IconRefresh {...small} />
        </IconButton>
      </div>
      {planner.isLoading && planner.lists.length === 0 ? (
        <div className={styles['skeleton']} aria-hidden>
          <i />
          <i />
          <i />
        </div>
      ) : (
        <ul aria-label="Current lists">{activeLists.map(entry)}</ul>
      )}
      {!planner.isLoading && activeLists.length === 0 && <p className={styles['empty']}>No lists yet</p>}
      <Folded
        icon={IconArchive}
        title="Archived"
        count={archived.length}
        isOpen={archived.some(({ key }) => key === current)}
      >
        {archived.map(entry)}
      </Folded>
      <Folded icon={IconTrash} title="Bin" count={planner.deleted.length}>
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
      </Folded>
      <Limits className={styles['limits']} isStored={planner.isStored} offline={planner.offline} />
    </div>
  );
}
