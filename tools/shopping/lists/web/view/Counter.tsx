import { IconMinus, IconPlus } from '@tabler/icons-react';
import { useRef, useState, type CSSProperties } from 'react';
import type { Item } from '../../domain/list.ts';
import { useHold } from './useHold.ts';
import type { ItemActions } from './viewActions.ts';
import styles from './ItemRow.module.css';

const icon = { size: 20, stroke: 1.75 };

interface AmountProps {
  readonly item: Item;
  readonly shown: number;
  readonly onPick: (actual: number) => void;
}

/** The slider from 0 to the desired quantity. A drag is one change, told as it ends; one that turns out to scroll the page changes nothing. */
function Amount({ item, shown, onPick }: AmountProps) {
  const isHeld = useRef(false);
  const [draft, setDraft] = useState<number>();
  const { name, desired } = item;
  const value = draft ?? shown;
  const atSlider = Math.min(value, desired);
  const letGo = (isTaken: boolean): void => {
    isHeld.current = false;
    if (draft === undefined) return;
    setDraft(undefined);
    if (isTaken && draft !== item.actual) onPick(draft);
  };
  return (
    <div className={styles['amount']}>
      <span className={styles['line']}>
        <span className={styles['name']} dir="auto">
          {name}
        </span>
        <span className={styles['quantity']}>
          <span style={{ '--digits': `${value}${desired}`.length } as CSSProperties}>
            <b>{value}</b>/{desired}
          </span>
        </span>
      </span>
      <span className={styles['rail']}>
        <input
          className={styles['slider']}
          type="range"
          min={0}
          max={desired}
          value={atSlider}
          disabled={desired === 0}
          aria-label={name}
          aria-valuetext={`${value} of ${desired}`}
          style={{ '--share': `${desired === 0 ? 0 : (atSlider / desired) * 100}%` } as CSSProperties}
          onPointerDown={() => {
            isHeld.current = true;
          }}
          onPointerUp={() => letGo(true)}
          onPointerCancel={() => letGo(false)}
          onLostPointerCapture={() => letGo(true)}
          onBlur={() => letGo(true)}
          onChange={({ currentTarget }) => {
            if (isHeld.current) setDraft(Number(currentTarget.value));
            else onPick(Number(currentTarget.value));
          }}
        />
      </span>
    </div>
  );
}

interface CounterProps {
  readonly id: string;
  readonly item: Item;
  readonly acts: ItemActions;
}

/** A counted item: slider, amount, minus and plus. */
export function Counter({ id, item, acts }: CounterProps) {
  const { shown, button } = useHold(item.actual, (by) => acts.count(id, by));
  return (
    <>
      <Amount item={item} shown={shown} onPick={(actual) => acts.set(id, actual)} />
      <span className={styles['steps']}>
        <button type="button" aria-label={`One less ${item.name}`} {...button(-1)}>
          <IconMinus {...icon} />
        </button>
        <button type="button" aria-label={`One more ${item.name}`} {...button(1)}>
          <IconPlus {...icon} />
        </button>
      </span>
    </>
  );
}
