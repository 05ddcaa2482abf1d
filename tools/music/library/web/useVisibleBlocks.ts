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
import { groupBy } from '#platform/contract/groupBy.ts';
import { useLayoutFlush, scrollIntoView, observeViewport } from '#platform/web/windowing/visibleRows.ts';
import {
  stepTowards,
  type ScrollRange,
  getVisibleRange,
  getRowTop,
  listBlockTops,
  type BlockShape,
} from '../domain/pageLayout.ts';
import { findOccurrence, type Occurrence } from '../domain/playlist.ts';
import type { Block } from './blocks.ts';
import { reportScroll } from './pictureQueue.ts';
import { parseSongKey, formatSongKey, useView, view } from './viewState.ts';

/** Measured heights of elements by key. */
interface Heights {
  readonly getHeight: (key: string, estimate: number) => number;
  readonly watch: (key: string, element: Element) => () => void;
}

function createHeights(onChange: () => void): Heights {
  const heightByKey = new Map<string, number>();
  const keys = new WeakMap<Element, string>();
  function set(element: Element, height: number): boolean {
    const key = keys.get(element);
    if (key === undefined || Math.abs((heightByKey.get(key) ?? 0) - height) < 0.5) return false;
    heightByKey.set(key, height);
    return true;
  }
  const observer = new ResizeObserver((entries) => {
    const changes = entries.map(({ target, borderBoxSize }) => set(target, borderBoxSize[0]?.blockSize ?? 0));
    if (changes.includes(true)) onChange();
  });
  return {
    getHeight: (key, estimate) => heightByKey.get(key) ?? estimate,
    watch: (key, element) => {
      keys.set(element, key);
      observer.observe(element);
      return () => observer.unobserve(element);
    },
  };
}

/** Measures heights, and re-renders the calling component when one changes. */
export function useHeights(): { readonly heights: Heights; readonly version: number } {
  const [version, setVersion] = useState(0);
  const [heights] = useState(() => createHeights(() => setVersion((before) => before + 1)));
  return { heights, version };
}

export const HeightsContext = createContext<Heights | undefined>(undefined);

/** Measures an element from its first render on. */
export function useMeasured(key: string): RefObject<HTMLDivElement | null> {
  const heights = useContext(HeightsContext);
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => (element.current ? heights?.watch(key, element.current) : undefined), [heights, key]);
  return element;
}

/** A page with fewer rows is rendered completely. */
const MIN_WINDOWED_ROWS = 200;
/** Scroll distance between updates: about one row, so that pictures don't wait for many rows. */
const STEP_PX = 52;
/** Steps of overscan, so that nothing is blank during scrolling. */
const OVERSCAN_STEPS = 6;
const GAP_PX = 12;
const BORDER_PX = 1;

/** Heights in px, as in Playlist.module.css and SongRow.module.css. */
interface Sizes {
  readonly head: number;
  readonly row: number;
  /** Estimates until they are rendered. */
  readonly filters: number;
  readonly actions: number;
}
export const WIDE: Sizes = { head: 70, row: 52, filters: 44, actions: 82 };
export const NARROW: Sizes = { head: 70, row: 60, filters: 156, actions: 150 };
/** Height of the line that replaces the rows if there are none. */
export const EMPTY_LINE_PX = 52;

export function getFiltersKey(block: string): string {
  return `filters of ${block}`;
}

function toShape(
  { key, songs, isExpanded, isSearchResult }: Block,
  sizes: Sizes,
  {
    opened,
    getHeight,
  }: {
    readonly opened: ReadonlyMap<string, readonly Occurrence[]>;
    readonly getHeight: (key: string, estimate: number) => number;
  },
): BlockShape {
  const head = BORDER_PX + sizes.head;
  if (!isExpanded) return { head, rows: 0, row: sizes.row, more: [], foot: BORDER_PX };
  const places = new Map((opened.get(key) ?? []).map((occurrence) => [findOccurrence(songs, occurrence), occurrence]));
  places.delete(-1);
  const more = [...places]
    .toSorted(([one], [other]) => one - other)
    .map(([place, occurrence]) => [place, getHeight(formatSongKey(key, occurrence), sizes.actions)] as const);
  const below = songs.length === 0 ? EMPTY_LINE_PX : 0;
  return {
    // Search results have no separate filters.
    head: isSearchResult ? head : head + getHeight(getFiltersKey(key), sizes.filters),
    rows: songs.length,
    row: sizes.row,
    more,
    foot: below + BORDER_PX,
  };
}

/** Groups songs with open options by block. */
const groupOpenedByBlock = (opened: ReadonlySet<string>): ReadonlyMap<string, readonly Occurrence[]> =>
  groupBy([...opened].map(parseSongKey), ({ block }) => block);

const findScroller = (list: HTMLElement | null): HTMLElement | undefined =>
  list?.closest<HTMLElement>('[data-scroller]') ?? undefined;

function getScrollRange(scrollTop: number, height: number): ScrollRange {
  const from = Math.floor(scrollTop / STEP_PX);
  return { from, until: from + Math.ceil(height / STEP_PX) + 1 };
}

const getOffset = (list: HTMLElement, scroller: HTMLElement): number =>
  Math.round(list.getBoundingClientRect().top - scroller.getBoundingClientRect().top + scroller.scrollTop);

/** Returns the blocks and rows to render at the current scroll position. */
export function useVisibleBlocks(blocks: readonly Block[], sizes: Sizes) {
  const list = useRef<HTMLDivElement>(null);
  const { heights, version } = useHeights();
  const { opened } = useView();
  const [renderedRange, setRenderedRange] = useState<ScrollRange>({ from: 0, until: 0 });
  /** Offset of the list in its scroll container. */
  const [listTop, setListTop] = useState(0);

  /** The rendered range. A ref, so that two updates before the next render make one step only. */
  const latestRenderedRange = useRef(renderedRange);
  /** The last reported viewport. Measuring it while rows change would force a layout. */
  const viewport = useRef<ScrollRange>(undefined);
  useLayoutEffect(() => {
    latestRenderedRange.current = renderedRange;
  }, [renderedRange]);
  /** Renders or removes the next few rows. */
  const renderStep = useCallback((): void => {
    if (viewport.current) setRenderedRange(stepTowards(latestRenderedRange.current, viewport.current, OVERSCAN_STEPS));
  }, []);

  useLayoutEffect(() => {
    const element = list.current;
    const scroller = findScroller(element);
    if (!element || !scroller) return undefined;
    let height = scroller.clientHeight;
    scroller.scrollTop = view.getScrollTop();
    viewport.current = getScrollRange(scroller.scrollTop, height);
    setRenderedRange(viewport.current);
    setListTop(getOffset(element, scroller));
    const handleResize = (): void => {
      height = scroller.clientHeight;
      viewport.current = getScrollRange(scroller.scrollTop, height);
      setListTop(getOffset(element, scroller));
      renderStep();
    };
    const handleScroll = (): void => {
      const { scrollTop } = scroller;
      reportScroll(scrollTop - view.getScrollTop(), sizes.row);
      view.setScrollTop(scrollTop);
      viewport.current = getScrollRange(scrollTop, height);
      renderStep();
    };
    // Elements above the list move it when they change.
    const otherElements = [...(element.parentElement?.children ?? [])].filter((sibling) => sibling !== element);
    return observeViewport(scroller, { onScroll: handleScroll, onResize: handleResize, otherElements });
  }, [renderStep, sizes.row]);

  // The remaining rows are rendered in further steps.
  useEffect(() => {
    if (!viewport.current || stepTowards(renderedRange, viewport.current, OVERSCAN_STEPS) === renderedRange)
      return undefined;
    const next = setTimeout(renderStep);
    return () => clearTimeout(next);
  }, [renderStep, renderedRange]);

  const shapes = useMemo(() => {
    const songs = groupOpenedByBlock(opened);
    return blocks.map((block) => toShape(block, sizes, { opened: songs, getHeight: heights.getHeight }));
    // oxlint-disable-next-line react/exhaustive-deps -- heights are read again when one has changed
  }, [blocks, sizes, opened, heights, version]);

  const isComplete = shapes.reduce((sum, { rows }) => sum + rows + 1, 0) <= MIN_WINDOWED_ROWS;
  const from = isComplete ? -Infinity : renderedRange.from * STEP_PX - listTop;
  const until = isComplete ? Infinity : renderedRange.until * STEP_PX - listTop;
  const tops = useMemo(() => listBlockTops(shapes, GAP_PX), [shapes]);
  const visible = useMemo(
    () => getVisibleRange(shapes, { tops, gap: GAP_PX }, [from, until]),
    [shapes, tops, from, until],
  );
  useLayoutFlush(list, visible);

  /** Scrolls a row of a block into view, or its header without a row. */
  const scrollTo = useCallback(
    (at: number, row: number | undefined): void => {
      const scroller = findScroller(list.current);
      const shape = shapes[at];
      if (!scroller || !shape) return;
      const blockTop = listTop + (tops[at] ?? 0);
      const top = row === undefined ? blockTop : blockTop + shape.head + getRowTop(shape, row);
      const bottom = top + (row === undefined ? shape.head : shape.row);
      scrollIntoView(scroller, top, bottom, GAP_PX);
    },
    [shapes, tops, listTop],
  );

  return { list, heights, shapes, visible, scrollTo };
}
