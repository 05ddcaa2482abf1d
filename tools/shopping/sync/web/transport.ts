import { CallError, DISK_FULL_STATUS } from '#platform/contract/client.ts';
import { call } from '#platform/web/app/call.ts';
import { realtime } from '#platform/web/app/realtime.ts';
import { showRepeatingError } from '#platform/web/app/showError.ts';
import { getshoplist, getshoplists, modifyshoplist, shoplistChanges, shoplistsChanged } from '../../contract.ts';
import {
  parseAnswer,
  parseListEvent,
  parseLoadedList,
  type Answer,
  type ListEvent,
  type LoadedList,
  type toRequestBody,
} from '../domain/replica.ts';
import type { Menu } from './persistedReplica.ts';

/**
 * The calls and events of the server that the lists need.
 * Calls reject with a Refusal if the server refused, and with any other error if no answer arrived.
 */
export interface Transport {
  readonly send: (body: ReturnType<typeof toRequestBody>) => Promise<Answer>;
  readonly load: (list: number, client: string) => Promise<LoadedList>;
  readonly loadMenu: () => Promise<Menu>;
  readonly onChanges: (listener: (list: number, event: ListEvent) => void) => () => void;
  readonly onMenuChange: (listener: () => void) => () => void;
}

/** Dismisses the notice about a full disk. */
let dismissDiskFull: (() => void) | undefined;

/** Makes a call that stores changes. If the disk of the server is full, a notice says why they wait. */
async function withDiskFullNotice<T>(send: () => Promise<T>): Promise<T> {
  try {
    const answer = await send();
    dismissDiskFull?.();
    dismissDiskFull = undefined;
    return answer;
  } catch (error) {
    if (error instanceof CallError && error.status === DISK_FULL_STATUS) dismissDiskFull = showRepeatingError(error);
    throw error;
  }
}

export const serverTransport: Transport = {
  // `writeChanges` produced the body, so it matches the contract.
  send: (body) =>
    withDiskFullNotice(async () =>
      parseAnswer(await call(modifyshoplist, body as Parameters<typeof call<typeof modifyshoplist>>[1]), body.seq),
    ),
  load: async (list, client) => parseLoadedList((await call(getshoplist, { id: list, client })).data),
  loadMenu: async () => {
    const { lists, invitations, deleted, globalitems } = (await call(getshoplists, {})).data;
    return { lists, invitations, deleted, globalItems: globalitems };
  },
  onChanges: (listener) => realtime.on(shoplistChanges, (event) => listener(event.id, parseListEvent(event))),
  onMenuChange: (listener) => realtime.on(shoplistsChanged, () => listener()),
};
