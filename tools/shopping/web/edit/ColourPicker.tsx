import { useEffect, useRef, useState, type CSSProperties } from 'react';
import { pairOf } from '../../domain/colour.ts';
import styles from './ColourPicker.module.css';

/** Colours that are told apart on light and dark ground. */
const PALETTE = [
  ['#2e9e5b', 'green'],
  ['#3b82c4', 'blue'],
  ['#b7791f', 'amber'],
  ['#c94f4f', 'red'],
  ['#8b5cf6', 'violet'],
  ['#d9468f', 'pink'],
  ['#0f8f8b', 'teal'],
  ['#6b7280', 'grey'],
  ['#7a8b1f', 'olive'],
  ['#8a5a3b', 'brown'],
  ['#4f6bd8', 'indigo'],
  ['#e07b39', 'orange'],
] as const;

interface ColourPickerProps {
  /** '#rrggbb', where the colour can be read. */
  readonly hex: string | undefined;
  readonly onPick: (pair: readonly [string, string]) => void;
  readonly onClose: () => void;
}

/** Colours of a type: some to press, and the browser's own picker. Black is ignored, as pickers tell it when they open. */
export function ColourPicker({ hex, onPick, onClose }: ColourPickerProps) {
  const own = useRef<HTMLInputElement>(null);
  const [shown, setShown] = useState(hex ?? '#808080');
  const pick = useRef(onPick);
  useEffect(() => {
    pick.current = onPick;
  });
  useEffect(() => {
    const field = own.current;
    // React's `onChange` comes at every step of the mouse; this one when the colour is chosen.
    const chosen = (): void => {
      const pair = field ? pairOf(field.value) : undefined;
      if (pair) pick.current(pair);
    };
    field?.addEventListener('change', chosen);
    return () => field?.removeEventListener('change', chosen);
  }, []);
  return (
    <>
      <div className={styles['colours']} role="group" aria-label="Colours">
        {PALETTE.map(([each, name]) => (
          <button
            key={each}
            type="button"
            style={{ '--c': each } as CSSProperties}
            title={name}
            aria-label={name}
            aria-pressed={each === hex}
            onClick={() => {
              const pair = pairOf(each);
              if (pair) onPick(pair);
              onClose();
            }}
          />
        ))}
      </div>
      <label className={styles['own']}>
        <input ref={own} type="color" value={shown} onChange={(event) => setShown(event.currentTarget.value)} />
        Another colour
      </label>
    </>
  );
}
