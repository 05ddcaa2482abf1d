import { useSyncExternalStore } from 'react';
import { CallError } from '#platform/contract/client.ts';
import { InvalidTokenRefusal } from '#platform/contract/refusal.ts';
import { call } from '#platform/web/app/call.ts';
import { offlineStorage } from '#platform/web/app/offline.ts';
import { reachability } from '#platform/web/app/reachability.ts';
import { session } from '#platform/web/app/session.ts';
import { dropupload, startupload, uploadpart } from '../../contract.ts';
import { UPLOAD_LIMIT, UPLOAD_PART } from '../../contract/limits.ts';
import { onOtherAccount } from '../../web/useLibrary.ts';
import { createDigest } from '../domain/digest.ts';
import { whyNotUploaded } from '../domain/uploadName.ts';

/** Bytes that are looked at before the page may do something else. */
const SLICE = 2 * 1024 ** 2;
const RETRY_DELAY_MS = 5000;

/** A file of one's own on its way to the server. Once it is there whole it goes on as a download. */
export interface PendingUpload {
  readonly id: number;
  readonly name: string;
  /** What the server calls it, once it was told of it. */
  readonly upload: number | undefined;
  /** 0 to 1. */
  readonly share: number;
  readonly state: 'waiting' | 'reading' | 'sending' | 'offline' | 'failed';
  /** Why it failed. */
  readonly reason?: string;
}

interface Task {
  readonly id: number;
  readonly file: File;
  readonly playlist: number | undefined;
  /** The account; undefined until it is known. */
  owner: string | undefined;
  /** What the server calls it, once it was told of it. */
  upload: number | undefined;
  isCancelled: boolean;
}

let shown: readonly PendingUpload[] = [];
/** Those that wait. */
let tasks: readonly Task[] = [];
/** All that are not there yet, those that failed too. */
const known = new Map<number, Task>();
let next = 1;
let isRunning = false;
const listeners = new Set<() => void>();
const change = (uploads: readonly PendingUpload[]): void => {
  shown = uploads;
  for (const tell of listeners) tell();
};
const update = (id: number, part: Partial<PendingUpload>): void =>
  change(shown.map((each) => (each.id === id ? { ...each, ...part } : each)));
const forget = (id: number): void => {
  known.delete(id);
  tasks = tasks.filter((task) => task.id !== id);
  change(shown.filter((each) => each.id !== id));
};

/** Nobody waits for it any more: it was cancelled, or whoever began it has left. */
class Over extends Error {}
const isKnown = (): boolean => offlineStorage.getAccount() !== undefined || session.hasLoggedOut();

/** A session that ended by itself is taken up again in place: until then nothing is sent. */
const signedIn = (): Promise<void> => {
  if (isKnown()) return Promise.resolve();
  let stop: (() => void) | undefined;
  return new Promise<void>((resolve) => {
    stop = session.subscribe(() => isKnown() && resolve());
  }).finally(() => stop?.());
};
const goOn = async (task: Task): Promise<void> => {
  await signedIn();
  task.owner ??= offlineStorage.getAccount();
  if (task.isCancelled || offlineStorage.getAccount() !== task.owner) throw new Over();
};

const digestOf = async (task: Task): Promise<string> => {
  const digest = createDigest();
  const { file, id } = task;
  for (let at = 0; at < file.size; at += SLICE) {
    await goOn(task);
    digest.add(new Uint8Array(await file.slice(at, at + SLICE).arrayBuffer()));
    update(id, { state: 'reading', share: Math.min(1, (at + SLICE) / file.size) });
  }
  return digest.end();
};

/** The browser's own way to base64, which does not hold up the page. */
const base64Of = async (part: Blob): Promise<string> => {
  const reader = new FileReader();
  const address = await new Promise<string>((resolve, reject) => {
    reader.addEventListener('load', () => resolve(typeof reader.result === 'string' ? reader.result : ''));
    reader.addEventListener('error', () => reject(reader.error ?? new Error('The file cannot be read')));
    reader.readAsDataURL(part);
  });
  return address.slice(address.indexOf(',') + 1);
};

const isPassing = (error: unknown): boolean =>
  error instanceof CallError && (error.status === 0 || error.status === 429 || error.status >= 500);

/** Settles when the server is there again, or in any case after a while. */
const lineBack = (): Promise<void> => {
  let stop: (() => void) | undefined;
  return new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, RETRY_DELAY_MS);
    const leaveReach = reachability.subscribe(() => reachability.isReachable() && resolve());
    stop = () => {
      clearTimeout(timer);
      leaveReach();
    };
  }).finally(() => stop?.());
};

/** What the server has of it takes room there until it hears that nobody wants it. */
const giveUp = async ({ upload, owner }: Task): Promise<void> => {
  if (upload === undefined) return;
  while (offlineStorage.getAccount() === owner)
    try {
      await call(dropupload, { upload });
      return;
    } catch (error) {
      if (!isPassing(error)) return;
      await lineBack();
    }
};

/** Sends what the server does not have yet. */
const sendOn = async (task: Task, digest: string): Promise<void> => {
  const { file, id, playlist } = task;
  const announced = { name: file.name, size: file.size, digest, ...(playlist === undefined ? {} : { playlist }) };
  const { upload, offset: begun } = await call(startupload, announced);
  task.upload = upload;
  if (task.isCancelled) void giveUp(task);
  for (let offset = begun; ;) {
    await goOn(task);
    update(id, { upload, state: 'sending', share: offset / file.size });
    const data = await base64Of(file.slice(offset, offset + UPLOAD_PART));
    const answer = await call(uploadpart, { upload, offset, data });
    if (answer.downloadid !== undefined) return;
    offset = answer.offset;
  }
};

const send = async (task: Task): Promise<void> => {
  const { file } = task;
  const why = whyNotUploaded(file.name);
  if (why !== undefined) throw new Error(why);
  if (file.size === 0) throw new Error('This file is empty');
  if (file.size > UPLOAD_LIMIT) throw new Error('Larger than 1 GiB');
  const digest = await digestOf(task);
  for (;;) {
    try {
      return await sendOn(task, digest);
    } catch (error) {
      if (error instanceof InvalidTokenRefusal) update(task.id, { state: 'waiting' });
      await goOn(task);
      if (error instanceof InvalidTokenRefusal) continue;
      if (!isPassing(error)) throw error;
      update(task.id, { state: 'offline' });
      await lineBack();
    }
  }
};

/** One after another. */
const run = async (): Promise<void> => {
  if (isRunning) return;
  isRunning = true;
  for (let task = tasks[0]; task; task = tasks[0]) {
    const { id } = task;
    tasks = tasks.slice(1);
    try {
      await send(task);
      forget(id);
    } catch (error) {
      if (error instanceof Over) forget(id);
      else update(id, { state: 'failed', reason: error instanceof Error ? error.message : String(error) });
    }
  }
  isRunning = false;
};

/** Nothing more of it is sent. */
const leave = (id: number): Task | undefined => {
  const task = known.get(id);
  if (task) task.isCancelled = true;
  forget(id);
  return task;
};

/** Files on their way to the server. They outlive the page; a file that was cut off by a reload goes on where it was when it is chosen again. */
export const uploadStore = {
  shown: (): readonly PendingUpload[] => shown,
  subscribe: (tell: () => void): (() => void) => {
    listeners.add(tell);
    return () => listeners.delete(tell);
  },
  /** Into a playlist where one is given. */
  add: (files: readonly File[], playlist?: number): void => {
    const owner = offlineStorage.getAccount();
    const added = files.map((file): Task => ({
      id: next++,
      file,
      playlist,
      owner,
      upload: undefined,
      isCancelled: false,
    }));
    for (const task of added) known.set(task.id, task);
    tasks = [...tasks, ...added];
    const waiting = { upload: undefined, share: 0, state: 'waiting' } as const;
    change([...added.map(({ id, file }): PendingUpload => ({ id, name: file.name, ...waiting })), ...shown]);
    void run();
  },
  /** Ends it, or takes a failed one off the list. */
  cancel: (id: number): void => {
    const task = leave(id);
    if (task) void giveUp(task);
  },
  again: (id: number): void => {
    const failed = known.get(id);
    if (!failed) return;
    const task = { ...failed, owner: offlineStorage.getAccount() };
    known.set(id, task);
    update(id, { state: 'waiting', share: 0 });
    tasks = [...tasks, task];
    void run();
  },
};

onOtherAccount(() => {
  for (const id of known.keys()) leave(id);
});

export function useUploads(): readonly PendingUpload[] {
  return useSyncExternalStore(uploadStore.subscribe, uploadStore.shown);
}
