import { Button } from '@mantine/core';
import { IconEyeOff, IconListCheck } from '@tabler/icons-react';
import {
  startTransition,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  type CSSProperties,
  type FocusEvent,
  type KeyboardEvent,
  type RefObject,
} from 'react';
import { SINGLE_LETTERS_KEY, useCommands, type Command } from '#platform/web/app/commands.ts';
import { browserStorage, useBrowserStorage } from '#platform/web/browser/browserStorage.ts';
import { EmptyState } from '#platform/web/ui/EmptyState.tsx';
import { type List, isDone, STATES, type State, isCheckbox } from '../../domain/list.ts';
import type { OpenList } from '../plannerTypes.ts';
import { ItemRow, useActs, type ItemActions } from './ItemRow.tsx';
import { countColumns, distributeBlocks, rowsSeen, toBlocks, getRowsHeight, type Block } from './viewBlocks.ts';
import styles from './ViewMode.module.css';

interface TypeBlockProps {
  readonly block: Block;
  /** Number of rows to render, with space for the others; undefined renders all. */
  readonly rows?: number | undefined;
  readonly actions: ItemActions;
  readonly getKey: (id: string) => string;
  readonly flashing: ReadonlySet<string>;
}

/** A visible type with its items. */
export function TypeBlock({ block, rows, actions, getKey, flashing }: TypeBlockProps) {
  const { id, type, items, done } = block;
  const renderedItems = rows === undefined ? items : items.slice(0, rows);
  const [colour, darker] = type.colour;
  return (
    <section
      className={styles['block']}
      aria-label={type.name}
      style={{ '--type': colour, '--type-edge': darker } as CSSProperties}
    >
      <header className={styles['header']} data-flashing={flashing.has(id) || undefined}>
        <i className={styles['colour']} />
        <h2 className={styles['name']} dir="auto">
          {type.name}
        </h2>
        <span className={styles['count']}>
          <span>
            {done} of {items.length}
          </span>
        </span>
      </header>
      {items.length === 0 ? (
        <p className={styles['empty']}>No items of this type yet</p>
      ) : (
        <ul className={styles['items']}>
          {renderedItems.map(([itemId, item]) => (
            <ItemRow key={getKey(itemId)} id={itemId} item={item} isFlashing={flashing.has(itemId)} actions={actions} />
          ))}
          {renderedItems.length < items.length && (
            <li aria-hidden style={{ height: getRowsHeight(items.length - renderedItems.length) }} />
          )}
        </ul>
      )}
    </section>
  );
}

const ANSWERS: Readonly<Record<string, State>> = { 1: STATES.tick, 2: STATES.cross, 3: STATES.question };
/** '=' is the same key as '+' without Shift. */
const STEPS: Readonly<Record<string, 1 | -1>> = { '+': 1, '=': 1, '-': -1 };

/** Returns the visible rows; bought ones may be hidden. */
const listVisibleRows = (place: HTMLElement | null): readonly HTMLElement[] =>
  [...(place?.querySelectorAll<HTMLElement>('[data-item]') ?? [])].filter((row) => row.checkVisibility());

interface ItemKeysOptions {
  readonly place: RefObject<HTMLElement | null>;
  readonly list: List;
  readonly actions: ItemActions;
}

/**
 * Keys for items (docs/design/appearance.md section 4.3): j and k move the focus;
 * plus, minus, 1, 2 and 3 change the focused item.
 */
export function useItemKeys({ place, list, actions }: ItemKeysOptions) {
  const last = useRef<HTMLElement>(undefined);
  const current = (): HTMLElement | undefined => (last.current?.isConnected ? last.current : undefined);
  const go = (by: 1 | -1): void => {
    const rows = listVisibleRows(place.current);
    const at = rows.findIndex((row) => row === current());
    const next = rows[at < 0 ? 0 : at + by];
    next?.focus();
    next?.scrollIntoView({ block: 'nearest' });
  };
  /** Handles a key; returns whether it had a meaning. */
  const act = (key: string): boolean => {
    const id = current()?.dataset['item'] ?? '';
    const item = list.items.get(id);
    if (!item) return false;
    const answer = ANSWERS[key];
    const step = STEPS[key];
    const fits = isCheckbox(item.state) ? answer !== undefined : step !== undefined;
    if (!fits) return false;
    if (answer !== undefined && answer !== item.state) actions.answer(id, answer);
    if (step !== undefined) actions.count(id, step);
    return true;
  };

  const hasItem = (): boolean => current() !== undefined;
  const changing = (key: string, name: string, alike?: string): Command => ({
    id: `shopping.item.${key}`,
    name,
    keys: alike === undefined ? key : [key, alike],
    when: hasItem,
    run: () => void act(key),
  });
  useCommands([
    { id: 'shopping.next', name: 'Next item', keys: 'j', run: () => go(1) },
    { id: 'shopping.previous', name: 'Previous item', keys: 'k', run: () => go(-1) },
    changing('+', 'Add one to the selected item', '='),
    changing('-', 'Take one from the selected item'),
    changing('1', 'Tick the selected item'),
    changing('2', 'Cross the selected item'),
    changing('3', 'Mark the selected item with a question mark'),
  ]);

  return {
    onFocus: ({ target }: FocusEvent): void => {
      last.current = target.closest<HTMLElement>('[data-item]') ?? undefined;
    },
    // Key events instead of commands: a slider counts as a text field, and pressed keys must repeat.
    onKeyDown: (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.nativeEvent.isComposing) return;
      if (browserStorage.get(SINGLE_LETTERS_KEY) === 'off') return;
      const goes = event.key === 'j' ? 1 : event.key === 'k' ? -1 : undefined;
      if (goes === undefined ? !act(event.key) : false) return;
      event.preventDefault();
      if (goes !== undefined) go(goes);
    },
  };
}

interface ViewModeProps {
  readonly list: List;
  readonly open: OpenList;
  readonly onEdit: () => void;
  /** Adds an item in edit mode. */
  readonly onAdd: () => void;
}

/** Returns how many columns fit into the referenced element; 0 until it is mounted. */
const useColumns = () => {
  const [count, setCount] = useState(0);
  const place = useRef<HTMLDivElement>(null);
  const ref = useCallback((element: HTMLDivElement) => {
    place.current = element;
    const measure = (): void => setCount(countColumns(element.clientWidth));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { count, place, ref };
};

/** False until the visible part was painted: a thousand rows take longer than the visible ones. */
const useIsWhole = (): boolean => {
  const [isWhole, setIsWhole] = useState(false);
  useEffect(() => {
    let later: ReturnType<typeof setTimeout> | undefined;
    const painted = requestAnimationFrame(() => {
      later = setTimeout(() => startTransition(() => setIsWhole(true)));
    });
    return () => {
      cancelAnimationFrame(painted);
      clearTimeout(later);
    };
  }, []);
  return isWhole;
};

/** Storage key: whether this browser hides bought items, 'on' or 'off'. */
export const HIDE_DONE = 'shopping.hideDone';

/** A list in view mode: one block per visible type (docs/specification/shopping.md section 1.2). */
export function ViewMode({ list, open, onEdit, onAdd }: ViewModeProps) {
  const { change, getKey, flashing } = open;
  const { blocks, hidden } = useMemo(() => toBlocks(list), [list]);
  const actions = useActs(change);
  const { count, place, ref } = useColumns();
  const isWhole = useIsWhole();
  const [hideDone] = useBrowserStorage(HIDE_DONE);
  const doneCount = useMemo(() => [...list.items.values()].filter(isDone).length, [list]);
  const keys = useItemKeys({ place, list, actions });

  if (list.items.size === 0 && blocks.length === 0)
    return (
      <EmptyState icon={IconListCheck} text="Items appear here, grouped by type">
        <Button variant="primary" onClick={onAdd}>
          Add items
        </Button>
      </EmptyState>
    );
  return (
    <>
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- handles keys of the controls inside */}
      <div ref={ref} className={styles['columns']} data-hide-done={hideDone === 'on' || undefined} {...keys}>
        {count > 0 &&
          distributeBlocks(blocks, count).map((column, at) => {
            const seen = isWhole ? undefined : rowsSeen(column, window.innerHeight);
            return (
              // oxlint-disable-next-line react/no-array-index-key -- columns have no identity
              <div key={at} className={styles['column']}>
                {column.map((block, index) => (
                  <TypeBlock
                    key={getKey(block.id)}
                    block={block}
                    rows={seen?.[index]}
                    actions={actions}
                    getKey={getKey}
                    flashing={flashing}
                  />
                ))}
              </div>
            );
          })}
      </div>
      {hideDone === 'on' && doneCount > 0 && (
        <p className={styles['hidden']}>
          <IconEyeOff size={16} stroke={1.75} aria-hidden />
          {doneCount === 1 ? '1 done item is hidden' : `${doneCount} done items are hidden`}
          <Button size="compact-sm" variant="subtle" onClick={() => browserStorage.set(HIDE_DONE, 'off')}>
            Show done items
          </Button>
        </p>
      )}
      {hidden > 0 && (
        <p className={styles['hidden']}>
          <IconEyeOff size={16} stroke={1.75} aria-hidden />
          {hidden === 1
            ? '1 item is not shown: its types are not visible'
            : `${hidden} items are not shown: their types are not visible`}
          <Button size="compact-sm" variant="subtle" onClick={onEdit}>
            Show types
          </Button>
        </p>
      )}
    </>
  );
}
