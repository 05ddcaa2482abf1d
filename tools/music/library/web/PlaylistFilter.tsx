import '@mantine/core/styles/Popover.layer.css';
import { Popover } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { foldSearch } from '#platform/contract/fold.ts';
import type { Playlist } from '../../web/musicTypes.ts';
import { holds, wordsOf } from '../domain/libraryFilter.ts';
import styles from './Playlist.module.css';

interface PlaylistFilterProps {
  readonly title: string;
  /** That can be chosen. */
  readonly playlists: readonly Playlist[];
  readonly chosen: readonly number[];
  readonly onChoose: (chosen: readonly number[]) => void;
}

function Choices({ title, playlists, chosen, onChoose }: PlaylistFilterProps) {
  const [typed, setTyped] = useState('');
  const shown = useMemo(() => {
    const words = wordsOf(typed);
    return playlists.filter((each) => holds(foldSearch(each.title), words));
  }, [playlists, typed]);
  return (
    <div className={styles['choices']}>
      <input
        className={styles['field']}
        aria-label="Playlists that are called"
        placeholder="Name"
        autoComplete="off"
        data-autofocus
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <ul aria-label={`Songs of ${title} that are also in`}>
        {shown.map((each) => (
          <li key={each.id}>
            <label className={styles['choice']}>
              <input
                type="checkbox"
                checked={chosen.includes(each.id)}
                onChange={({ currentTarget: { checked } }) =>
                  onChoose(checked ? [...chosen, each.id] : chosen.filter((id) => id !== each.id))
                }
              />
              <span className="ellipsis" dir="auto">
                {each.title}
              </span>
              <small>{each.songs.length}</small>
            </label>
          </li>
        ))}
      </ul>
      {shown.length === 0 ? <p className={styles['none']}>No playlists match</p> : null}
      {chosen.length > 0 ? (
        <button type="button" className={styles['button']} onClick={() => onChoose([])}>
          Clear
        </button>
      ) : null}
    </div>
  );
}

/** Narrows a playlist to songs that are in any of the chosen ones too. */
export function PlaylistFilter(props: PlaylistFilterProps) {
  const { chosen, playlists } = props;
  return (
    <Popover position="bottom-start" width={280} withinPortal trapFocus returnFocus>
      <Popover.Target>
        <button
          type="button"
          className={styles['button']}
          disabled={playlists.length === 0}
          title={playlists.length === 0 ? 'There is no other playlist' : undefined}
          data-chosen={chosen.length > 0 || undefined}
        >
          {chosen.length === 0 ? 'Playlist' : `Playlist, ${chosen.length} chosen`}
          <IconChevronDown size={15} stroke={1.75} aria-hidden />
        </button>
      </Popover.Target>
      <Popover.Dropdown className={styles['popover'] ?? ''} aria-label="Playlist filter">
        <Choices {...props} />
      </Popover.Dropdown>
    </Popover>
  );
}
