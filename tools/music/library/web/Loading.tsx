import styles from './MusicPage.module.css';

const BLOCKS = [1, 2, 3, 4];

/** As high as what comes, once it takes a moment. */
export function Loading() {
  return (
    <div className={styles['loading']} role="status" aria-label="Loading">
      {BLOCKS.map((block) => (
        <div key={block} className={styles['ghost']} />
      ))}
    </div>
  );
}
