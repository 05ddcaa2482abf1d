import { useEffect, useLayoutEffect, useRef } from 'react';
import { isBehindDialog, useCommands } from '#platform/web/app/commands.ts';
import { isTextField } from '#platform/web/browser/typeAhead.ts';
import { ALL_SONGS } from '../../contract/limits.ts';
import { player } from '../../player/web/player.ts';
import { occurrenceAt, placeOf } from '../domain/playlist.ts';
import type { Block } from './blocks.ts';
import { useActs } from './pageActions.ts';
import { songInKey, songKey, view } from './viewState.ts';

const SEEK_SECONDS = 5;

interface RowPosition {
  readonly block: number;
  readonly row: number;
}

/** The song that has the focus, by its key. */
const focused = (): string | undefined =>
  document.activeElement?.closest<HTMLElement>('[data-song]')?.dataset['song'] ?? undefined;

/** The space bar presses the control that has the focus. */
const isOnControl = (): boolean =>
  document.activeElement?.matches('button, a[href], summary, input, [role=menuitem], [role=option]') ?? false;

const spotOf = (blocks: readonly Block[], key: string | undefined): RowPosition | undefined => {
  if (key === undefined) return undefined;
  const block = blocks.findIndex((each) => key.startsWith(`${each.key}:`));
  const found = blocks[block];
  const row = found ? placeOf(found.songs, songInKey(key)) : -1;
  return row < 0 ? undefined : { block, row };
};

/** The song after or before a spot, in the next block that shows any; the first or last one from nowhere. */
const beside = (blocks: readonly Block[], from: RowPosition | undefined, by: 1 | -1): RowPosition | undefined => {
  const start = from ?? (by === 1 ? { block: 0, row: -1 } : { block: blocks.length - 1, row: Infinity });
  for (let block = start.block; block >= 0 && block < blocks.length; block += by) {
    const rows = blocks[block]?.songs.length ?? 0;
    const entry = by === 1 ? 0 : rows - 1;
    const row = block === start.block && Number.isFinite(start.row) ? start.row + by : entry;
    if (row >= 0 && row < rows) return { block, row };
  }
  return undefined;
};

/** Gives the focus to a song; false where it is not drawn. */
const goTo = (key: string): boolean => {
  const row = document.querySelector<HTMLElement>(`[data-song="${CSS.escape(key)}"]`);
  const button =
    row?.querySelector<HTMLElement>('[data-play]:not(:disabled)') ?? row?.querySelector<HTMLElement>('[data-options]');
  button?.focus({ preventScroll: true });
  return button !== null && button !== undefined;
};

const options = (): void => {
  const key = focused();
  if (key !== undefined) view.open(key);
};

/** The keys of the page (look.md sections 4 and 6): Space and the arrows for the player, J and K through the songs, Delete takes one out. */
export function useSongKeys(blocks: readonly Block[], scrollTo: (at: number, row: number | undefined) => void): void {
  /** Where the focus was last: the song may be scrolled away since, or gone. */
  const last = useRef<{ readonly key: string; readonly spot: RowPosition }>(undefined);
  const awaited = useRef<string>(undefined);
  const { songs: acts, open } = useActs();
  // A song that was not drawn yet has the focus as soon as it is.
  useLayoutEffect(() => {
    if (awaited.current !== undefined && goTo(awaited.current)) awaited.current = undefined;
  });
  useEffect(() => {
    const note = (): void => {
      const key = focused();
      const spot = spotOf(blocks, key);
      if (key === undefined || !spot) return;
      last.current = { key, spot };
      awaited.current = undefined;
    };
    document.addEventListener('focusin', note);
    return () => document.removeEventListener('focusin', note);
  }, [blocks]);
  /** What is next to a song that is gone stands where it stood, or before that. A key that is held comes faster than songs are drawn. */
  const start = (by: 1 | -1): RowPosition | undefined => {
    const { key, spot } = last.current ?? {};
    const there = spotOf(blocks, awaited.current ?? focused() ?? key);
    return there ?? (spot && by === 1 ? { ...spot, row: spot.row - 1 } : spot);
  };
  const focus = (spot: RowPosition | undefined): void => {
    const block = blocks[spot?.block ?? -1];
    const song = block?.songs[spot?.row ?? -1];
    if (!spot || !block || song === undefined) return;
    const key = songKey(block.key, occurrenceAt(block.songs, spot.row));
    last.current = { key, spot };
    scrollTo(spot.block, spot.row);
    awaited.current = goTo(key) ? undefined : key;
  };
  const step = (by: 1 | -1): void => focus(beside(blocks, start(by), by));
  /** The song that has the focus, and where it stands. */
  const here = () => {
    const spot = spotOf(blocks, focused());
    const block = blocks[spot?.block ?? -1];
    const song = block?.songs[spot?.row ?? -1];
    return spot && block && song !== undefined
      ? { spot, song, one: occurrenceAt(block.songs, spot.row), playlist: block.playlist }
      : undefined;
  };
  /** Out of its playlist, or of the library where it stands among all songs. What stands behind it has the focus then, else what stands before. */
  const takeOut = (): boolean => {
    const found = here();
    if (!found) return false;
    const { spot, song, one, playlist } = found;
    if (playlist.id !== ALL_SONGS && !playlist.isOwn) return false;
    focus([beside(blocks, spot, 1), beside(blocks, spot, -1)].find((next) => next?.block === spot.block));
    if (playlist.id === ALL_SONGS) acts.deleteSong(song);
    else acts.remove(playlist, one);
    return true;
  };
  /** Gives whether the key means something here. */
  const press = ({ key, repeat }: KeyboardEvent): boolean => {
    if (key === 'Delete') return !repeat && takeOut();
    const seconds = { ArrowLeft: -SEEK_SECONDS, ArrowRight: SEEK_SECONDS }[key];
    if (seconds === undefined || player.playing() === undefined) return false;
    player.seekBy(seconds);
    return true;
  };
  const addTo = (): void => {
    const song = here()?.song;
    if (song !== undefined) open({ name: 'addSongTo', song });
  };
  const latest = useRef(press);
  useLayoutEffect(() => {
    latest.current = press;
  });
  useCommands([
    { id: 'music.play', name: 'Play or pause', keys: ' ', when: () => !isOnControl(), run: () => player.toggle() },
    { id: 'music.next', name: 'Next song of the list', keys: 'j', run: () => step(1) },
    { id: 'music.previous', name: 'Song of the list before', keys: 'k', run: () => step(-1) },
    { id: 'music.options', name: 'Options of the song', keys: 'o', when: () => focused() !== undefined, run: options },
    {
      id: 'music.addTo',
      name: 'Add the song to a playlist',
      keys: 'm',
      opensField: true,
      when: () => focused() !== undefined,
      run: addTo,
    },
    // Handled below: a key that is held seeks on.
    { id: 'music.seek', name: `Seek by ${SEEK_SECONDS} seconds`, keys: ['ArrowLeft', 'ArrowRight'] },
    { id: 'music.takeOut', name: 'Remove the song from its list', keys: 'Delete' },
  ]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
      if (isTextField(event.target) || isBehindDialog()) return;
      if (latest.current(event)) event.preventDefault();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}
