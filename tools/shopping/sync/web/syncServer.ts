import { call } from '#platform/web/app/call.ts';
import { realtime } from '#platform/web/app/socket.ts';
import { getshoplist, getshoplists, modifyshoplist, shoplistChanges, shoplistsChanged } from '../../contract.ts';
import type { ListEvent } from '../domain/replica.ts';
import type { Menu } from './replicaStore.ts';
import { readAnswer, readLoaded, readTold } from './replicaWire.ts';
import type { Line } from './syncEngine.ts';

/** The calls and events of the server that the lists need. */
export interface PlannerServer extends Line {
  readonly menu: () => Promise<Menu>;
  readonly onChanges: (then: (list: number, event: ListEvent) => void) => () => void;
  /** The menu changed. */
  readonly onMenu: (then: () => void) => () => void;
}

export const served: PlannerServer = {
  // `writeChanges` produced the body, so it matches the contract.
  send: async (body) =>
    readAnswer(await call(modifyshoplist, body as Parameters<typeof call<typeof modifyshoplist>>[1]), body.seq),
  load: async (list, client) => readLoaded((await call(getshoplist, { id: list, client })).data),
  menu: async () => {
    const { lists, invitations, deleted, globalitems } = (await call(getshoplists, {})).data;
    return { lists, invitations, deleted, globalItems: globalitems };
  },
  onChanges: (then) => realtime.on(shoplistChanges, (event) => then(event.id, readTold(event))),
  onMenu: (then) => realtime.on(shoplistsChanged, () => then()),
};
