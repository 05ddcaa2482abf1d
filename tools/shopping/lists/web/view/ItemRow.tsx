import { memo } from 'react';
import { ITEM_FIELDS, type Item } from '../../domain/list.ts';
import { isCheckbox, isDone } from '../../domain/state.ts';
import { Answers } from './Answers.tsx';
import { Counter } from './Counter.tsx';
import type { ItemActions } from './viewActions.ts';
import styles from './ItemRow.module.css';

interface ItemRowProps {
  readonly id: string;
  readonly item: Item;
  /** Someone else has just changed it. */
  readonly isFlashing: boolean;
  readonly acts: ItemActions;
}

const isSame = (one: ItemRowProps, other: ItemRowProps): boolean =>
  one.id === other.id &&
  one.isFlashing === other.isFlashing &&
  one.acts === other.acts &&
  (one.item === other.item || ITEM_FIELDS.every((field) => one.item[field] === other.item[field]));

/** An item while shopping. Drawn anew only where it is another one: the list may hold a thousand. */
export const ItemRow = memo(function Row({ id, item, isFlashing, acts }: ItemRowProps) {
  const Controls = isCheckbox(item.state) ? Answers : Counter;
  return (
    <li
      className={styles['row']}
      data-item={id}
      data-done={isDone(item) || undefined}
      data-flashing={isFlashing || undefined}
      aria-label={item.name}
      tabIndex={-1}
    >
      <span className={styles['emoji']} aria-hidden>
        {item.emoji}
      </span>
      <Controls id={id} item={item} acts={acts} />
    </li>
  );
}, isSame);
