import { IconArrowsSort } from '@tabler/icons-react';
import { memo, use, useEffect, useMemo, useState } from 'react';
import { ALL_SONGS } from '../../contract/limits.ts';
import type { Library } from '../../web/musicTypes.ts';
import { nextOrder } from '../domain/orderOf.ts';
import type { Block } from './blocks.ts';
import { HeightsContext, useMeasured } from './heights.ts';
import { PlaylistFilter } from './PlaylistFilter.tsx';
import { WideActs } from './PlaylistHead.tsx';
import { filtersKey, NARROW, WIDE } from './useSight.ts';
import { NO_FILTERS, useView, view } from './viewState.ts';
import styles from './Playlist.module.css';

interface FiltersProps {
  readonly block: Block;
  readonly library: Library;
  readonly isNarrow: boolean;
}

/** Whether it is drawn: not in one piece with the head and the first songs of its playlist. */
const useLater = (): boolean => {
  const [isDue, setDue] = useState(false);
  useEffect(() => {
    const next = setTimeout(() => setDue(true));
    return () => clearTimeout(next);
  }, []);
  return isDue;
};

/** What narrows and orders the songs of an expanded playlist. */
export const Filters = memo(function Filters(props: FiltersProps) {
  const { block, isNarrow } = props;
  const key = filtersKey(block.key);
  const measured = useMeasured(key);
  const isDrawn = useLater();
  const height = use(HeightsContext)?.of(key, (isNarrow ? NARROW : WIDE).filters);
  return (
    <div ref={measured} className={styles['filters']} style={isDrawn ? undefined : { height }}>
      {isDrawn ? <Fields {...props} /> : null}
    </div>
  );
});

function Fields({ block, library, isNarrow }: FiltersProps) {
  const { playlist } = block;
  // As they are now: what is shown may follow them later, and a field must not wait for it.
  const filters = useView().filters.get(playlist.id) ?? NO_FILTERS;
  const others = useMemo(
    () => library.playlists.filter(({ id }) => id !== playlist.id && id !== ALL_SONGS),
    [library, playlist.id],
  );
  return (
    <>
      <input
        className={styles['field']}
        type="search"
        aria-label={`Name filter of ${playlist.title}`}
        placeholder="Name"
        autoComplete="off"
        value={filters.name}
        onChange={(event) => view.filter(playlist.id, { name: event.currentTarget.value })}
      />
      {isNarrow ? <WideActs block={block} /> : null}
      <PlaylistFilter
        title={playlist.title}
        playlists={others}
        chosen={filters.playlists}
        onChoose={(playlists) => view.filter(playlist.id, { playlists })}
      />
      <button type="button" className={styles['button']} disabled title="All songs have the same creator: you">
        Creator
      </button>
      <button
        type="button"
        className={styles['button']}
        aria-label={`Order: ${filters.order}`}
        onClick={() => view.filter(playlist.id, { order: nextOrder(filters.order) })}
      >
        <IconArrowsSort size={15} stroke={1.75} aria-hidden />
        {filters.order}
      </button>
    </>
  );
}
