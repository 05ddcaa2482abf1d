import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { useSyncExternalStore, useEffect, useState } from 'react';
import { CallError } from '#platform/contract/client.ts';
import { InvalidTokenRefusal } from '#platform/contract/refusal.ts';
import { call } from '#platform/web/app/call.ts';
import { offlineStorage } from '#platform/web/app/offlineStorage.ts';
import { reachability } from '#platform/web/app/reachability.ts';
import { session } from '#platform/web/app/session.ts';
import { encodeBase64 } from '#platform/web/browser/encodeBase64.ts';
import { createListeners } from '#platform/web/store.ts';
import { dropupload, startupload, uploadpart } from '../../contract.ts';
import { MAX_UPLOAD_BYTES, UPLOAD_CHUNK_BYTES } from '../../contract/limits.ts';
import { onOtherAccount } from '../../web/useLibrary.ts';
import { findUploadProblem } from '../domain/uploadName.ts';

/** Bytes that are hashed before the page can do something else. */
const HASH_SLICE_BYTES = 2 * 1024 ** 2;
const RETRY_DELAY_MS = 5000;

/** An upload in progress. When it is complete it becomes a download. */
export interface PendingUpload {
  readonly id: number;
  readonly name: string;
  /** The server's id, once it was announced. */
  readonly upload: number | undefined;
  /** 0 to 1. */
  readonly share: number;
  readonly state: 'waiting' | 'reading' | 'sending' | 'offline' | 'failed';
  /** Why it failed. */
  readonly reason?: string;
}

interface UploadTask {
  readonly id: number;
  readonly file: File;
  readonly playlist: number | undefined;
  /** The account; undefined until it is known. */
  owner: string | undefined;
  /** The server's id, once it was announced. */
  upload: number | undefined;
  isCancelled: boolean;
}

let uploads: readonly PendingUpload[] = [];
let queuedTasks: readonly UploadTask[] = [];
/** All tasks that have not succeeded, including failed ones. */
const taskById = new Map<number, UploadTask>();
let nextId = 1;
let isRunning = false;
const listeners = createListeners();
function change(next: readonly PendingUpload[]): void {
  uploads = next;
  listeners.notify();
}
const update = (id: number, part: Partial<PendingUpload>): void =>
  change(uploads.map((each) => (each.id === id ? { ...each, ...part } : each)));
function removeTask(id: number): void {
  taskById.delete(id);
  queuedTasks = queuedTasks.filter((task) => task.id !== id);
  change(uploads.filter((each) => each.id !== id));
}

/** The task was cancelled, or its user has logged out. */
class CancelledError extends Error {}
const isAccountKnown = (): boolean => offlineStorage.getAccount() !== undefined || session.hasLoggedOut();

/** Waits for a login. A session that has expired can be continued on the same page. */
function waitForLogin(): Promise<void> {
  if (isAccountKnown()) return Promise.resolve();
  let stop: (() => void) | undefined;
  return new Promise<void>((resolve) => {
    stop = session.subscribe(() => isAccountKnown() && resolve());
  }).finally(() => stop?.());
}
async function assertActive(task: UploadTask): Promise<void> {
  await waitForLogin();
  task.owner ??= offlineStorage.getAccount();
  if (task.isCancelled || offlineStorage.getAccount() !== task.owner) throw new CancelledError();
}

/** Hashes a file in slices. `crypto.subtle` takes whole buffers only, and exists over HTTPS only. */
async function computeDigest(task: UploadTask): Promise<string> {
  const digest = sha256.create();
  const { file, id } = task;
  for (let at = 0; at < file.size; at += HASH_SLICE_BYTES) {
    await assertActive(task);
    digest.update(new Uint8Array(await file.slice(at, at + HASH_SLICE_BYTES).arrayBuffer()));
    update(id, { state: 'reading', share: Math.min(1, (at + HASH_SLICE_BYTES) / file.size) });
  }
  return bytesToHex(digest.digest());
}

const isTransient = (error: unknown): boolean =>
  error instanceof CallError && (error.status === 0 || error.status === 429 || error.status >= 500);

/** Waits until the server is reachable again, at most for the retry delay. */
function waitForConnection(): Promise<void> {
  let stop: (() => void) | undefined;
  return new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, RETRY_DELAY_MS);
    const unsubscribe = reachability.subscribe(() => reachability.isReachable() && resolve());
    stop = () => {
      clearTimeout(timer);
      unsubscribe();
    };
  }).finally(() => stop?.());
}

/** Cancels an upload on the server, to free the space of its bytes. */
async function cancelOnServer({ upload, owner }: UploadTask): Promise<void> {
  if (upload === undefined) return;
  while (offlineStorage.getAccount() === owner)
    try {
      await call(dropupload, { upload });
      return;
    } catch (error) {
      if (!isTransient(error)) return;
      await waitForConnection();
    }
}

/** Sends the bytes that the server doesn't have yet. */
async function sendRemaining(task: UploadTask, digest: string): Promise<void> {
  const { file, id, playlist } = task;
  const announced = { name: file.name, size: file.size, digest, ...(playlist === undefined ? {} : { playlist }) };
  const { upload, offset: firstOffset } = await call(startupload, announced);
  task.upload = upload;
  if (task.isCancelled) void cancelOnServer(task);
  for (let offset = firstOffset; ;) {
    await assertActive(task);
    update(id, { upload, state: 'sending', share: offset / file.size });
    const data = await encodeBase64(file.slice(offset, offset + UPLOAD_CHUNK_BYTES));
    const answer = await call(uploadpart, { upload, offset, data });
    if (answer.downloadid !== undefined) return;
    offset = answer.offset;
  }
}

async function send(task: UploadTask): Promise<void> {
  const { file } = task;
  const reason = findUploadProblem(file.name);
  if (reason !== undefined) throw new Error(reason);
  if (file.size === 0) throw new Error('This file is empty. Choose another file');
  if (file.size > MAX_UPLOAD_BYTES) throw new Error('This file is larger than 1 GiB');
  const digest = await computeDigest(task);
  for (;;) {
    try {
      return await sendRemaining(task, digest);
    } catch (error) {
      if (error instanceof InvalidTokenRefusal) update(task.id, { state: 'waiting' });
      await assertActive(task);
      if (error instanceof InvalidTokenRefusal) continue;
      if (!isTransient(error)) throw error;
      update(task.id, { state: 'offline' });
      await waitForConnection();
    }
  }
}

/** Runs the queued tasks one after another. */
async function run(): Promise<void> {
  if (isRunning) return;
  isRunning = true;
  for (let task = queuedTasks[0]; task; task = queuedTasks[0]) {
    const { id } = task;
    queuedTasks = queuedTasks.slice(1);
    try {
      await send(task);
      removeTask(id);
    } catch (error) {
      if (error instanceof CancelledError) removeTask(id);
      else update(id, { state: 'failed', reason: error instanceof Error ? error.message : String(error) });
    }
  }
  isRunning = false;
}

/** Stops an upload and removes it from the list. */
function stopTask(id: number): UploadTask | undefined {
  const task = taskById.get(id);
  if (task) task.isCancelled = true;
  removeTask(id);
  return task;
}

/**
 * Uploads of this page. They outlive the page, and an upload that a reload interrupted resumes when its file is chosen
 * again.
 */
export const uploadStore = {
  getUploads: (): readonly PendingUpload[] => uploads,
  subscribe: listeners.subscribe,
  /** Adds files, optionally to a playlist. */
  add: (files: readonly File[], playlist?: number): void => {
    const owner = offlineStorage.getAccount();
    const added = files.map((file): UploadTask => ({
      id: nextId++,
      file,
      playlist,
      owner,
      upload: undefined,
      isCancelled: false,
    }));
    for (const task of added) taskById.set(task.id, task);
    queuedTasks = [...queuedTasks, ...added];
    const waiting = { upload: undefined, share: 0, state: 'waiting' } as const;
    change([...added.map(({ id, file }): PendingUpload => ({ id, name: file.name, ...waiting })), ...uploads]);
    void run();
  },
  /** Cancels an upload, or removes a failed one from the list. */
  cancel: (id: number): void => {
    const task = stopTask(id);
    if (task) void cancelOnServer(task);
  },
  retry: (id: number): void => {
    const failed = taskById.get(id);
    if (!failed) return;
    const task = { ...failed, owner: offlineStorage.getAccount() };
    taskById.set(id, task);
    update(id, { state: 'waiting', share: 0 });
    queuedTasks = [...queuedTasks, task];
    void run();
  },
};

onOtherAccount(() => {
  for (const id of taskById.keys()) stopTask(id);
});

export function useUploads(): readonly PendingUpload[] {
  return useSyncExternalStore(uploadStore.subscribe, uploadStore.getUploads);
}

const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') === true;

/** Returns the playlist below dragged files, if files can be added to it. */
function findPlaylistAt(event: DragEvent, isOwn: (playlist: number) => boolean): HTMLElement | undefined {
  const block = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-playlist]') : undefined;
  return block && isOwn(Number(block.dataset['playlist'])) ? block : undefined;
}

/**
 * Uploads files that are dropped on the page, or on a playlist to add them to it. Returns whether files are dragged
 * over it.
 */
export function useFileDrop(isOwn: (playlist: number) => boolean): boolean {
  const [isOver, setIsOver] = useState(false);
  useEffect(() => {
    let marked: HTMLElement | undefined;
    function mark(next: HTMLElement | undefined): void {
      if (next === marked) return;
      delete marked?.dataset['dropped'];
      marked = next;
      if (next) next.dataset['dropped'] = '';
    }
    const dragListeners = new AbortController();
    const listen = (type: 'dragover' | 'dragleave' | 'drop', handler: (event: DragEvent) => void): void =>
      document.addEventListener(type, (event) => hasFiles(event) && handler(event), { signal: dragListeners.signal });
    function end(): void {
      mark(undefined);
      setIsOver(false);
    }
    listen('dragover', (event) => {
      event.preventDefault();
      mark(findPlaylistAt(event, isOwn));
      setIsOver(true);
    });
    listen('dragleave', (event) => {
      // The pointer has left the window.
      if (event.relatedTarget === null) end();
    });
    listen('drop', (event) => {
      event.preventDefault();
      const block = findPlaylistAt(event, isOwn);
      end();
      uploadStore.add([...(event.dataTransfer?.files ?? [])], block ? Number(block.dataset['playlist']) : undefined);
    });
    return () => {
      dragListeners.abort();
      mark(undefined);
    };
  }, [isOwn]);
  return isOver;
}
