import { IconChevronDown } from '@tabler/icons-react';
import { useId, useRef, useState } from 'react';
import { FilterList, type Choice } from './FilterList.tsx';
import styles from './Combo.module.css';

interface ComboProps {
  readonly label: string;
  readonly choices: readonly Choice[];
  readonly value: string;
  /** Shown for a value that is no choice (any more). */
  readonly fallback: string;
  /** Why what stands there cannot stay. */
  readonly wrong?: string | undefined;
  readonly onPick: (value: string) => void;
}

/** So much room is wanted below the button; with less, and more above, the list opens upwards. */
const ROOM = 300;

const hasRoomBelow = (button: HTMLElement): boolean => {
  const { top, bottom } = button.getBoundingClientRect();
  const below = window.innerHeight - bottom;
  return below >= ROOM || below >= top;
};

/** A choice of one among many: a button, and a list that is narrowed by typing. */
export function Combo({ label, choices, value, fallback, wrong, onPick }: ComboProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState<'below' | 'above'>();
  const chosen = choices.find((choice) => choice.value === value);
  const show = (): void => setOpen(button.current && !hasRoomBelow(button.current) ? 'above' : 'below');
  const close = (giveBack: boolean): void => {
    setOpen(undefined);
    if (giveBack) button.current?.focus();
  };
  return (
    <div className={styles['root']}>
      <span id={`${id}l`} className={styles['label']}>
        {label}
      </span>
      <div className={styles['place']}>
        <button
          ref={button}
          type="button"
          className={styles['button']}
          aria-haspopup="listbox"
          aria-expanded={open !== undefined}
          aria-labelledby={`${id}l ${id}v`}
          aria-describedby={wrong === undefined ? undefined : `${id}w`}
          data-wrong={wrong !== undefined || undefined}
          // The list would close by losing the focus, and open again by the click.
          onMouseDown={(event) => open && event.preventDefault()}
          onClick={() => (open ? close(true) : show())}
          onKeyDown={(event) => {
            if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
            event.preventDefault();
            show();
          }}
        >
          {chosen?.colour === undefined ? null : (
            <span className={styles['dot']} style={{ background: chosen.colour }} />
          )}
          <span id={`${id}v`} className={styles['value']}>
            <span className="ellipsis" dir="auto">
              {chosen?.label ?? fallback}
            </span>
            {chosen?.note === undefined ? null : <small dir="auto">{chosen.note}</small>}
          </span>
          <IconChevronDown size={16} stroke={1.75} />
        </button>
        {open ? (
          <div className={styles['list']} data-above={open === 'above' || undefined}>
            <FilterList
              label={label}
              placeholder="Type to find"
              choices={choices}
              value={value}
              onPick={(picked) => {
                close(true);
                onPick(picked);
              }}
              onClose={close}
            />
          </div>
        ) : null}
      </div>
      {wrong === undefined ? null : (
        <p id={`${id}w`} className={styles['wrong']}>
          {wrong}
        </p>
      )}
    </div>
  );
}
