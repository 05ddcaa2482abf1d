import type { Song } from '../../web/musicTypes.ts';
import type { SoundState } from './soundState.ts';
import styles from './PlayerBar.module.css';

/** Title, and below it who plays it or where it was begun; or what hinders it. */
export function What({ song, name, trouble }: Pick<SoundState, 'name' | 'trouble'> & { readonly song: Song }) {
  return (
    <span className={styles['what']}>
      <b className="ellipsis" dir="auto">
        {song.title}
      </b>
      <small className="ellipsis" dir="auto" data-trouble={trouble === '' ? undefined : true}>
        {trouble || [song.artist, name].filter(Boolean).join(' · ')}
      </small>
    </span>
  );
}
