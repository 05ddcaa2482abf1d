import { useSyncExternalStore } from 'react';
import type { EventDataOf } from '#platform/contract/event.ts';
import { createListeners } from '#platform/web/store.ts';
import type { downloadProgress } from '../../contract.ts';
import { codes } from '../../contract/limits.ts';
import { onOtherAccount } from '../../web/useLibrary.ts';
import { isSame, isUnderWay, type Download } from '../domain/downloadPanel.ts';

type Progress = EventDataOf<typeof downloadProgress>['status'];

/** An action that failed before it became a download, such as a refused link. */
export interface Mishap {
  readonly id: number;
  /** The link, or the title of the song or playlist. */
  readonly title: string;
  /** Why it failed: one of the texts of docs/specification/music.md section 5. */
  readonly text: string;
  readonly retry: (() => void) | undefined;
}

interface Panel {
  readonly downloads: ReadonlyMap<number, Download>;
  readonly mishaps: readonly Mishap[];
}

const EMPTY: Panel = { downloads: new Map(), mishaps: [] };

let currentPanel: Panel = EMPTY;
/** Downloads that were closed on this page. The server still reports ended ones for a while. */
let closedIds = new Set<number>();
/** Finished downloads by id, each with the update to show after the library was refetched. */
let delayedById = new Map<number, Download | undefined>();
let nextMishap = 1;
const listeners = createListeners();
const change = (next: Panel): void => {
  currentPanel = next;
  listeners.notify();
};

const toDownload = (id: number, status: Progress): Download => ({
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

/** Returns whether a download or its list was closed and has not been shown since. */
const isClosed = (id: number, parent: number | undefined): boolean =>
  !currentPanel.downloads.has(id) && (closedIds.has(id) || (parent !== undefined && closedIds.has(parent)));

const put = (next: Download): void =>
  change({ ...currentPanel, downloads: new Map(currentPanel.downloads).set(next.id, next) });

/** Removes a download, and the songs of a list with it. */
const removeDownload = (id: number): void => {
  delayedById.delete(id);
  const remaining = [...currentPanel.downloads].filter(([each, { parent }]) => each !== id && parent !== id);
  change({ ...currentPanel, downloads: new Map(remaining) });
};

/** Returns whether an update is nothing new. */
const isOld = (known: Download | undefined, next: Download): boolean => {
  // 'Done' only updates an existing entry: it can come from an earlier visit.
  if (!known) return next.code === codes.done || (isClosed(next.id, next.parent) && !isUnderWay(next.code));
  // The answer to a poll arrived first.
  return isSame(known, next) || (known.code === codes.save && next.code === codes.finished);
};

/**
 * Delays 'please save' until the library was refetched; shown as finished until then (docs/specification/music.md
 * section 3.2).
 */
const delayUpdate = (next: Download): boolean => {
  if (next.code !== codes.save || !delayedById.has(next.id)) return false;
  delayedById.set(next.id, next);
  return true;
};

onOtherAccount(() => {
  closedIds = new Set();
  delayedById = new Map();
  change(EMPTY);
});

/** The downloads of this visit, and actions that failed before they became one. It outlives the page. */
export const panel = {
  shown: (): Panel => currentPanel,
  subscribe: listeners.subscribe,
  take: (id: number, status: Progress): void => {
    const next = toDownload(id, status);
    const known = currentPanel.downloads.get(id);
    if (status.closed === true) {
      if (known) removeDownload(id);
      return;
    }
    if (isOld(known, next)) return;
    closedIds.delete(id);
    if (delayUpdate(next)) return;
    delayedById.delete(id);
    const hasFinished = known !== undefined && isUnderWay(known.code) && next.code === codes.save;
    if (hasFinished || next.code === codes.finished) delayedById.set(id, hasFinished ? next : undefined);
    put(hasFinished ? { ...next, code: codes.finished } : next);
  },
  /** Whether a download is shown as finished until `refreshed`. */
  isFinishing: (id: number): boolean => delayedById.has(id),
  /** Called after the library was refetched. */
  refreshed: (id: number): void => {
    const next = delayedById.get(id);
    delayedById.delete(id);
    if (next) put(next);
  },
  /** Marks a download as saved to a file. It stays until it is closed. */
  saved: (id: number): void => {
    const downloads = [...currentPanel.downloads].map(([each, download]) => {
      const isOfIt = each === id || download.parent === id;
      return [each, isOfIt && download.code === codes.save ? { ...download, code: codes.done } : download] as const;
    });
    change({ ...currentPanel, downloads: new Map(downloads) });
  },
  /** Replaces the list by the server's, but keeps finished downloads of this visit. */
  takeAll: (all: readonly (Progress & { readonly downloadid: number })[]): void => {
    const finished = [...currentPanel.downloads].filter(
      ([, { code }]) => code === codes.done || code === codes.finished,
    );
    const listed = all
      .filter(({ downloadid: id, parent }) => !isClosed(id, parent))
      .map((each) => toDownload(each.downloadid, each))
      .filter((each) => !delayUpdate(each));
    change({ ...currentPanel, downloads: new Map([...finished, ...listed.map((each) => [each.id, each] as const)]) });
  },
  fail: (id: number, title: string, reason: string): void => {
    const known = currentPanel.downloads.get(id);
    const base = known ?? { id, song: undefined, percent: undefined, parent: undefined, upload: undefined };
    const failed: Download = { ...base, title, status: 'Download failed', code: codes.failed, reason };
    if (known && isSame(known, failed)) return;
    put(failed);
  },
  close: (id: number): void => {
    closedIds.add(id);
    removeDownload(id);
  },
  addMishap: (title: string, text: string, retry?: () => void): void =>
    change({ ...currentPanel, mishaps: [{ id: nextMishap++, title, text, retry }, ...currentPanel.mishaps] }),
  closeMishap: (id: number): void =>
    change({ ...currentPanel, mishaps: currentPanel.mishaps.filter((each) => each.id !== id) }),
};

export function usePanel(): Panel {
  return useSyncExternalStore(panel.subscribe, panel.shown);
}
