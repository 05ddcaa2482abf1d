import { IconArrowDown, IconArrowLeft, IconArrowRight, IconArrowUp, IconBackspace } from '@tabler/icons-react';
import { useEffect, useLayoutEffect, useRef, type ComponentType } from 'react';
import { isModifier, type KeyName, type ModifierName } from '../../domain/keys.ts';
import { buzz } from './pressAndHold.ts';
import styles from './KeyRow.module.css';

const icons: Readonly<Record<string, ComponentType<{ size: number; stroke: number }>>> = {
  Left: IconArrowLeft,
  Up: IconArrowUp,
  Down: IconArrowDown,
  Right: IconArrowRight,
  Backspace: IconBackspace,
};
const quiet: readonly KeyName[] = ['Esc', 'Tab', 'Ctrl', 'Gui', 'Alt', 'Shift', 'Del', 'Backspace'];
const plain: readonly KeyName[] = ['Left', 'Up', 'Down', 'Right', 'Space', 'Enter'];
const repeating = new Set<KeyName>(['Left', 'Up', 'Down', 'Right', 'Backspace', 'Del', 'Space']);
const REPEAT_DELAY_MS = 450;

interface KeyRowProps {
  readonly latched: readonly ModifierName[];
  readonly press: (key: KeyName) => Promise<void>;
}

interface KeyProps {
  readonly name: KeyName;
  readonly latched: boolean;
  readonly press: () => Promise<void>;
}

const sleep = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

/** One key; arrows and deleting keys repeat while they are held, each time once the last one is done. */
function Key({ name, latched, press }: KeyProps) {
  const holds = useRef(0);
  const repeated = useRef(false);
  const latest = useRef(press);
  useLayoutEffect(() => {
    latest.current = press;
  });
  useEffect(() => () => void (holds.current += 1), []);
  const repeat = async (): Promise<void> => {
    holds.current += 1;
    const mine = holds.current;
    await sleep(REPEAT_DELAY_MS);
    while (holds.current === mine) {
      repeated.current = true;
      await latest.current();
    }
  };
  const end = (): void => void (holds.current += 1);
  const Icon = icons[name];
  return (
    <button
      type="button"
      className={styles['key']}
      data-quiet={quiet.includes(name) || undefined}
      data-wide={name === 'Space' || name === 'Enter' || undefined}
      data-held={latched || undefined}
      aria-label={Icon ? name : undefined}
      aria-pressed={isModifier(name) ? latched : undefined}
      // The text field keeps its focus, and a phone its soft keyboard as it is.
      onPointerDown={(event) => {
        event.preventDefault();
        repeated.current = false;
        if (repeating.has(name)) void repeat();
      }}
      onPointerUp={end}
      onPointerCancel={end}
      onPointerLeave={end}
      onContextMenu={(event) => event.preventDefault()}
      onClick={() => {
        if (repeated.current) return;
        buzz();
        void press();
      }}
    >
      {Icon ? <Icon size={18} stroke={1.75} /> : name}
    </button>
  );
}

/** Special keys that are pressed at once. */
export function KeyRow({ latched, press }: KeyRowProps) {
  const held: readonly KeyName[] = latched;
  return (
    <section className={styles['keys']} aria-label="Special buttons">
      {[...quiet, ...plain].map((name) => (
        <Key key={name} name={name} latched={held.includes(name)} press={() => press(name)} />
      ))}
    </section>
  );
}
