import { Button } from '@mantine/core';
import { IconAlertTriangle, IconCloudOff, IconCopy } from '@tabler/icons-react';
import { Suspense, useState, useEffect, useMemo } from 'react';
import { createPortal, flushSync } from 'react-dom';
import { lazyPart } from '#platform/web/app/lazyPart.ts';
import { QueryError } from '#platform/web/ui/QueryState.tsx';
import {
  findDuplicates,
  getMergedItem,
  createMergeChanges,
  getNameKey,
  type Duplicate,
} from '../../domain/duplicates.ts';
import { type List, isCheckbox, isDone } from '../../domain/list.ts';
import type { ListActions } from '../menu/useListActions.ts';
import type { ListEntry, OpenList, Planner } from '../plannerTypes.ts';
import { ListHeader } from './ListHeader.tsx';
import { toBlocks } from './viewBlocks.ts';
import { ViewMode } from './ViewMode.tsx';
import styles from './OpenedList.module.css';

/** Replaces the page in print: types in columns, with a box per item. Only rendered while printing. */
export function PrintSheet({ list }: { readonly list: List }) {
  const [isPrinting, setPrinting] = useState(false);
  useEffect(() => {
    // Rendered synchronously, as the browser takes the page right after the event.
    const startPrinting = (): void => flushSync(() => setPrinting(true));
    const stopPrinting = (): void => setPrinting(false);
    window.addEventListener('beforeprint', startPrinting);
    window.addEventListener('afterprint', stopPrinting);
    return () => {
      window.removeEventListener('beforeprint', startPrinting);
      window.removeEventListener('afterprint', stopPrinting);
    };
  }, []);
  if (!isPrinting) return null;
  return createPortal(
    <article className={styles['sheet']} aria-label={`${list.name}, for the printer`}>
      <h1 dir="auto">{list.name}</h1>
      <div className={styles['types']}>
        {toBlocks(list).blocks.map(({ id, type, items }) => (
          <section key={id}>
            <h2 dir="auto">{type.name}</h2>
            <ul>
              {items.map(([itemId, item]) => (
                <li key={itemId} data-done={isDone(item) || undefined}>
                  <i className={styles['box']}>{isDone(item) ? '✓' : ''}</i>
                  <span dir="auto">
                    {item.emoji} {item.name}
                  </span>
                  {!isCheckbox(item.state) && (
                    <b>{item.actual === 0 || isDone(item) ? item.desired : `${item.actual}/${item.desired}`}</b>
                  )}
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </article>,
    document.body,
  );
}

const MAX_SHOWN_DUPLICATES = 3;

/** Label of the merge button; two checkboxes have no amounts to add up. */
function formatMergeLabel(list: List, duplicate: Duplicate): string {
  const merged = getMergedItem(list, duplicate);
  return !merged || isCheckbox(merged.state) ? 'Merge' : `Add up: ${merged.desired.toLocaleString('en')}`;
}

/** Shows names that are on the list more than once, and offers to merge their items. */
export function Duplicates({ list, openList }: { readonly list: List; readonly openList: OpenList }) {
  // Duplicates that the user keeps, while the page shows this list.
  const [dismissed, setDismissed] = useState<ReadonlySet<string>>(new Set());
  const duplicates = useMemo(() => findDuplicates(list), [list]);
  const visibleDuplicates = duplicates.filter(({ name }) => !dismissed.has(getNameKey(name)));
  if (visibleDuplicates.length === 0) return null;
  return (
    <div className={styles['duplicates']} role="status">
      {visibleDuplicates.slice(0, MAX_SHOWN_DUPLICATES).map((duplicate) => (
        <div key={openList.getKey(duplicate.ids[0] ?? '')} className={styles['line']}>
          <IconCopy size={16} stroke={1.75} aria-hidden />
          <p>
            <span dir="auto">{duplicate.name}</span> is on this list{' '}
            {duplicate.ids.length === 2 ? 'twice' : `${duplicate.ids.length.toLocaleString('en')} times`}
          </p>
          <Button
            size="compact-md"
            aria-label={`${formatMergeLabel(list, duplicate)} ${duplicate.name}`}
            onClick={() => openList.change(createMergeChanges(list, duplicate))}
          >
            {formatMergeLabel(list, duplicate)}
          </Button>
          <Button
            size="compact-md"
            variant="subtle"
            aria-label={`Keep all: ${duplicate.name}`}
            onClick={() => setDismissed(new Set(dismissed).add(getNameKey(duplicate.name)))}
          >
            Keep all
          </Button>
        </div>
      ))}
      {visibleDuplicates.length > MAX_SHOWN_DUPLICATES && (
        <p>{(visibleDuplicates.length - MAX_SHOWN_DUPLICATES).toLocaleString('en')} more duplicates</p>
      )}
    </div>
  );
}

const PLACEHOLDER_ROWS = [4, 3, 3] as const;

/** Placeholder until a list is loaded (docs/specification/shopping.md section 1.2). Invisible for the first moment. */
export function Loading() {
  return (
    <div className={styles['loading']}>
      <p role="status">loading</p>
      <div className={styles['blocks']} aria-hidden>
        {PLACEHOLDER_ROWS.map((rows, block) => (
          // oxlint-disable-next-line react/no-array-index-key -- the same shape each time
          <div key={block} className={styles['block']}>
            <i className={styles['head']} />
            {Array.from({ length: rows }, (_, row) => (
              // oxlint-disable-next-line react/no-array-index-key -- the same shape each time
              <span key={row} className={styles['row']}>
                <i />
                <i />
                <i />
              </span>
            ))}
          </div>
        ))}
      </div>
    </div>
  );
}

const EditMode = lazyPart(async () => (await import('../edit/EditMode.tsx')).default);

export interface OpenedListProps {
  readonly planner: Planner;
  readonly listKey: string;
  readonly openList: OpenList;
  readonly entry: ListEntry | undefined;
  readonly actions: ListActions;
  readonly isEditing: boolean;
  readonly isNew: boolean;
  readonly onEdit: (isEditing: boolean) => void;
}

interface DeletedListProps extends Pick<OpenedListProps, 'openList' | 'listKey' | 'actions'> {
  readonly list: List;
}

/** Warning over a visible list that was deleted or is no longer shared. */
function DeletedListNotice({ list, openList, listKey, actions }: DeletedListProps) {
  return (
    <div className={styles['deletedList']} role="alert">
      <IconAlertTriangle size={18} stroke={1.75} aria-hidden />
      <p>
        {openList.problem ?? 'This list was deleted or is no longer shared with you'}
        {openList.unsent > 0 &&
          `. ${openList.unsent === 1 ? '1 change was' : `${openList.unsent} changes were`} not saved`}
      </p>
      <Button size="compact-md" onClick={() => actions.keepCopy(listKey, list)}>
        Save a copy
      </Button>
      <Button size="compact-md" onClick={() => actions.discard(listKey)}>
        Discard
      </Button>
    </div>
  );
}

/** Shown in place of a list that can't be shown. */
function MissingList({ openList, planner }: Pick<OpenedListProps, 'openList' | 'planner'>) {
  if (openList.problem === undefined && !openList.isGone) return <Loading />;
  return (
    <QueryError
      icon={IconCloudOff}
      message={
        <>
          Failed to fetch shoplist
          <br />
          <small>{openList.problem ?? 'There is no such list. It may have been deleted'}</small>
        </>
      }
      onRetry={planner.reload}
    />
  );
}

/** The open list, in view mode or edit mode. */
export function OpenedList({ planner, listKey, openList, entry, actions, isEditing, isNew, onEdit }: OpenedListProps) {
  const { list } = openList;
  const [addsItem, setAddsItem] = useState(false);
  function switchMode(next: boolean): void {
    setAddsItem(false);
    onEdit(next);
  }
  if (!list) return <MissingList openList={openList} planner={planner} />;
  return (
    <>
      {openList.isGone && <DeletedListNotice list={list} openList={openList} listKey={listKey} actions={actions} />}
      <ListHeader
        list={list}
        openList={openList}
        entry={entry}
        actions={actions}
        isEditing={isEditing}
        isNew={isNew}
        onEdit={switchMode}
      />
      {isEditing ? (
        <Suspense fallback={<Loading />}>
          <EditMode openList={openList} planner={planner} addsItem={addsItem} />
        </Suspense>
      ) : (
        <>
          <Duplicates list={list} openList={openList} />
          <ViewMode
            list={list}
            openList={openList}
            onEdit={() => switchMode(true)}
            onAdd={() => {
              setAddsItem(true);
              onEdit(true);
            }}
          />
        </>
      )}
      <PrintSheet list={list} />
    </>
  );
}
