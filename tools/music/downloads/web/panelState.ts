import { useSyncExternalStore } from 'react';
import type { EventDataOf } from '#platform/contract/event.ts';
import { createListeners } from '#platform/web/store.ts';
import type { downloadProgress } from '../../contract.ts';
import { codes } from '../../contract/limits.ts';
import { onOtherAccount } from '../../web/useLibrary.ts';
import { isSame, isOngoing, type Download } from '../domain/downloadPanel.ts';

type Progress = EventDataOf<typeof downloadProgress>['status'];

/** An action that failed before it became a download, such as a refused link. */
export interface FailedAction {
  readonly id: number;
  /** The link, or the title of the song or playlist. */
  readonly title: string;
  /** Why it failed: one of the texts of docs/specification/music.md section 5. */
  readonly text: string;
  readonly retry: (() => void) | undefined;
}

interface PanelState {
  readonly downloads: ReadonlyMap<number, Download>;
  readonly failedActions: readonly FailedAction[];
}

const EMPTY: PanelState = { downloads: new Map(), failedActions: [] };

let currentPanel: PanelState = EMPTY;
/** Downloads that were closed on this page. The server still reports ended ones for a while. */
let closedIds = new Set<number>();
/** Finished downloads by id, each with the update to show after the library was refetched. */
let delayedById = new Map<number, Download | undefined>();
let nextFailedActionId = 1;
const listeners = createListeners();
function change(next: PanelState): void {
  currentPanel = next;
  listeners.notify();
}

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

const putDownload = (next: Download): void =>
  change({ ...currentPanel, downloads: new Map(currentPanel.downloads).set(next.id, next) });

/** Removes a download, and the songs of a list with it. */
function removeDownload(id: number): void {
  delayedById.delete(id);
  const remaining = [...currentPanel.downloads].filter(([each, { parent }]) => each !== id && parent !== id);
  change({ ...currentPanel, downloads: new Map(remaining) });
}

/** Returns whether an update can be ignored. */
function isOutdated(known: Download | undefined, next: Download): boolean {
  // 'Done' only updates an existing entry, because it can come from an earlier visit.
  if (!known) return next.code === codes.done || (isClosed(next.id, next.parent) && !isOngoing(next.code));
  // The answer to a poll arrived first.
  return isSame(known, next) || (known.code === codes.save && next.code === codes.finished);
}

/**
 * Delays 'please save' until the library was refetched; shown as finished until then (docs/specification/music.md
 * section 3.2).
 */
function delayUpdate(next: Download): boolean {
  if (next.code !== codes.save || !delayedById.has(next.id)) return false;
  delayedById.set(next.id, next);
  return true;
}

onOtherAccount(() => {
  closedIds = new Set();
  delayedById = new Map();
  change(EMPTY);
});

/** The downloads of this visit, and actions that failed before they became one. It outlives the page. */
export const panel = {
  getState: (): PanelState => currentPanel,
  subscribe: listeners.subscribe,
  update: (id: number, status: Progress): void => {
    const next = toDownload(id, status);
    const known = currentPanel.downloads.get(id);
    if (status.closed === true) {
      if (known) removeDownload(id);
      return;
    }
    if (isOutdated(known, next)) return;
    closedIds.delete(id);
    if (delayUpdate(next)) return;
    delayedById.delete(id);
    const hasFinished = known !== undefined && isOngoing(known.code) && next.code === codes.save;
    if (hasFinished || next.code === codes.finished) delayedById.set(id, hasFinished ? next : undefined);
    putDownload(hasFinished ? { ...next, code: codes.finished } : next);
  },
  /** Whether a download is shown as finished until `showDelayed`. */
  isFinishing: (id: number): boolean => delayedById.has(id),
  /** Shows a delayed update after the library was refetched. */
  showDelayed: (id: number): void => {
    const next = delayedById.get(id);
    delayedById.delete(id);
    if (next) putDownload(next);
  },
  /** Marks a download as saved to a file. It stays until it is closed. */
  markSaved: (id: number): void => {
    const downloads = [...currentPanel.downloads].map(([each, download]) => {
      const isAffected = each === id || download.parent === id;
      return [each, isAffected && download.code === codes.save ? { ...download, code: codes.done } : download] as const;
    });
    change({ ...currentPanel, downloads: new Map(downloads) });
  },
  /** Replaces the list by that of the server, and keeps finished downloads of this visit. */
  replaceAll: (all: readonly (Progress & { readonly downloadid: number })[]): void => {
    const finished = [...currentPanel.downloads].filter(
      ([, { code }]) => code === codes.done || code === codes.finished,
    );
    const listed = all
      .filter(({ downloadid: id, parent }) => !isClosed(id, parent))
      .map((each) => toDownload(each.downloadid, each))
      .filter((each) => !delayUpdate(each));
    change({ ...currentPanel, downloads: new Map([...finished, ...listed.map((each) => [each.id, each] as const)]) });
  },
  markFailed: (id: number, title: string, reason: string): void => {
    const known = currentPanel.downloads.get(id);
    const base = known ?? { id, song: undefined, percent: undefined, parent: undefined, upload: undefined };
    const failed: Download = { ...base, title, status: 'Download failed', code: codes.failed, reason };
    if (known && isSame(known, failed)) return;
    putDownload(failed);
  },
  close: (id: number): void => {
    closedIds.add(id);
    removeDownload(id);
  },
  addFailedAction: (title: string, text: string, retry?: () => void): void =>
    change({
      ...currentPanel,
      failedActions: [{ id: nextFailedActionId++, title, text, retry }, ...currentPanel.failedActions],
    }),
  closeFailedAction: (id: number): void =>
    change({ ...currentPanel, failedActions: currentPanel.failedActions.filter((each) => each.id !== id) }),
};

export function usePanel(): PanelState {
  return useSyncExternalStore(panel.subscribe, panel.getState);
}
