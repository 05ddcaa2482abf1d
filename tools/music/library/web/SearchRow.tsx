import { IconSearch, IconX } from '@tabler/icons-react';
import { useRef } from 'react';
import { useCommands } from '#platform/web/app/commands.ts';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { useView, view } from './viewState.ts';
import styles from './MusicPage.module.css';

/** Searches songs and playlists by words of their names. Not in the specification. */
export function SearchRow() {
  const { search } = useView();
  const field = useRef<HTMLInputElement>(null);
  useCommands([
    {
      id: 'music.search',
      name: 'Search songs and playlists',
      keys: '/',
      opensField: true,
      run: () => field.current?.focus(),
    },
  ]);
  function clear(): void {
    view.setSearch('');
    field.current?.focus();
  }
  return (
    <search className={`${styles['search']} icon-field`}>
      <IconSearch size={17} stroke={1.75} aria-hidden />
      <input
        ref={field}
        type="text"
        aria-label="Search songs and playlists"
        placeholder="Search songs and playlists"
        autoComplete="off"
        spellCheck={false}
        enterKeyHint="search"
        value={search}
        onChange={(event) => view.setSearch(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || search === '') return;
          event.preventDefault();
          clear();
        }}
      />
      {search === '' ? null : (
        <IconButton label="Clear search" size={28} onClick={clear}>
          <IconX size={16} stroke={1.75} />
        </IconButton>
      )}
    </search>
  );
}
