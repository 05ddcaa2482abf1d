import { listen, type Ground, type Listener } from '#platform/server/tool.ts';
import { runningReport } from '../contract.ts';
import { wireName } from '../domain/wireName.ts';

/** What is open on the computers that are connected now. Kept in memory: a computer says it again on every connection. */
export interface Running {
  /** Names as the wire has them, in order; of one computer, or of all of them together. */
  readonly of: (account: number, device: number | undefined) => readonly string[];
  /** Runs whenever it is another list than before. */
  readonly onChange: (then: (account: number) => void) => void;
  readonly listeners: readonly Listener[];
}

interface Open {
  readonly account: number;
  readonly names: readonly string[];
}

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((name, at) => name === other[at]);

export const makeRunning = ({ devices }: Pick<Ground, 'devices'>): Running => {
  const open = new Map<number, Open>();
  const told: ((account: number) => void)[] = [];
  const changed = (account: number): void => {
    for (const then of told) then(account);
  };
  devices.onState(({ id, account }, state) => {
    if (state === 'Disconnected' && open.delete(id)) changed(account);
  });

  return {
    of: (account, device) => {
      const names = new Set<string>();
      for (const [id, each] of open)
        if (each.account === account && (device === undefined || device === id))
          for (const name of each.names) names.add(name);
      return [...names].toSorted();
    },
    onChange: (then) => void told.push(then),
    listeners: [
      listen(runningReport, async ({ applications }, { account, device }) => {
        // One that has not introduced itself, or is gone, is not waited for: nobody would sweep up after it.
        if (devices.state(device) !== 'Connected') return {};
        const names = [...new Set(applications.map(wireName))].toSorted();
        const before = open.get(device)?.names ?? [];
        open.set(device, { account, names });
        if (!isSame(before, names)) changed(account);
        return {};
      }),
    ],
  };
};
