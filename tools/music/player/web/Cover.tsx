import { IconMusic } from '@tabler/icons-react';
import { useState, type CSSProperties } from 'react';
import type { Song } from '../../web/musicTypes.ts';
import styles from './PlayerBar.module.css';

/** The picture of what plays; where it has none, a tile of its colour. */
export function Cover({ song, size }: { readonly song: Song; readonly size: number }) {
  const [failed, setFailed] = useState<number>();
  return (
    <span className={styles['cover']} style={{ '--c': song.colour, width: size, height: size } as CSSProperties}>
      {!song.hasPicture || failed === song.id ? (
        <IconMusic size={Math.round(size / 2.4)} stroke={1.75} />
      ) : (
        <img src={`/api/sendytthumb/${song.id}`} alt="" width={size} height={size} onError={() => setFailed(song.id)} />
      )}
    </span>
  );
}
