import { Refusal } from '#platform/contract/refusal.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import type { KeptMessage } from './messageStore.ts';

/** The device that wrote a message, as far as it is known. */
export const writerOf = ({ sender, device, from }: KeptMessage): number | undefined =>
  sender === 'device' ? device : from;

/** Who wrote a message, for people and for the wire. */
export const writersOf = ({ devices, identity }: Pick<ServerContext, 'devices' | 'identity'>) => ({
  /** The name of the device that wrote it, or of the account where no device is known (or is there any more). */
  nameOf: async (message: KeptMessage): Promise<string> => {
    const { account } = message;
    const writer = writerOf(message);
    if (writer !== undefined) {
      const device = await devices.getOwned(account, String(writer)).catch((error: unknown) => {
        if (error instanceof Refusal) return undefined; // Removed just now.
        throw error;
      });
      if (device) return device.name;
    }
    return (await identity.findAccount(account))?.name ?? '';
  },
  detailsOf: (message: KeptMessage) => {
    const { id, type, timesent, received } = message;
    const writer = writerOf(message);
    return {
      id,
      inputtype: type,
      timesent,
      received: received / 1000,
      ...(writer === undefined ? {} : { from: String(writer) }),
    };
  },
});
