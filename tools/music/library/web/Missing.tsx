import { queueLinks } from '../../downloads/web/queueLinks.ts';
import type { Song } from '../../web/musicTypes.ts';
import styles from './Song.module.css';

/** In place of a song's line where its file is gone. */
export function Missing({ song }: { readonly song: Song }) {
  if (song.source === '') return <p className={styles['missing']}>File is missing</p>;
  return (
    <p className={styles['missing']}>
      File is missing,{' '}
      <button type="button" onClick={() => void queueLinks(song.source, { isExact: true })}>
        download again?
      </button>
    </p>
  );
}
