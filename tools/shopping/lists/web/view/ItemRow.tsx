import { IconCheck, IconQuestionMark, IconX, IconMinus, IconPlus } from '@tabler/icons-react';
import {
  memo,
  useEffect,
  useRef,
  useState,
  type MouseEvent,
  type PointerEvent,
  type CSSProperties,
  useLayoutEffect,
  useMemo,
} from 'react';
import { Slider } from '#platform/web/ui/Slider.tsx';
import { addToAmount } from '#tools/shopping/sync/domain/listReducer.ts';
import { ITEM_FIELDS, type Item, isCheckbox, isDone, STATES, type State } from '../../domain/list.ts';
import type { OpenList } from '../plannerTypes.ts';
import styles from './ItemRow.module.css';

/** Actions on an item in view mode. */
export interface ItemActions {
  readonly count: (id: string, by: number) => void;
  readonly setActual: (id: string, actual: number) => void;
  readonly setState: (id: string, state: State) => void;
}

/** Returns stable functions, so that rows are not rendered again. */
export function useItemActions(change: OpenList['change']): ItemActions {
  const latest = useRef(change);
  useLayoutEffect(() => {
    latest.current = change;
  });
  return useMemo(
    () => ({
      count: (id, by) => latest.current([{ kind: 'count', id, by }]),
      setActual: (id, actual) => latest.current([{ kind: 'item', id, field: 'actual', value: actual }]),
      setState: (id, state) => latest.current([{ kind: 'item', id, field: 'state', value: state }]),
    }),
    [],
  );
}

const answers = [
  { state: STATES.tick, getLabel: (name: string) => `Tick ${name}`, icon: IconCheck },
  { state: STATES.cross, getLabel: (name: string) => `Cross ${name}`, icon: IconX },
  {
    state: STATES.question,
    getLabel: (name: string) => `Mark ${name} with a question mark`,
    icon: IconQuestionMark,
  },
] as const;

/** The three answers of a checkbox item. */
function Answers({ id, item, actions }: { readonly id: string; readonly item: Item; readonly actions: ItemActions }) {
  return (
    <>
      <span className={styles['name']} dir="auto">
        {item.name}
      </span>
      <span className={styles['answers']} role="group" aria-label={item.name}>
        {answers.map(({ state, getLabel, icon: Icon }) => (
          <button
            key={state}
            type="button"
            aria-label={getLabel(item.name)}
            aria-pressed={item.state === state}
            data-state={state}
            onClick={() => {
              if (item.state !== state) actions.setState(id, state);
            }}
          >
            <Icon size={20} stroke={1.75} />
          </button>
        ))}
      </span>
    </>
  );
}

const HOLD_DELAY_MS = 400;
const FIRST_STEP_MS = 140;
const LAST_STEP_MS = 35;

interface HeldPress {
  readonly by: 1 | -1;
  /** Sum of the steps so far; it becomes one change at the end. */
  total: number;
  timer: ReturnType<typeof setTimeout>;
}

/** Plus and minus buttons: one step per click, faster steps while pressed. A long press is one change, at its end. */
function useStepButtons(actual: number, count: (by: number) => void) {
  const heldPress = useRef<HeldPress>(undefined);
  const wasPressed = useRef(false);
  const [pressedStep, setPressedStep] = useState(0);
  const latest = useRef({ actual, count });
  useEffect(() => {
    latest.current = { actual, count };
  });

  function end(): void {
    const press = heldPress.current;
    if (!press) return;
    clearTimeout(press.timer);
    heldPress.current = undefined;
    if (press.total === 0) return;
    latest.current.count(press.total);
    setPressedStep(0);
  }
  function step(delay: number): void {
    const press = heldPress.current;
    if (!press) return;
    wasPressed.current = true;
    const { actual: currentAmount } = latest.current;
    press.total = addToAmount(currentAmount, press.total + press.by) - currentAmount;
    setPressedStep(press.total);
    press.timer = setTimeout(() => step(Math.max(LAST_STEP_MS, delay * 0.9)), delay);
  }
  const latestEnd = useRef(end);
  useEffect(() => {
    latestEnd.current = end;
  });
  // The row can be removed during a hold: the item was removed elsewhere, or another list was opened.
  useEffect(() => () => latestEnd.current(), []);

  const getButtonProps = (by: 1 | -1) => ({
    onPointerDown: ({ button }: PointerEvent): void => {
      wasPressed.current = false;
      if (button !== 0) return;
      heldPress.current = { by, total: 0, timer: setTimeout(() => step(FIRST_STEP_MS), HOLD_DELAY_MS) };
    },
    onPointerUp: end,
    onPointerLeave: end,
    onPointerCancel: end,
    onContextMenu: (event: MouseEvent): void => {
      // A resting finger opens the context menu too.
      if (heldPress.current) event.preventDefault();
    },
    onClick: (): void => {
      if (!wasPressed.current) latest.current.count(by);
      wasPressed.current = false;
    },
  });
  return { displayedAmount: addToAmount(actual, pressedStep), getButtonProps };
}

const STEP_ICON = { size: 20, stroke: 1.75 };

interface AmountProps {
  readonly item: Item;
  readonly displayedAmount: number;
  readonly onChange: (actual: number) => void;
}

/**
 * Slider from 0 to the desired quantity.
 * A drag is one change at its end; a gesture that scrolls the page changes nothing.
 */
function Amount({ item, displayedAmount, onChange }: AmountProps) {
  const isPressed = useRef(false);
  const [draft, setDraft] = useState<number>();
  const { name, desired } = item;
  const value = draft ?? displayedAmount;
  const sliderValue = Math.min(value, desired);
  function endDrag(isAccepted: boolean): void {
    isPressed.current = false;
    if (draft === undefined) return;
    setDraft(undefined);
    if (isAccepted && draft !== item.actual) onChange(draft);
  }
  return (
    <div className={styles['amount']}>
      <span className={styles['line']}>
        <span className={styles['name']} dir="auto">
          {name}
        </span>
        <span className={`${styles['quantity']} num`}>
          <span style={{ '--digits': `${value}${desired}`.length } as CSSProperties}>
            <b>{value}</b>/{desired}
          </span>
        </span>
      </span>
      <span className={styles['rail']}>
        <Slider
          label={name}
          max={desired}
          value={sliderValue}
          disabled={desired === 0}
          aria-valuetext={`${value} of ${desired}`}
          onPointerDown={() => {
            isPressed.current = true;
          }}
          onPointerUp={() => endDrag(true)}
          onPointerCancel={() => endDrag(false)}
          onLostPointerCapture={() => endDrag(true)}
          onBlur={() => endDrag(true)}
          onChange={(next) => {
            if (isPressed.current) setDraft(next);
            else onChange(next);
          }}
        />
      </span>
    </div>
  );
}

/** A counted item: slider, amount, minus and plus. */
function Counter({ id, item, actions }: { readonly id: string; readonly item: Item; readonly actions: ItemActions }) {
  const { displayedAmount, getButtonProps } = useStepButtons(item.actual, (by) => actions.count(id, by));
  return (
    <>
      <Amount item={item} displayedAmount={displayedAmount} onChange={(actual) => actions.setActual(id, actual)} />
      <span className={styles['steps']}>
        <button type="button" aria-label={`One fewer ${item.name}`} {...getButtonProps(-1)}>
          <IconMinus {...STEP_ICON} />
        </button>
        <button type="button" aria-label={`One more ${item.name}`} {...getButtonProps(1)}>
          <IconPlus {...STEP_ICON} />
        </button>
      </span>
    </>
  );
}

interface ItemRowProps {
  readonly id: string;
  readonly item: Item;
  /** Another user has just changed it. */
  readonly isFlashing: boolean;
  readonly actions: ItemActions;
}

const isSameProps = (previous: ItemRowProps, next: ItemRowProps): boolean =>
  previous.id === next.id &&
  previous.isFlashing === next.isFlashing &&
  previous.actions === next.actions &&
  (previous.item === next.item || ITEM_FIELDS.every((field) => previous.item[field] === next.item[field]));

/** An item in view mode. Memoized, as a list may have a thousand items. */
export const ItemRow = memo(function Row({ id, item, isFlashing, actions }: ItemRowProps) {
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
      <Controls id={id} item={item} actions={actions} />
    </li>
  );
}, isSameProps);
