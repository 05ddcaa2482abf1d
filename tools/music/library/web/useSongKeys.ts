import { useEffect, useLayoutEffect, useRef } from 'react';
import { isBehindDialog, useCommands } from '#platform/web/app/commands.ts';
import { isTextField } from '#platform/web/browser/typeAhead.ts';
import { ALL_SONGS } from '../../contract/limits.ts';
import { player } from '../../player/web/player.ts';
import { getOccurrence, findOccurrence } from '../domain/playlist.ts';
import type { Block } from './blocks.ts';
import { usePageActions } from './pageActions.ts';
import { parseSongKey, formatSongKey, view } from './viewState.ts';

const SEEK_SECONDS = 5;

interface RowPosition {
  readonly block: number;
  readonly row: number;
}

const getFocusedKey = (): string | undefined =>
  document.activeElement?.closest<HTMLElement>('[data-song]')?.dataset['song'] ?? undefined;

/** The space bar presses the focused control. */
const isOnControl = (): boolean =>
  document.activeElement?.matches('button, a[href], summary, input, [role=menuitem], [role=option]') ?? false;

function findPosition(blocks: readonly Block[], key: string | undefined): RowPosition | undefined {
  if (key === undefined) return undefined;
  const block = blocks.findIndex((each) => key.startsWith(`${each.key}:`));
  const matchingBlock = blocks[block];
  const row = matchingBlock ? findOccurrence(matchingBlock.songs, parseSongKey(key)) : -1;
  return row < 0 ? undefined : { block, row };
}

/** Returns the next or previous song, also in another block. Without a start it is the first or last one. */
function findAdjacentSong(
  blocks: readonly Block[],
  from: RowPosition | undefined,
  by: 1 | -1,
): RowPosition | undefined {
  const start = from ?? (by === 1 ? { block: 0, row: -1 } : { block: blocks.length - 1, row: Infinity });
  for (let block = start.block; block >= 0 && block < blocks.length; block += by) {
    const rows = blocks[block]?.songs.length ?? 0;
    const entry = by === 1 ? 0 : rows - 1;
    const row = block === start.block && Number.isFinite(start.row) ? start.row + by : entry;
    if (row >= 0 && row < rows) return { block, row };
  }
  return undefined;
}

/** Focuses a song. Returns false if it is not rendered. */
function focusRow(key: string): boolean {
  const row = document.querySelector<HTMLElement>(`[data-song="${CSS.escape(key)}"]`);
  const button =
    row?.querySelector<HTMLElement>('[data-play]:not(:disabled)') ?? row?.querySelector<HTMLElement>('[data-options]');
  button?.focus({ preventScroll: true });
  return button !== null && button !== undefined;
}

function openOptions(): void {
  const key = getFocusedKey();
  if (key !== undefined) view.toggleOptions(key);
}

/**
 * Keys of the page (docs/design/appearance.md section 4.3): Space and arrows control the player, J and K move through
 * songs, Delete removes one.
 */
export function useSongKeys(blocks: readonly Block[], scrollTo: (at: number, row: number | undefined) => void): void {
  /** The last focused song, which may have been scrolled out of view or removed since. */
  const lastFocused = useRef<{ readonly key: string; readonly position: RowPosition }>(undefined);
  const pendingKey = useRef<string>(undefined);
  const { songs: songActions, open } = usePageActions();
  // Focuses a song as soon as it is rendered.
  useLayoutEffect(() => {
    if (pendingKey.current !== undefined && focusRow(pendingKey.current)) pendingKey.current = undefined;
  });
  useEffect(() => {
    function handleFocus(): void {
      const key = getFocusedKey();
      const position = findPosition(blocks, key);
      if (key === undefined || !position) return;
      lastFocused.current = { key, position };
      pendingKey.current = undefined;
    }
    document.addEventListener('focusin', handleFocus);
    return () => document.removeEventListener('focusin', handleFocus);
  }, [blocks]);
  /**
   * Returns the position to move from. The song after a removed one takes its position, and a held key repeats faster
   * than rows render.
   */
  function getStart(by: 1 | -1): RowPosition | undefined {
    const { key, position } = lastFocused.current ?? {};
    const current = findPosition(blocks, pendingKey.current ?? getFocusedKey() ?? key);
    return current ?? (position && by === 1 ? { ...position, row: position.row - 1 } : position);
  }
  function focus(position: RowPosition | undefined): void {
    const block = blocks[position?.block ?? -1];
    const song = block?.songs[position?.row ?? -1];
    if (!position || !block || song === undefined) return;
    const key = formatSongKey(block.key, getOccurrence(block.songs, position.row));
    lastFocused.current = { key, position };
    scrollTo(position.block, position.row);
    pendingKey.current = focusRow(key) ? undefined : key;
  }
  const step = (by: 1 | -1): void => focus(findAdjacentSong(blocks, getStart(by), by));
  function getFocusedSong() {
    const position = findPosition(blocks, getFocusedKey());
    const block = blocks[position?.block ?? -1];
    const song = block?.songs[position?.row ?? -1];
    return position && block && song !== undefined
      ? { position, song, occurrence: getOccurrence(block.songs, position.row), playlist: block.playlist }
      : undefined;
  }
  /** Removes the song from its playlist, or deletes it in All MP3s. Then focuses the next or previous song. */
  function removeFocused(): boolean {
    const focusedSong = getFocusedSong();
    if (!focusedSong) return false;
    const { position, song, occurrence, playlist } = focusedSong;
    if (playlist.id !== ALL_SONGS && !playlist.isOwn) return false;
    focus(
      [findAdjacentSong(blocks, position, 1), findAdjacentSong(blocks, position, -1)].find(
        (next) => next?.block === position.block,
      ),
    );
    if (playlist.id === ALL_SONGS) songActions.deleteSong(song);
    else songActions.remove(playlist, occurrence);
    return true;
  }
  /** Handles a key. Returns whether it was used. */
  function handleKey({ key, repeat }: KeyboardEvent): boolean {
    if (key === 'Delete') return !repeat && removeFocused();
    const seconds = { ArrowLeft: -SEEK_SECONDS, ArrowRight: SEEK_SECONDS }[key];
    if (seconds === undefined || player.getPlaying() === undefined) return false;
    player.seekBy(seconds);
    return true;
  }
  function addTo(): void {
    const song = getFocusedSong()?.song;
    if (song !== undefined) open({ name: 'addSongTo', song });
  }
  const latestHandleKey = useRef(handleKey);
  useLayoutEffect(() => {
    latestHandleKey.current = handleKey;
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
    // Handled below, because a held key must continue to seek.
    { id: 'music.seek', name: `Seek by ${SEEK_SECONDS} seconds`, keys: ['ArrowLeft', 'ArrowRight'] },
    { id: 'music.takeOut', name: 'Remove song from the list', keys: 'Delete' },
  ]);
  useEffect(() => {
    function handleKeyDown(event: KeyboardEvent): void {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
      if (isTextField(event.target) || isBehindDialog()) return;
      if (latestHandleKey.current(event)) event.preventDefault();
    }
    document.addEventListener('keydown', handleKeyDown);
    return () => document.removeEventListener('keydown', handleKeyDown);
  }, []);
}
