import { useSyncExternalStore } from 'react';
import type { DataOf } from '#platform/contract/event.ts';
import type { downloadProgress } from '../../../contract.ts';
import { codes } from '../../../contract/limits.ts';
import { isSame, type Download } from '../../../domain/panel.ts';
import { onOtherAccount } from '../../otherAccount.ts';

type Progress = DataOf<typeof downloadProgress>['status'];

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
/** Closed on this page; what has ended is told for a while yet. */
let closed = new Set<number>();
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
  parent: status.parent,
  upload: status.upload,
});

const isShownAgain = ({ code }: Pick<Download, 'code'>): boolean => code === codes.queued || code === codes.pending;
/** By itself or with its list, and not shown again since. */
const isClosed = (id: number, parent: number | undefined): boolean =>
  !shown.downloads.has(id) && (closed.has(id) || (parent !== undefined && closed.has(parent)));

onOtherAccount(() => {
  closed = new Set();
  change(EMPTY);
});

/** The downloads of this visit: what the server tells, and what never reached it. It outlives the page, as downloads do. */
export const panel = {
  shown: (): Panel => shown,
  subscribe: (tell: () => void): (() => void) => {
    listeners.add(tell);
    return () => listeners.delete(tell);
  },
  /** Gives whether it has come to another code. */
  take: (id: number, status: Progress): boolean => {
    const next = downloadOf(id, status);
    const known = shown.downloads.get(id);
    if (isClosed(id, next.parent) && !isShownAgain(next)) return false;
    closed.delete(id);
    if (known && isSame(known, next)) return false;
    change({ ...shown, downloads: new Map(shown.downloads).set(id, next) });
    return known?.code !== next.code;
  },
  /** All that there are, as asked for; what has ended and was told before stays. */
  takeAll: (all: readonly (Progress & { readonly downloadid: number })[]): void => {
    const kept = [...shown.downloads].filter(([, { code }]) => code === codes.done || code === codes.finished);
    const there = all.filter(({ downloadid: id, parent }) => !isClosed(id, parent));
    change({
      ...shown,
      downloads: new Map([
        ...kept,
        ...there.map((each) => [each.downloadid, downloadOf(each.downloadid, each)] as const),
      ]),
    });
  },
  fail: (id: number, title: string, reason: string): void => {
    const known = shown.downloads.get(id);
    const base = known ?? { id, song: undefined, percent: undefined, parent: undefined, upload: undefined };
    const failed: Download = { ...base, title, status: 'Download failed', code: codes.failed, reason };
    if (known && isSame(known, failed)) return;
    change({ ...shown, downloads: new Map(shown.downloads).set(id, failed) });
  },
  /** The songs of a list go with it. */
  close: (id: number): void => {
    closed.add(id);
    const left = [...shown.downloads].filter(([each, { parent }]) => each !== id && parent !== id);
    change({ ...shown, downloads: new Map(left) });
  },
  addMishap: (title: string, text: string, again?: () => void): void =>
    change({ ...shown, mishaps: [{ id: nextMishap++, title, text, again }, ...shown.mishaps] }),
  closeMishap: (id: number): void => change({ ...shown, mishaps: shown.mishaps.filter((each) => each.id !== id) }),
};

export const usePanel = (): Panel => useSyncExternalStore(panel.subscribe, panel.shown);
