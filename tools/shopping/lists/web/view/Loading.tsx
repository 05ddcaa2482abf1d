import styles from './Loading.module.css';

const BLOCKS = [4, 3, 3] as const;

/** Before a list is known: its own shape, and the specified word. Nothing is seen of it for the first moment. */
export function Loading() {
  return (
    <div className={styles['loading']}>
      <p role="status">loading</p>
      <div className={styles['blocks']} aria-hidden>
        {BLOCKS.map((rows, block) => (
          // oxlint-disable-next-line react/no-array-index-key -- the same shape each time
          <div key={block} className={styles['block']}>
            <i className={styles['head']} />
            {Array.from({ length: rows }, (_, row) => (
              // oxlint-disable-next-line react/no-array-index-key -- the same shape each time
              <span key={row} className={styles['row']}>
                <i />
                <i />
                <i />
              </span>
            ))}
          </div>
        ))}
      </div>
    </div>
  );
}
