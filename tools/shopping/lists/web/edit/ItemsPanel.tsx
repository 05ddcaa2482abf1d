import { Button } from '@mantine/core';
import { IconClipboardList, IconPlus, IconSearch } from '@tabler/icons-react';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useCommands } from '#platform/web/app/commands.ts';
import { findDuplicates, type Duplicate } from '../../domain/duplicates.ts';
import { fold } from '../../domain/itemNames.ts';
import { type List, NEW_ITEM, listIdsInOrder } from '../../domain/list.ts';
import type { OpenList } from '../plannerTypes.ts';
import { useEdit } from './editContext.ts';
import { ItemRow } from './ItemRow.tsx';
import { addItem } from './listActions.ts';
import type { PickerOption } from './Picker.tsx';
import styles from './Panels.module.css';

/** Number of items from which a filter field is shown. */
const MIN_FILTERABLE_ITEMS = 10;
/** Rows rendered first, and then added per frame. */
const ROWS_PER_FRAME = 100;
/** Rows that are rendered completely from the start. */
const INITIAL_FULL_ROWS = 14;

/** Returns how many rows to render: long lists are completed over the next frames. */
function useRenderedCount(count: number): number {
  const [renderedCount, setRenderedCount] = useState(ROWS_PER_FRAME);
  useEffect(() => {
    if (renderedCount >= count) return undefined;
    const frame = requestAnimationFrame(() => setRenderedCount(renderedCount + ROWS_PER_FRAME));
    return () => cancelAnimationFrame(frame);
  }, [renderedCount, count]);
  return renderedCount;
}

function listTypeTags(list: List, typeIds: readonly string[], item: string): readonly PickerOption[] {
  const linkedTypes = list.links.get(item);
  if (linkedTypes === undefined) return [];
  return typeIds.flatMap((id) => {
    const type = linkedTypes.has(id) ? list.types.get(id) : undefined;
    return type ? [{ id, label: type.name, colour: type.colour[0] }] : [];
  });
}

/** Maps items to their duplicates, except the first item of each name. */
const mapDuplicatesById = (list: List): ReadonlyMap<string, Duplicate> =>
  new Map(
    findDuplicates(list)
      // New items without a name are not duplicates.
      .filter(({ name }) => name !== NEW_ITEM.name)
      .flatMap((duplicate) => duplicate.ids.slice(1).map((id) => [id, duplicate] as const)),
  );

interface ItemsPanelProps {
  readonly list: List;
  readonly openList: OpenList;
  readonly addsItem: boolean;
  readonly onPaste: () => void;
}

export function ItemsPanel({ list, openList, addsItem, onPaste }: ItemsPanelProps) {
  const edit = useEdit();
  const filterField = useRef<HTMLInputElement>(null);
  const [filter, setFilter] = useState('');
  /** Key of the item that is being edited: it stays in the filtered list even if its name no longer matches. */
  const [editedItemKey, setEditedItemKey] = useState<string>();
  const itemIds = useMemo(() => [...list.items.keys()], [list.items]);
  const typeIds = useMemo(() => listIdsInOrder(list.types), [list.types]);
  const duplicates = useMemo(() => mapDuplicatesById(list), [list]);
  const foldedFilter = fold(filter);
  const visibleIds =
    foldedFilter === ''
      ? itemIds
      : itemIds.filter(
          (id) => openList.getKey(id) === editedItemKey || fold(list.items.get(id)?.name ?? '').includes(foldedFilter),
        );
  const getKey = openList.getKey;
  const handleFocusItem = useCallback((id: string): void => setEditedItemKey(getKey(id)), [getKey]);
  const renderedCount = useRenderedCount(visibleIds.length);
  const isComplete = renderedCount >= visibleIds.length;
  const hasFilter = itemIds.length >= MIN_FILTERABLE_ITEMS || filter !== '';

  const add = useCallback((): void => {
    setFilter('');
    addItem(edit);
  }, [edit]);
  useEffect(() => {
    if (addsItem) addItem(edit);
  }, [addsItem, edit]);
  useCommands([
    { id: 'shopping.additem', name: 'Add item', keys: 'a', opensField: true, run: add },
    ...(hasFilter
      ? [{ id: 'shopping.filter', name: 'Filter items', keys: '/', run: () => filterField.current?.focus() }]
      : []),
  ]);

  return (
    <section className={`${styles['panel']} surface`} aria-label="Items">
      <header className={styles['head']}>
        <h2>Items</h2>
        <Button size="xs" leftSection={<IconClipboardList size={15} stroke={1.75} />} onClick={onPaste}>
          Paste lines
        </Button>
        <Button size="xs" leftSection={<IconPlus size={15} stroke={1.75} />} data-add onClick={add}>
          Add item
        </Button>
      </header>
      {hasFilter && (
        <div className={styles['filter']}>
          <IconSearch size={15} stroke={1.75} aria-hidden />
          <input
            ref={filterField}
            type="search"
            aria-label="Filter items"
            placeholder="Filter items"
            dir="auto"
            autoComplete="off"
            value={filter}
            onChange={(event) => {
              setEditedItemKey(undefined);
              setFilter(event.currentTarget.value);
            }}
          />
          {foldedFilter !== '' && (
            <span role="status">
              {visibleIds.length.toLocaleString('en')} of {itemIds.length.toLocaleString('en')}
            </span>
          )}
        </div>
      )}
      {itemIds.length === 0 && <p className={styles['empty']}>No items yet. Add one, or paste the lines of a recipe</p>}
      <ul aria-label="Items">
        {visibleIds.slice(0, renderedCount).map((id, index) => {
          const item = list.items.get(id);
          if (!item) return null;
          const tags = listTypeTags(list, typeIds, id);
          return (
            <ItemRow
              key={openList.getKey(id)}
              id={id}
              item={item}
              tags={tags}
              hasMore={tags.length < list.types.size}
              duplicate={duplicates.get(id)}
              isFlashing={openList.flashing.has(id)}
              isInitiallyRendered={index < INITIAL_FULL_ROWS}
              onAdd={add}
              onFocusItem={foldedFilter === '' ? undefined : handleFocusItem}
            />
          );
        })}
      </ul>
      {!isComplete && <p className={styles['empty']}>loading</p>}
    </section>
  );
}
