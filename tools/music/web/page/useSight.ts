import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useLaidOut } from '#platform/web/ui/laidOut.ts';
import { bringInSight, watchSight } from '#platform/web/ui/sight.ts';
import { sightOf, topOfRow, topsOf, type BlockShape } from '../../domain/layout.ts';
import type { Block } from './blocks.ts';
import { useHeights } from './heights.ts';
import { scrolledBy } from './songs/pace.ts';
import { songKey, useView, view } from './view.ts';

/** A page of fewer parts than this is drawn whole. */
const FEW = 200;
/** What is drawn changes as often as it is scrolled by so much: a row at a time, so that no picture waits for many. */
const STEP = 52;
/** Drawn beyond what is in sight, so that nothing is blank while it scrolls. */
const SPARE = 312;
const GAP = 12;
const BORDER = 1;

/** Heights of the parts that have one of their own, in px: as Playlist.module.css and Song.module.css have them. */
interface Sizes {
  readonly head: number;
  readonly row: number;
  /** Guesses, until they are drawn. */
  readonly filters: number;
  readonly actions: number;
}
export const WIDE: Sizes = { head: 70, row: 52, filters: 44, actions: 82 };
export const NARROW: Sizes = { head: 70, row: 60, filters: 156, actions: 150 };
/** Of the line in the rows' place where there are none. */
export const NOTHING = 52;

export const filtersKey = (block: string): string => `filters of ${block}`;

const shapeOf = (
  { key, songs, isExpanded, isFound }: Block,
  sizes: Sizes,
  {
    opened,
    of,
  }: {
    readonly opened: ReadonlyMap<string, readonly number[]>;
    readonly of: (key: string, estimate: number) => number;
  },
): BlockShape => {
  const head = BORDER + sizes.head;
  if (!isExpanded) return { head, rows: 0, row: sizes.row, more: [], foot: BORDER };
  const places = new Map((opened.get(key) ?? []).map((song) => [songs.indexOf(song), song]));
  places.delete(-1);
  const more = [...places]
    .toSorted(([one], [other]) => one - other)
    .map(([place, song]) => [place, of(songKey(key, song), sizes.actions)] as const);
  const below = songs.length === 0 ? NOTHING : 0;
  return {
    // What is found is narrowed already.
    head: isFound ? head : head + of(filtersKey(key), sizes.filters),
    rows: songs.length,
    row: sizes.row,
    more,
    foot: below + BORDER,
  };
};

/** Songs with open options, by their block. */
const openedIn = (opened: ReadonlySet<string>): ReadonlyMap<string, readonly number[]> => {
  const parts = [...opened].map(
    (key) => [key.slice(0, key.lastIndexOf(':')), Number(key.slice(key.lastIndexOf(':') + 1))] as const,
  );
  return new Map(
    [...Map.groupBy(parts, ([block]) => block)].map(([block, songs]) => [block, songs.map(([, song]) => song)]),
  );
};

interface Place {
  readonly step: number;
  readonly height: number;
  /** Where the list begins in what scrolls. */
  readonly above: number;
}

const scrollerOf = (list: HTMLElement | null): HTMLElement | undefined =>
  list?.closest<HTMLElement>('[data-scroller]') ?? undefined;

const stepOf = ({ scrollTop }: HTMLElement): number => Math.floor(scrollTop / STEP);

const placeOf = (list: HTMLElement, scroller: HTMLElement): Place => {
  const above = list.getBoundingClientRect().top - scroller.getBoundingClientRect().top + scroller.scrollTop;
  return { step: stepOf(scroller), height: scroller.clientHeight, above: Math.round(above) };
};

/** One step to where it is scrolled, or all of them where that is further than the window is high. */
const towards = (place: Place, scroller: HTMLElement): Place => {
  const ahead = stepOf(scroller) - place.step;
  if (ahead === 0) return place;
  const isFar = Math.abs(ahead) * STEP > place.height;
  return { ...place, step: place.step + (isFar ? ahead : Math.sign(ahead)) };
};

/** What of these blocks is to be drawn, as the page is scrolled. */
export const useSight = (blocks: readonly Block[], sizes: Sizes) => {
  const list = useRef<HTMLDivElement>(null);
  const { heights, version } = useHeights();
  const { opened } = useView();
  const [place, setPlace] = useState<Place>({ step: 0, height: 0, above: 0 });

  useLayoutEffect(() => {
    const element = list.current;
    const scroller = scrollerOf(element);
    if (!element || !scroller) return undefined;
    scroller.scrollTop = view.scrolledTo();
    const measure = (): void => setPlace(placeOf(element, scroller));
    measure();
    const onScroll = (): void => {
      const { scrollTop } = scroller;
      scrolledBy(scrollTop - view.scrolledTo(), sizes.row);
      view.scroll(scrollTop);
      setPlace((before) => towards(before, scroller));
    };
    // What stands above the list moves it.
    const around = [...(element.parentElement?.children ?? [])].filter((sibling) => sibling !== element);
    return watchSight(scroller, { onScroll, onSize: measure, around });
  }, [sizes.row]);

  // What is left of the way, in a piece of its own.
  useEffect(() => {
    const scroller = scrollerOf(list.current);
    if (!scroller || stepOf(scroller) === place.step) return undefined;
    const next = setTimeout(() => setPlace((before) => towards(before, scroller)));
    return () => clearTimeout(next);
  }, [place]);

  const shapes = useMemo(() => {
    const songs = openedIn(opened);
    return blocks.map((block) => shapeOf(block, sizes, { opened: songs, of: heights.of }));
    // oxlint-disable-next-line react/exhaustive-deps -- heights are asked for again when one has changed
  }, [blocks, sizes, opened, heights, version]);

  const isWhole = shapes.reduce((sum, { rows }) => sum + rows + 1, 0) <= FEW;
  const from = isWhole ? -Infinity : place.step * STEP - place.above - SPARE;
  const until = isWhole ? Infinity : place.step * STEP - place.above + place.height + STEP + SPARE;
  const tops = useMemo(() => topsOf(shapes, GAP), [shapes]);
  const sight = useMemo(() => sightOf(shapes, { tops, gap: GAP }, [from, until]), [shapes, tops, from, until]);
  useLaidOut(list, sight);

  /** Brings a row of a block into sight, or its head where there is none. */
  const scrollTo = useCallback(
    (at: number, row: number | undefined): void => {
      const scroller = scrollerOf(list.current);
      const shape = shapes[at];
      if (!scroller || !shape) return;
      const begins = place.above + (tops[at] ?? 0);
      const top = row === undefined ? begins : begins + shape.head + topOfRow(shape, row);
      const bottom = top + (row === undefined ? shape.head : shape.row);
      bringInSight(scroller, top, bottom, GAP);
    },
    [shapes, tops, place.above],
  );

  return { list, heights, shapes, sight, scrollTo };
};
