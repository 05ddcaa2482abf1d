import { Button } from '@mantine/core';
import { IconAlertTriangle, IconCloudOff } from '@tabler/icons-react';
import { Suspense, useState } from 'react';
import { lazyPart } from '#platform/web/app/latePart.ts';
import { EmptyState } from '#platform/web/ui/EmptyState.tsx';
import type { List } from '../../domain/list.ts';
import type { ListActions } from '../menu/useListActions.ts';
import type { ListEntry, OpenList, Planner } from '../plannerTypes.ts';
import { Duplicates } from './Duplicates.tsx';
import { ListHead } from './ListHeader.tsx';
import { Loading } from './Loading.tsx';
import { PrintSheet } from './PrintSheet.tsx';
import { ViewMode } from './ViewMode.tsx';
import styles from './OpenedList.module.css';

const EditMode = lazyPart(async () => (await import('../edit/EditMode.tsx')).default);

export interface OpenedProps {
  readonly planner: Planner;
  readonly listKey: string;
  readonly open: OpenList;
  readonly entry: ListEntry | undefined;
  readonly acts: ListActions;
  readonly isEditing: boolean;
  readonly isFresh: boolean;
  readonly onEdit: (isEditing: boolean) => void;
}

interface GoneProps extends Pick<OpenedProps, 'open' | 'listKey' | 'acts'> {
  readonly list: List;
}

/** A list that was deleted, or is not shared with this account any more, while it is seen. */
function Gone({ list, open, listKey, acts }: GoneProps) {
  return (
    <div className={styles['gone']} role="alert">
      <IconAlertTriangle size={18} stroke={1.75} aria-hidden />
      <p>
        {open.problem ?? 'This list was deleted, or is not shared with you any more'}
        {open.unsent > 0 && `. ${open.unsent === 1 ? '1 change' : `${open.unsent} changes`} of yours did not arrive`}
      </p>
      <Button size="compact-md" onClick={() => acts.keepCopy(listKey, list)}>
        Keep a copy
      </Button>
      <Button size="compact-md" onClick={() => acts.discard(listKey)}>
        Discard
      </Button>
    </div>
  );
}

/** In the list's place where there is none to show. */
function Missing({ open, planner }: Pick<OpenedProps, 'open' | 'planner'>) {
  if (open.problem === undefined && !open.isGone) return <Loading />;
  return (
    <EmptyState
      icon={IconCloudOff}
      text={
        <span role="alert">
          Failed to fetch shoplist
          <br />
          <small>{open.problem ?? 'There is no such list'}</small>
        </span>
      }
    >
      <Button variant="primary" onClick={planner.reload}>
        Try again
      </Button>
    </EmptyState>
  );
}

/** The open list: view mode or edit mode. */
export function Opened({ planner, listKey, open, entry, acts, isEditing, isFresh, onEdit }: OpenedProps) {
  const { list } = open;
  const [addsItem, setAddsItem] = useState(false);
  const switchTo = (next: boolean): void => {
    setAddsItem(false);
    onEdit(next);
  };
  if (!list) return <Missing open={open} planner={planner} />;
  return (
    <>
      {open.isGone && <Gone list={list} open={open} listKey={listKey} acts={acts} />}
      <ListHead
        list={list}
        open={open}
        entry={entry}
        acts={acts}
        isEditing={isEditing}
        isFresh={isFresh}
        onEdit={switchTo}
      />
      {isEditing ? (
        <Suspense fallback={<Loading />}>
          <EditMode open={open} planner={planner} addsItem={addsItem} />
        </Suspense>
      ) : (
        <>
          <Duplicates list={list} open={open} />
          <ViewMode
            list={list}
            open={open}
            onEdit={() => switchTo(true)}
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
