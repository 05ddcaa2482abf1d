import { Popover } from '@mantine/core';
import { IconArrowsSort, IconChevronDown } from '@tabler/icons-react';
import { memo, use, useEffect, useMemo, useState } from 'react';
import { foldSearch } from '#platform/contract/fold.ts';
import { ALL_SONGS } from '../../contract/limits.ts';
import type { Library, Playlist } from '../../web/musicTypes.ts';
import { containsWords, splitWords } from '../domain/libraryFilter.ts';
import { getNextOrder } from '../domain/playlist.ts';
import type { Block } from './blocks.ts';
import { PlaylistButtons } from './PlaylistHead.tsx';
import '@mantine/core/styles/Popover.layer.css';
import { HeightsContext, useMeasured, getFiltersKey, NARROW, WIDE } from './useVisibleBlocks.ts';
import { NO_FILTERS, useView, view } from './viewState.ts';
import styles from './Playlist.module.css';

interface PlaylistFilterProps {
  readonly title: string;
  /** Playlists that can be selected. */
  readonly playlists: readonly Playlist[];
  readonly selected: readonly number[];
  readonly onSelect: (selected: readonly number[]) => void;
}

function Choices({ title, playlists, selected, onSelect }: PlaylistFilterProps) {
  const [typed, setTyped] = useState('');
  const matches = useMemo(() => {
    const words = splitWords(typed);
    return playlists.filter((each) => containsWords(foldSearch(each.title), words));
  }, [playlists, typed]);
  return (
    <div className={styles['choices']}>
      <input
        className={styles['field']}
        aria-label="Filter playlists by name"
        placeholder="Name"
        autoComplete="off"
        data-autofocus
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <ul aria-label={`Show songs of ${title} that are also in`}>
        {matches.map((each) => (
          <li key={each.id}>
            <label className={styles['choice']}>
              <input
                type="checkbox"
                checked={selected.includes(each.id)}
                onChange={({ currentTarget: { checked } }) =>
                  onSelect(checked ? [...selected, each.id] : selected.filter((id) => id !== each.id))
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
      {matches.length === 0 ? <p className={styles['noMatches']}>No playlists match</p> : null}
      {selected.length > 0 ? (
        <button type="button" className={styles['button']} onClick={() => onSelect([])}>
          Clear
        </button>
      ) : null}
    </div>
  );
}

/** Filters a playlist by songs that are also in any of the selected playlists. */
export function PlaylistFilter(props: PlaylistFilterProps) {
  const { selected, playlists } = props;
  return (
    <Popover position="bottom-start" width={280} withinPortal trapFocus returnFocus>
      <Popover.Target>
        <button
          type="button"
          className={styles['button']}
          disabled={playlists.length === 0}
          title={playlists.length === 0 ? 'There are no other playlists' : undefined}
          data-chosen={selected.length > 0 || undefined}
        >
          {selected.length === 0 ? 'Playlist' : `Playlist, ${selected.length} selected`}
          <IconChevronDown size={15} stroke={1.75} aria-hidden />
        </button>
      </Popover.Target>
      <Popover.Dropdown className={styles['popover'] ?? ''} aria-label="Playlist filter">
        <Choices {...props} />
      </Popover.Dropdown>
    </Popover>
  );
}

interface FiltersProps {
  readonly block: Block;
  readonly library: Library;
  readonly isNarrow: boolean;
}

/** Returns false for the first render, so that filters don't delay the header and the first songs of a playlist. */
function useIsAfterFirstRender(): boolean {
  const [isDue, setDue] = useState(false);
  useEffect(() => {
    const next = setTimeout(() => setDue(true));
    return () => clearTimeout(next);
  }, []);
  return isDue;
}

/** Filters and order of an expanded playlist. */
export const Filters = memo(function Filters(props: FiltersProps) {
  const { block, isNarrow } = props;
  const key = getFiltersKey(block.key);
  const measured = useMeasured(key);
  const isReady = useIsAfterFirstRender();
  const height = use(HeightsContext)?.getHeight(key, (isNarrow ? NARROW : WIDE).filters);
  return (
    <div ref={measured} className={styles['filters']} style={isReady ? undefined : { height }}>
      {isReady ? <Fields {...props} /> : null}
    </div>
  );
});

function Fields({ block, library, isNarrow }: FiltersProps) {
  const { playlist } = block;
  // Not from the block, whose filters are deferred: a field must update immediately.
  const filters = useView().filters.get(playlist.id) ?? NO_FILTERS;
  const otherPlaylists = useMemo(
    () => library.playlists.filter(({ id }) => id !== playlist.id && id !== ALL_SONGS),
    [library, playlist.id],
  );
  return (
    <>
      <input
        className={styles['field']}
        type="search"
        aria-label={`Name filter for ${playlist.title}`}
        placeholder="Name"
        autoComplete="off"
        value={filters.name}
        onChange={(event) => view.setFilters(playlist.id, { name: event.currentTarget.value })}
      />
      {isNarrow ? <PlaylistButtons block={block} /> : null}
      <PlaylistFilter
        title={playlist.title}
        playlists={otherPlaylists}
        selected={filters.playlists}
        onSelect={(playlists) => view.setFilters(playlist.id, { playlists })}
      />
      <button type="button" className={styles['button']} disabled title="All songs have the same creator: you">
        Creator
      </button>
      <button
        type="button"
        className={styles['button']}
        aria-label={`Order: ${filters.order}`}
        onClick={() => view.setFilters(playlist.id, { order: getNextOrder(filters.order) })}
      >
        <IconArrowsSort size={15} stroke={1.75} aria-hidden />
        {filters.order}
      </button>
    </>
  );
}
