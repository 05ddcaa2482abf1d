import { browserStorage } from '#platform/web/browser/browserStorage.ts';
import { createStore, useStore } from '#platform/web/store.ts';
import { onOtherAccount } from '../../web/useLibrary.ts';
import type { Occurrence, Order } from '../domain/playlist.ts';

/** Filters and order of a playlist. */
export interface Filters {
  readonly name: string;
  /** Only songs that are in any of these playlists are shown. */
  readonly playlists: readonly number[];
  readonly order: Order;
}

export const NO_FILTERS: Filters = { name: '', playlists: [], order: 'default' };

/** State of the page. */
interface View {
  readonly search: string;
  /** Playlists whose songs are shown. */
  readonly expanded: ReadonlySet<number>;
  readonly filters: ReadonlyMap<number, Filters>;
  /** Songs whose options are open, by `formatSongKey`. */
  readonly opened: ReadonlySet<string>;
}

/** Returns a key for a song in a block of the page. */
export function formatSongKey(block: string, { song, nth }: Occurrence): string {
  return nth === 0 ? `${block}:${song}` : `${block}:${song}~${nth}`;
}

/** Parses a key of `formatSongKey`. */
export function parseSongKey(key: string): Occurrence & { readonly block: string } {
  const colonIndex = key.lastIndexOf(':');
  const [song = 0, nth = 0] = key
    .slice(colonIndex + 1)
    .split('~')
    .map(Number);
  return { block: key.slice(0, colonIndex), song, nth };
}

const EXPANDED_KEY = 'music.expanded';

function readExpanded(): ReadonlySet<number> {
  const ids = (browserStorage.get(EXPANDED_KEY) ?? '').split(' ').map(Number);
  return new Set(ids.filter((id) => Number.isSafeInteger(id) && id !== 0));
}

const createInitialView = (): View => ({ search: '', expanded: readExpanded(), filters: new Map(), opened: new Set() });

const viewStore = createStore(createInitialView());
let scrollTop = 0;
function change(part: Partial<View>): void {
  viewStore.set({ ...viewStore.get(), ...part });
}

onOtherAccount(() => {
  scrollTop = 0;
  change(createInitialView());
});

function toggle<Item>(items: ReadonlySet<Item>, item: Item): ReadonlySet<Item> {
  const next = new Set(items);
  if (!next.delete(item)) next.add(item);
  return next;
}

/** State of the page. It lasts while the site is open; the expanded playlists are stored in the browser. */
export const view = {
  getState: viewStore.get,
  subscribe: viewStore.subscribe,
  setSearch: (search: string): void => change({ search }),
  toggleExpanded: (playlist: number): void => {
    const expanded = toggle(viewStore.get().expanded, playlist);
    browserStorage.set(EXPANDED_KEY, [...expanded].join(' '));
    change({ expanded });
  },
  setFilters: (playlist: number, part: Partial<Filters>): void => {
    const before = viewStore.get().filters.get(playlist) ?? NO_FILTERS;
    change({ filters: new Map(viewStore.get().filters).set(playlist, { ...before, ...part }) });
  },
  toggleOptions: (key: string): void => change({ opened: toggle(viewStore.get().opened, key) }),
  getScrollTop: (): number => scrollTop,
  setScrollTop: (to: number): void => {
    scrollTop = to;
  },
};

export function useView(): View {
  return useStore(viewStore);
}
