import { Refusal } from '#platform/contract/refusal.ts';
import type { Device } from '#platform/server/devices/deviceLink.ts';
import { handle, type Handler, type ServerContext, type ServerTool } from '#platform/server/tool.ts';
import { describeRuntime, openselfcheck, performStep, runselfcheckstep, startselfcheck } from '../contract.ts';

/** Relays the steps of a self-check from the page to the computer. Nothing is stored. */
function createSelfcheckHandlers({ devices }: Pick<ServerContext, 'devices'>): readonly Handler[] {
  /** @throws Refusal if the account has no such computer. */
  async function getComputer(account: number, id: number): Promise<Device> {
    const device = await devices.getOwned(account, String(id));
    if (device.kind === 'browser')
      throw new Refusal('device.is_browser', `${device.name} is a browser. Run \`agent try\` on a computer`);
    return device;
  }
  return [
    handle(startselfcheck, async (_request, { device }) => ({ device })),
    handle(openselfcheck, async ({ device: id, run }, { account }) => {
      const device = await getComputer(account, id);
      const { runtime } = await devices.send(device, describeRuntime, { run });
      return { name: device.name, system: device.system, version: device.version, runtime };
    }),
    handle(runselfcheckstep, async ({ device: id, run, step }, { account }) =>
      devices.send(await getComputer(account, id), performStep, { run, step }),
    ),
  ];
}

export const selfcheck: ServerTool = {
  name: 'selfcheck',
  services: ['devices'],
  migrations: [],
  start: (context) => ({ calls: createSelfcheckHandlers(context) }),
};
