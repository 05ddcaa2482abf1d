import { useEffect, useLayoutEffect, useRef } from 'react';
import { isBehindDialog, useCommands } from '#platform/web/app/commands.ts';
import { isTextField } from '#platform/web/browser/typeAhead.ts';
import { ALL_SONGS } from '../../contract/limits.ts';
import { player } from '../../player/web/player.ts';
import { getOccurrence, findOccurrence } from '../domain/playlist.ts';
import type { Block } from './blocks.ts';
import { useActs } from './pageActions.ts';
import { songInKey, songKey, view } from './viewState.ts';

const SEEK_SECONDS = 5;

interface RowPosition {
  readonly block: number;
  readonly row: number;
}

/** Returns the key of the focused song. */
const getFocusedKey = (): string | undefined =>
  document.activeElement?.closest<HTMLElement>('[data-song]')?.dataset['song'] ?? undefined;

/** The space bar presses the focused control. */
const isOnControl = (): boolean =>
  document.activeElement?.matches('button, a[href], summary, input, [role=menuitem], [role=option]') ?? false;

const findPosition = (blocks: readonly Block[], key: string | undefined): RowPosition | undefined => {
  if (key === undefined) return undefined;
  const block = blocks.findIndex((each) => key.startsWith(`${each.key}:`));
  const matchingBlock = blocks[block];
  const row = matchingBlock ? findOccurrence(matchingBlock.songs, songInKey(key)) : -1;
  return row < 0 ? undefined : { block, row };
};

/** Returns the next or previous song, also in another block. Without a start it is the first or last one. */
const findNeighbour = (
  blocks: readonly Block[],
  from: RowPosition | undefined,
  by: 1 | -1,
): RowPosition | undefined => {
  const start = from ?? (by === 1 ? { block: 0, row: -1 } : { block: blocks.length - 1, row: Infinity });
  for (let block = start.block; block >= 0 && block < blocks.length; block += by) {
    const rows = blocks[block]?.songs.length ?? 0;
    const entry = by === 1 ? 0 : rows - 1;
    const row = block === start.block && Number.isFinite(start.row) ? start.row + by : entry;
    if (row >= 0 && row < rows) return { block, row };
  }
  return undefined;
};

/** Focuses a song. Returns false if it is not rendered. */
const focusRow = (key: string): boolean => {
  const row = document.querySelector<HTMLElement>(`[data-song="${CSS.escape(key)}"]`);
  const button =
    row?.querySelector<HTMLElement>('[data-play]:not(:disabled)') ?? row?.querySelector<HTMLElement>('[data-options]');
  button?.focus({ preventScroll: true });
  return button !== null && button !== undefined;
};

const openOptions = (): void => {
  const key = getFocusedKey();
  if (key !== undefined) view.open(key);
};

/**
 * Keys of the page (docs/design/appearance.md section 4.3): Space and arrows control the player, J and K move through
 * songs, Delete removes one.
 */
export function useSongKeys(blocks: readonly Block[], scrollTo: (at: number, row: number | undefined) => void): void {
  /** The last focused song, which may have been scrolled out of view or removed since. */
  const last = useRef<{ readonly key: string; readonly spot: RowPosition }>(undefined);
  const pendingKey = useRef<string>(undefined);
  const { songs: acts, open } = useActs();
  // Focuses a song as soon as it is rendered.
  useLayoutEffect(() => {
    if (pendingKey.current !== undefined && focusRow(pendingKey.current)) pendingKey.current = undefined;
  });
  useEffect(() => {
    const handleFocus = (): void => {
      const key = getFocusedKey();
      const spot = findPosition(blocks, key);
      if (key === undefined || !spot) return;
      last.current = { key, spot };
      pendingKey.current = undefined;
    };
    document.addEventListener('focusin', handleFocus);
    return () => document.removeEventListener('focusin', handleFocus);
  }, [blocks]);
  /**
   * Returns where to start. The next song after a removed one is at its place. A held key repeats faster than rows
   * render.
   */
  const start = (by: 1 | -1): RowPosition | undefined => {
    const { key, spot } = last.current ?? {};
    const current = findPosition(blocks, pendingKey.current ?? getFocusedKey() ?? key);
    return current ?? (spot && by === 1 ? { ...spot, row: spot.row - 1 } : spot);
  };
  const focus = (spot: RowPosition | undefined): void => {
    const block = blocks[spot?.block ?? -1];
    const song = block?.songs[spot?.row ?? -1];
    if (!spot || !block || song === undefined) return;
    const key = songKey(block.key, getOccurrence(block.songs, spot.row));
    last.current = { key, spot };
    scrollTo(spot.block, spot.row);
    pendingKey.current = focusRow(key) ? undefined : key;
  };
  const step = (by: 1 | -1): void => focus(findNeighbour(blocks, start(by), by));
  /** Returns the focused song and its position. */
  const getFocusedSong = () => {
    const spot = findPosition(blocks, getFocusedKey());
    const block = blocks[spot?.block ?? -1];
    const song = block?.songs[spot?.row ?? -1];
    return spot && block && song !== undefined
      ? { spot, song, one: getOccurrence(block.songs, spot.row), playlist: block.playlist }
      : undefined;
  };
  /** Removes the song from its playlist, or deletes it in All MP3s. Then focuses the next or previous song. */
  const removeFocused = (): boolean => {
    const focusedSong = getFocusedSong();
    if (!focusedSong) return false;
    const { spot, song, one, playlist } = focusedSong;
    if (playlist.id !== ALL_SONGS && !playlist.isOwn) return false;
    focus([findNeighbour(blocks, spot, 1), findNeighbour(blocks, spot, -1)].find((next) => next?.block === spot.block));
    if (playlist.id === ALL_SONGS) acts.deleteSong(song);
    else acts.remove(playlist, one);
    return true;
  };
  /** Handles a key. Returns whether it has a meaning here. */
  const handleKey = ({ key, repeat }: KeyboardEvent): boolean => {
    if (key === 'Delete') return !repeat && removeFocused();
    const seconds = { ArrowLeft: -SEEK_SECONDS, ArrowRight: SEEK_SECONDS }[key];
    if (seconds === undefined || player.playing() === undefined) return false;
    player.seekBy(seconds);
    return true;
  };
  const addTo = (): void => {
    const song = getFocusedSong()?.song;
    if (song !== undefined) open({ name: 'addSongTo', song });
  };
  const latest = useRef(handleKey);
  useLayoutEffect(() => {
    latest.current = handleKey;
  });
  useCommands([
    { id: 'music.play', name: 'Play or pause', keys: ' ', when: () => !isOnControl(), run: () => player.toggle() },
    { id: 'music.next', name: 'Next song in the list', keys: 'j', run: () => step(1) },
    { id: 'music.previous', name: 'Previous song in the list', keys: 'k', run: () => step(-1) },
    {
      id: 'music.options',
      name: 'Show song options',
      keys: 'o',
      when: () => getFocusedKey() !== undefined,
      run: openOptions,
    },
    {
      id: 'music.addTo',
      name: 'Add song to a playlist',
      keys: 'm',
      opensField: true,
      when: () => getFocusedKey() !== undefined,
      run: addTo,
    },
    // Handled below, because a held key continues to seek.
    { id: 'music.seek', name: `Seek by ${SEEK_SECONDS} seconds`, keys: ['ArrowLeft', 'ArrowRight'] },
    { id: 'music.takeOut', name: 'Remove song from the list', keys: 'Delete' },
  ]);
  useEffect(() => {
    const handleKeyDown = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
      if (isTextField(event.target) || isBehindDialog()) return;
      if (latest.current(event)) event.preventDefault();
    };
    document.addEventListener('keydown', handleKeyDown);
    return () => document.removeEventListener('keydown', handleKeyDown);
  }, []);
}
