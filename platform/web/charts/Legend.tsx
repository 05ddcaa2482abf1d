import { IconCheck } from '@tabler/icons-react';
import type { CSSProperties } from 'react';
import type { ChartLine } from './plot.ts';
import styles from './Line.module.css';

/** From so many lines on, all of them can be hidden or shown at once. */
const MANY = 4;

/** Names of so many characters fit in every window. To cut one off costs each drawing of the page something, also where nothing is cut off. */
const FITS = 30;

interface LegendProps {
  readonly lines: readonly ChartLine[];
  readonly hidden: ReadonlySet<string>;
  readonly onHide: (hidden: ReadonlySet<string>) => void;
}

const toggled = (names: ReadonlySet<string>, name: string): ReadonlySet<string> => {
  const next = new Set(names);
  if (!next.delete(name)) next.add(name);
  return next;
};

/** Boxes next to the names: a click hides a line, an Alt-click shows only that one, and all again where it is the only one. */
export function Legend({ lines, hidden, onHide }: LegendProps) {
  const only = (name: string): ReadonlySet<string> => {
    const isOnly = !hidden.has(name) && hidden.size === lines.length - 1;
    return new Set(isOnly ? [] : lines.map((line) => line.name).filter((each) => each !== name));
  };
  return (
    <div className={styles['legend']} role="group" aria-label="Lines">
      {lines.map(({ name, colour }) => (
        <button
          key={name}
          type="button"
          role="checkbox"
          aria-checked={!hidden.has(name)}
          title="Alt-click shows only this one"
          style={{ '--c': colour } as CSSProperties}
          onClick={(event) => onHide(event.altKey ? only(name) : toggled(hidden, name))}
        >
          <i>
            <IconCheck size={12} stroke={3} />
          </i>
          <span className={name.length > FITS ? 'ellipsis' : undefined} dir="auto">
            {name}
          </span>
        </button>
      ))}
      {lines.length >= MANY ? (
        <button
          type="button"
          className={styles['all']}
          onClick={() => onHide(new Set(hidden.size > 0 ? [] : lines.map(({ name }) => name)))}
        >
          {hidden.size > 0 ? 'Show all' : 'Hide all'}
        </button>
      ) : null}
    </div>
  );
}
