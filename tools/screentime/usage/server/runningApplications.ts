import { createReplicatedMap } from '#platform/server/cluster/replicatedMap.ts';
import { listen, type ServerContext, type Listener } from '#platform/server/tool.ts';
import { runningReport } from '../../contract.ts';
import { toWireName } from '../domain/usageReport.ts';

/** Open applications of connected computers. In memory only, because computers report them on every connection. */
export interface RunningApplications {
  /** Lists wire names in order, for one computer or for all. */
  readonly list: (account: number, device: number | undefined) => readonly string[];
  readonly listeners: readonly Listener[];
}

interface OpenApplications {
  readonly account: number;
  readonly names: readonly string[];
}

export function createRunningApplications({
  devices,
  cluster,
}: Pick<ServerContext, 'devices' | 'cluster'>): RunningApplications {
  const openByDevice = createReplicatedMap<OpenApplications>(cluster, 'open applications');
  devices.onStateChange(({ id }, state) => {
    if (state === 'Disconnected') openByDevice.delete(id);
  });

  /** Ignores removed computers. */
  const isKnown = (device: number): boolean => devices.getState(device) !== 'Disconnected';

  return {
    list: (account, device) => {
      const names = new Set<string>();
      for (const [id, report] of openByDevice)
        if (report.account === account && (device === undefined || device === id) && isKnown(id))
          for (const name of report.names) names.add(name);
      return [...names].toSorted();
    },
    listeners: [
      listen(runningReport, async ({ applications }, { account, device }) => {
        // A computer that is not connected is not recorded, because no disconnect would remove it.
        if (devices.getState(device) !== 'Connected') return;
        openByDevice.set(device, { account, names: [...new Set(applications.map(toWireName))] });
      }),
    ],
  };
}
