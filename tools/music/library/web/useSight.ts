import {
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  createContext,
  useContext,
  type RefObject,
} from 'react';
import { useLayoutFlush, scrollIntoView, observeViewport } from '#platform/web/windowing/visibleRows.ts';
import { towards, type ScrollRange, sightOf, topOfRow, topsOf, type BlockShape } from '../domain/pageLayout.ts';
import { placeOf, type Occurrence } from '../domain/playlist.ts';
import type { Block } from './blocks.ts';
import { scrolledBy } from './pace.ts';
import { songInKey, songKey, useView, view } from './viewState.ts';

/** Heights of parts that are as high as their content, by their keys. */
interface Heights {
  readonly of: (key: string, estimate: number) => number;
  readonly watch: (key: string, element: Element) => () => void;
}

const createHeights = (onChange: () => void): Heights => {
  const known = new Map<string, number>();
  const keys = new WeakMap<Element, string>();
  const set = (element: Element, height: number): boolean => {
    const key = keys.get(element);
    if (key === undefined || Math.abs((known.get(key) ?? 0) - height) < 0.5) return false;
    known.set(key, height);
    return true;
  };
  const observer = new ResizeObserver((entries) => {
    const changes = entries.map(({ target, borderBoxSize }) => set(target, borderBoxSize[0]?.blockSize ?? 0));
    if (changes.includes(true)) onChange();
  });
  return {
    of: (key, estimate) => known.get(key) ?? estimate,
    watch: (key, element) => {
      keys.set(element, key);
      observer.observe(element);
      return () => observer.unobserve(element);
    },
  };
};

/** Draws the calling component anew where a height has changed. */
export function useHeights(): { readonly heights: Heights; readonly version: number } {
  const [version, setVersion] = useState(0);
  const [heights] = useState(() => createHeights(() => setVersion((before) => before + 1)));
  return { heights, version };
}

export const HeightsContext = createContext<Heights | undefined>(undefined);

/** Measures an element under this key, from its first drawing on. */
export function useMeasured(key: string): RefObject<HTMLDivElement | null> {
  const heights = useContext(HeightsContext);
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => (element.current ? heights?.watch(key, element.current) : undefined), [heights, key]);
  return element;
}

/** A page of fewer parts than this is drawn whole. */
const FEW = 200;
/** What is drawn changes as often as it is scrolled by so much: a row at a time, so that no picture waits for many. */
const STEP = 52;
/** Steps that are drawn beyond what is in sight, so that nothing is blank while it scrolls. */
const SPARE = 6;
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

export function filtersKey(block: string): string {
  return `filters of ${block}`;
}

const shapeOf = (
  { key, songs, isExpanded, isFound }: Block,
  sizes: Sizes,
  {
    opened,
    of,
  }: {
    readonly opened: ReadonlyMap<string, readonly Occurrence[]>;
    readonly of: (key: string, estimate: number) => number;
  },
): BlockShape => {
  const head = BORDER + sizes.head;
  if (!isExpanded) return { head, rows: 0, row: sizes.row, more: [], foot: BORDER };
  const places = new Map((opened.get(key) ?? []).map((one) => [placeOf(songs, one), one]));
  places.delete(-1);
  const more = [...places]
    .toSorted(([one], [other]) => one - other)
    .map(([place, one]) => [place, of(songKey(key, one), sizes.actions)] as const);
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
const openedIn = (opened: ReadonlySet<string>): ReadonlyMap<string, readonly Occurrence[]> => {
  const byBlock = new Map<string, Occurrence[]>();
  for (const { block, ...one } of [...opened].map(songInKey)) byBlock.set(block, [...(byBlock.get(block) ?? []), one]);
  return byBlock;
};

const scrollerOf = (list: HTMLElement | null): HTMLElement | undefined =>
  list?.closest<HTMLElement>('[data-scroller]') ?? undefined;

const stretchOf = (scrollTop: number, height: number): ScrollRange => {
  const from = Math.floor(scrollTop / STEP);
  return { from, until: from + Math.ceil(height / STEP) + 1 };
};

const aboveOf = (list: HTMLElement, scroller: HTMLElement): number =>
  Math.round(list.getBoundingClientRect().top - scroller.getBoundingClientRect().top + scroller.scrollTop);

/** What of these blocks is to be drawn, as the page is scrolled. */
export function useSight(blocks: readonly Block[], sizes: Sizes) {
  const list = useRef<HTMLDivElement>(null);
  const { heights, version } = useHeights();
  const { opened } = useView();
  const [drawn, setDrawn] = useState<ScrollRange>({ from: 0, until: 0 });
  /** Where the list begins in what scrolls. */
  const [above, setAbove] = useState(0);

  /** What is on the page: asked for twice before the next drawing, it is one piece all the same. */
  const there = useRef(drawn);
  /** As it was last told: asked while rows come and go, the browser would lay them out for it. */
  const inSight = useRef<ScrollRange>(undefined);
  useLayoutEffect(() => {
    there.current = drawn;
  }, [drawn]);
  /** One piece of what is still to be drawn or taken away. */
  const draw = useCallback((): void => {
    if (inSight.current) setDrawn(towards(there.current, inSight.current, SPARE));
  }, []);

  useLayoutEffect(() => {
    const element = list.current;
    const scroller = scrollerOf(element);
    if (!element || !scroller) return undefined;
    let height = scroller.clientHeight;
    scroller.scrollTop = view.scrolledTo();
    inSight.current = stretchOf(scroller.scrollTop, height);
    setDrawn(inSight.current);
    setAbove(aboveOf(element, scroller));
    const onSize = (): void => {
      height = scroller.clientHeight;
      inSight.current = stretchOf(scroller.scrollTop, height);
      setAbove(aboveOf(element, scroller));
      draw();
    };
    const onScroll = (): void => {
      const { scrollTop } = scroller;
      scrolledBy(scrollTop - view.scrolledTo(), sizes.row);
      view.scroll(scrollTop);
      inSight.current = stretchOf(scrollTop, height);
      draw();
    };
    // What stands above the list moves it.
    const around = [...(element.parentElement?.children ?? [])].filter((sibling) => sibling !== element);
    return observeViewport(scroller, { onScroll, onResize: onSize, around });
  }, [draw, sizes.row]);

  // What is left of the way, in a piece of its own.
  useEffect(() => {
    if (!inSight.current || towards(drawn, inSight.current, SPARE) === drawn) return undefined;
    const next = setTimeout(draw);
    return () => clearTimeout(next);
  }, [draw, drawn]);

  const shapes = useMemo(() => {
    const songs = openedIn(opened);
    return blocks.map((block) => shapeOf(block, sizes, { opened: songs, of: heights.of }));
    // oxlint-disable-next-line react/exhaustive-deps -- heights are asked for again when one has changed
  }, [blocks, sizes, opened, heights, version]);

  const isWhole = shapes.reduce((sum, { rows }) => sum + rows + 1, 0) <= FEW;
  const from = isWhole ? -Infinity : drawn.from * STEP - above;
  const until = isWhole ? Infinity : drawn.until * STEP - above;
  const tops = useMemo(() => topsOf(shapes, GAP), [shapes]);
  const sight = useMemo(() => sightOf(shapes, { tops, gap: GAP }, [from, until]), [shapes, tops, from, until]);
  useLayoutFlush(list, sight);

  /** Brings a row of a block into sight, or its head where there is none. */
  const scrollTo = useCallback(
    (at: number, row: number | undefined): void => {
      const scroller = scrollerOf(list.current);
      const shape = shapes[at];
      if (!scroller || !shape) return;
      const begins = above + (tops[at] ?? 0);
      const top = row === undefined ? begins : begins + shape.head + topOfRow(shape, row);
      const bottom = top + (row === undefined ? shape.head : shape.row);
      scrollIntoView(scroller, top, bottom, GAP);
    },
    [shapes, tops, above],
  );

  return { list, heights, shapes, sight, scrollTo };
}
