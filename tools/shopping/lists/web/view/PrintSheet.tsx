import { useEffect, useState } from 'react';
import { createPortal, flushSync } from 'react-dom';
import type { List } from '../../domain/list.ts';
import { isCheckbox, isDone } from '../../domain/state.ts';
import { blocksOf } from './viewBlocks.ts';
import styles from './PrintSheet.module.css';

/** What the printer gets in the page's place: types in columns, with a box for each item. It is there only while the browser prints. */
export function PrintSheet({ list }: { readonly list: List }) {
  const [isPrinting, setPrinting] = useState(false);
  useEffect(() => {
    // The browser takes what stands there as the event has been heard.
    const begin = (): void => flushSync(() => setPrinting(true));
    const end = (): void => setPrinting(false);
    window.addEventListener('beforeprint', begin);
    window.addEventListener('afterprint', end);
    return () => {
      window.removeEventListener('beforeprint', begin);
      window.removeEventListener('afterprint', end);
    };
  }, []);
  if (!isPrinting) return null;
  return createPortal(
    <article className={styles['sheet']} aria-label={`${list.name}, for the printer`}>
      <h1 dir="auto">{list.name}</h1>
      <div className={styles['types']}>
        {blocksOf(list).blocks.map(({ id, type, items }) => (
          <section key={id}>
            <h2 dir="auto">{type.name}</h2>
            <ul>
              {items.map(([item, its]) => (
                <li key={item} data-done={isDone(its) || undefined}>
                  <i className={styles['box']}>{isDone(its) ? '✓' : ''}</i>
                  <span dir="auto">
                    {its.emoji} {its.name}
                  </span>
                  {!isCheckbox(its.state) && (
                    <b>{its.actual === 0 || isDone(its) ? its.desired : `${its.actual}/${its.desired}`}</b>
                  )}
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </article>,
    document.body,
  );
}
