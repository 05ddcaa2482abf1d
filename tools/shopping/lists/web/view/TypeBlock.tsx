import type { CSSProperties } from 'react';
import { heightOfRows } from './columns.ts';
import { ItemRow } from './ItemRow.tsx';
import type { ItemActions } from './viewActions.ts';
import type { Block } from './viewBlocks.ts';
import styles from './TypeBlock.module.css';

interface TypeBlockProps {
  readonly block: Block;
  /** Only so many are drawn yet, the others leave their room; all where undefined. */
  readonly rows?: number | undefined;
  readonly acts: ItemActions;
  readonly keyOf: (id: string) => string;
  readonly flashing: ReadonlySet<string>;
}

/** A visible type with its items. */
export function TypeBlock({ block, rows, acts, keyOf, flashing }: TypeBlockProps) {
  const { id, type, items, done } = block;
  const drawn = rows === undefined ? items : items.slice(0, rows);
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
        <p className={styles['empty']}>Nothing is linked to it yet</p>
      ) : (
        <ul className={styles['items']}>
          {drawn.map(([item, its]) => (
            <ItemRow key={keyOf(item)} id={item} item={its} isFlashing={flashing.has(item)} acts={acts} />
          ))}
          {drawn.length < items.length && (
            <li aria-hidden style={{ height: heightOfRows(items.length - drawn.length) }} />
          )}
        </ul>
      )}
    </section>
  );
}
