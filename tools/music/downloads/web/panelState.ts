import { useSyncExternalStore } from 'react';
import type { EventDataOf } from '#platform/contract/event.ts';
import type { downloadProgress } from '../../contract.ts';
import { codes } from '../../contract/limits.ts';
import { onOtherAccount } from '../../web/useLibrary.ts';
import { isSame, isUnderWay, type Download } from '../domain/downloadPanel.ts';

type Progress = EventDataOf<typeof downloadProgress>['status'];

/** What did not even become a download, such as a link that was refused. */
export interface Mishap {
  readonly id: number;
  /** The link, or the song's or playlist's title. */
  readonly title: string;
  /** Why: one of the specification's texts (2, section 8). */
  readonly text: string;
  readonly again: (() => void) | undefined;
}

interface Panel {
  readonly downloads: ReadonlyMap<number, Download>;
  readonly mishaps: readonly Mishap[];
}

const EMPTY: Panel = { downloads: new Map(), mishaps: [] };

let shown: Panel = EMPTY;
/** Closed on this page; what has ended is told of for a while yet. */
let closed = new Set<number>();
/** Finished: what is told behind it waits until the library has been asked for again. */
let behind = new Map<number, Download | undefined>();
let nextMishap = 1;
const listeners = new Set<() => void>();
const change = (next: Panel): void => {
  shown = next;
  for (const tell of listeners) tell();
};

const downloadOf = (id: number, status: Progress): Download => ({
  id,
  title: status.title,
  status: status.status,
  code: status.failed,
  song: status.video_id === '' ? undefined : status.video_id,
  percent: status.percent,
  reason: status.reason,
  remedy: status.remedy,
  url: status.url,
  details: status.details,
  parent: status.parent,
  upload: status.upload,
});

/** By itself or with its list, and not shown again since. */
const isClosed = (id: number, parent: number | undefined): boolean =>
  !shown.downloads.has(id) && (closed.has(id) || (parent !== undefined && closed.has(parent)));

const put = (next: Download): void => change({ ...shown, downloads: new Map(shown.downloads).set(next.id, next) });

/** The songs of a list go with it. */
const drop = (id: number): void => {
  behind.delete(id);
  const left = [...shown.downloads].filter(([each, { parent }]) => each !== id && parent !== id);
  change({ ...shown, downloads: new Map(left) });
};

/** Whether it says nothing that is new here. */
const isOld = (known: Download | undefined, next: Download): boolean => {
  // That it is done ends a line that is there, and is no news of another visit's.
  if (!known) return next.code === codes.done || (isClosed(next.id, next.parent) && !isUnderWay(next.code));
  // The answer to a poll was faster.
  return isSame(known, next) || (known.code === codes.save && next.code === codes.finished);
};

/** What is finished is shown as that for a while, though it may be saved from the beginning (specification 2, section 4). */
const waits = (next: Download): boolean => {
  if (next.code !== codes.save || !behind.has(next.id)) return false;
  behind.set(next.id, next);
  return true;
};

onOtherAccount(() => {
  closed = new Set();
  behind = new Map();
  change(EMPTY);
});

/** The downloads of this visit: what the server tells, and what never reached it. It outlives the page, as downloads do. */
export const panel = {
  shown: (): Panel => shown,
  subscribe: (tell: () => void): (() => void) => {
    listeners.add(tell);
    return () => listeners.delete(tell);
  },
  take: (id: number, status: Progress): void => {
    const next = downloadOf(id, status);
    const known = shown.downloads.get(id);
    if (status.closed === true) {
      if (known) drop(id);
      return;
    }
    if (isOld(known, next)) return;
    closed.delete(id);
    if (waits(next)) return;
    behind.delete(id);
    const hasCome = known !== undefined && isUnderWay(known.code) && next.code === codes.save;
    if (hasCome || next.code === codes.finished) behind.set(id, hasCome ? next : undefined);
    put(hasCome ? { ...next, code: codes.finished } : next);
  },
  /** Whether it is shown as finished until `refreshed`. */
  isFinishing: (id: number): boolean => behind.has(id),
  /** The library has been asked for again since it was finished. */
  refreshed: (id: number): void => {
    const next = behind.get(id);
    behind.delete(id);
    if (next) put(next);
  },
  /** Kept as a file: it stays as done until it is closed. */
  saved: (id: number): void => {
    const downloads = [...shown.downloads].map(([each, download]) => {
      const isOfIt = each === id || download.parent === id;
      return [each, isOfIt && download.code === codes.save ? { ...download, code: codes.done } : download] as const;
    });
    change({ ...shown, downloads: new Map(downloads) });
  },
  /** All that there are, as asked for; what has ended and was told before stays. */
  takeAll: (all: readonly (Progress & { readonly downloadid: number })[]): void => {
    const kept = [...shown.downloads].filter(([, { code }]) => code === codes.done || code === codes.finished);
    const there = all
      .filter(({ downloadid: id, parent }) => !isClosed(id, parent))
      .map((each) => downloadOf(each.downloadid, each))
      .filter((each) => !waits(each));
    change({ ...shown, downloads: new Map([...kept, ...there.map((each) => [each.id, each] as const)]) });
  },
  fail: (id: number, title: string, reason: string): void => {
    const known = shown.downloads.get(id);
    const base = known ?? { id, song: undefined, percent: undefined, parent: undefined, upload: undefined };
    const failed: Download = { ...base, title, status: 'Download failed', code: codes.failed, reason };
    if (known && isSame(known, failed)) return;
    put(failed);
  },
  close: (id: number): void => {
    closed.add(id);
    drop(id);
  },
  addMishap: (title: string, text: string, again?: () => void): void =>
    change({ ...shown, mishaps: [{ id: nextMishap++, title, text, again }, ...shown.mishaps] }),
  closeMishap: (id: number): void => change({ ...shown, mishaps: shown.mishaps.filter((each) => each.id !== id) }),
};

export function usePanel(): Panel {
  return useSyncExternalStore(panel.subscribe, panel.shown);
}
