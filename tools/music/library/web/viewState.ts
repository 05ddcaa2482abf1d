import { useSyncExternalStore } from 'react';
import { browserStorage } from '#platform/web/browser/browserStorage.ts';
import { onOtherAccount } from '../../web/useLibrary.ts';
import type { Occurrence, Order } from '../domain/playlist.ts';

/** How one playlist's songs are narrowed and ordered. */
export interface Filters {
  readonly name: string;
  /** Songs of any of these playlists are left. */
  readonly playlists: readonly number[];
  readonly order: Order;
}

export const NO_FILTERS: Filters = { name: '', playlists: [], order: 'default' };

/** What is open on the page. */
interface View {
  readonly search: string;
  /** Playlists whose songs are shown. */
  readonly expanded: ReadonlySet<number>;
  readonly filters: ReadonlyMap<number, Filters>;
  /** Songs whose options are open, by `songKey`. */
  readonly opened: ReadonlySet<string>;
}

/** A song where it stands: in a block of the page. */
export function songKey(block: string, { song, nth }: Occurrence): string {
  return nth === 0 ? `${block}:${song}` : `${block}:${song}~${nth}`;
}

/** What `songKey` made it of. */
export function songInKey(key: string): Occurrence & { readonly block: string } {
  const at = key.lastIndexOf(':');
  const [song = 0, nth = 0] = key
    .slice(at + 1)
    .split('~')
    .map(Number);
  return { block: key.slice(0, at), song, nth };
}

const EXPANDED = 'music.expanded';

const remembered = (): ReadonlySet<number> => {
  const ids = (browserStorage.get(EXPANDED) ?? '').split(' ').map(Number);
  return new Set(ids.filter((id) => Number.isSafeInteger(id) && id !== 0));
};

const atFirst = (): View => ({ search: '', expanded: remembered(), filters: new Map(), opened: new Set() });

let shown = atFirst();
let scrolledTo = 0;
const listeners = new Set<() => void>();
const change = (part: Partial<View>): void => {
  shown = { ...shown, ...part };
  for (const tell of listeners) tell();
};

onOtherAccount(() => {
  scrolledTo = 0;
  change(atFirst());
});

const toggled = <Item>(items: ReadonlySet<Item>, item: Item): ReadonlySet<Item> => {
  const next = new Set(items);
  if (!next.delete(item)) next.add(item);
  return next;
};

/** It lasts while the site is open, so that whoever comes back finds the page as it was; what is expanded lasts longer. */
export const view = {
  shown: (): View => shown,
  subscribe: (tell: () => void): (() => void) => {
    listeners.add(tell);
    return () => listeners.delete(tell);
  },
  search: (search: string): void => change({ search }),
  expand: (playlist: number): void => {
    const expanded = toggled(shown.expanded, playlist);
    browserStorage.set(EXPANDED, [...expanded].join(' '));
    change({ expanded });
  },
  filter: (playlist: number, part: Partial<Filters>): void => {
    const before = shown.filters.get(playlist) ?? NO_FILTERS;
    change({ filters: new Map(shown.filters).set(playlist, { ...before, ...part }) });
  },
  open: (key: string): void => change({ opened: toggled(shown.opened, key) }),
  scrolledTo: (): number => scrolledTo,
  scroll: (to: number): void => {
    scrolledTo = to;
  },
};

export function useView(): View {
  return useSyncExternalStore(view.subscribe, view.shown);
}
