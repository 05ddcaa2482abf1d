import { useEffect, useRef, useState, type CSSProperties } from 'react';
import { PALETTE, pairOf } from '../../domain/typeColour.ts';
import styles from './ColourPicker.module.css';

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
