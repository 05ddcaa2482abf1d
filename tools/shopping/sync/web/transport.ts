import { call } from '#platform/web/app/call.ts';
import { realtime } from '#platform/web/app/realtime.ts';
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

export const serverTransport: Transport = {
  // `writeChanges` produced the body, so it matches the contract.
  send: async (body) =>
    parseAnswer(await call(modifyshoplist, body as Parameters<typeof call<typeof modifyshoplist>>[1]), body.seq),
  load: async (list, client) => parseLoadedList((await call(getshoplist, { id: list, client })).data),
  loadMenu: async () => {
    const { lists, invitations, deleted, globalitems } = (await call(getshoplists, {})).data;
    return { lists, invitations, deleted, globalItems: globalitems };
  },
  onChanges: (listener) => realtime.on(shoplistChanges, (event) => listener(event.id, parseListEvent(event))),
  onMenuChange: (listener) => realtime.on(shoplistsChanged, () => listener()),
};
