import { listen, type ServerContext, type Listener } from '#platform/server/tool.ts';
import { runningReport } from '../../contract.ts';
import { wireName } from '../domain/usageReport.ts';

/** What is open on the computers that are connected now. Kept in memory: a computer says it again on every connection. */
export interface RunningApplications {
  /** Names as the wire has them, in order; of one computer, or of all of them together. */
  readonly of: (account: number, device: number | undefined) => readonly string[];
  readonly listeners: readonly Listener[];
}

interface OpenApplications {
  readonly account: number;
  readonly names: readonly string[];
}

export function createRunningApplications({ devices }: Pick<ServerContext, 'devices'>): RunningApplications {
  const open = new Map<number, OpenApplications>();
  devices.onStateChange(({ id }, state) => {
    if (state === 'Disconnected') open.delete(id);
  });

  /** One that was removed is not told of. */
  const isThere = (device: number): boolean => devices.getState(device) !== 'Disconnected';

  return {
    of: (account, device) => {
      const names = new Set<string>();
      for (const [id, each] of open)
        if (each.account === account && (device === undefined || device === id) && isThere(id))
          for (const name of each.names) names.add(name);
      return [...names].toSorted();
    },
    listeners: [
      listen(runningReport, async ({ applications }, { account, device }) => {
        // One that has not introduced itself, or is gone, is not waited for: nobody would sweep up after it.
        if (devices.getState(device) !== 'Connected') return {};
        open.set(device, { account, names: [...new Set(applications.map(wireName))] });
        return {};
      }),
    ],
  };
}
