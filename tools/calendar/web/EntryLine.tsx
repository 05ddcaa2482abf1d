import { IconPinFilled } from '@tabler/icons-react';
import type { ComponentProps, CSSProperties } from 'react';
import styles from './EntryLine.module.css';

interface EntryLineProps extends Omit<ComponentProps<'button'>, 'children' | 'name'> {
  readonly name: string;
  readonly pinned: boolean;
  readonly colours: { readonly background: string; readonly left: string; readonly right?: string | undefined };
  readonly selected: boolean;
  /** At the right, such as a time or the remaining days. */
  readonly note: string | undefined;
}

/** An event in a list: its colours, pin, name and a note. */
export function EntryLine({ name, pinned, colours, selected, note, className = '', ...button }: EntryLineProps) {
  const style = { '--fill': colours.background, '--left': colours.left, '--right': colours.right } as CSSProperties;
  return (
    <button
      type="button"
      className={`${styles['line']} ${className}`}
      style={style}
      title={name}
      aria-current={selected ? 'true' : undefined}
      {...button}
    >
      {pinned ? <IconPinFilled size={13} aria-label="Pinned" /> : null}
      <span className={`${styles['name']} ellipsis`} dir="auto">
        {name}
      </span>
      {note === undefined || note === '' ? null : <span className={`${styles['note']} num`}>{note}</span>}
    </button>
  );
}
