import { NO_TARGET } from '#platform/contract/fields.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import type { Device } from '#platform/server/devices/deviceLink.ts';
import { type ServerTool, handle, type ServerContext, type Handler } from '#platform/server/tool.ts';
import { fetchclipboard, readClipboard, sendclipboard, writeClipboard } from '../contract.ts';
import { validateLength, sanitizeText } from '../domain/text.ts';

/**
 * Refuses immediately what the device has reported as impossible; a device that has not reported is tried.
 * @throws Refusal
 */
function requireAbility({ kind, name, abilities }: Device): void {
  if (kind === 'browser')
    throw new Refusal('device.is_browser', `${name} is a browser, so it only receives messages. Choose a computer`);
  const { clipboard } = abilities;
  if (clipboard && !clipboard.able)
    throw new Refusal('device.feature_off', clipboard.reason ?? `${name} does not share its clipboard`);
}

/** Relays texts between pages and computers; they are neither stored nor logged. */
export function createClipboardHandlers({ devices, identity }: ServerContext): readonly Handler[] {
  const getAccountName = async (account: number): Promise<string> => (await identity.findAccount(account))?.name ?? '';
  return [
    handle(sendclipboard, async ({ content: { target, text } }, { account }) => {
      if (text === '') throw new Refusal('message.empty', 'No text to send');
      if (target === '' || target === NO_TARGET) throw new Refusal('message.no_device', 'no device selected');
      validateLength(text);
      const device = await devices.getOwned(account, target);
      requireAbility(device);
      await devices.send(device, writeClipboard, { text: sanitizeText(text), by: await getAccountName(account) });
    }),
    handle(fetchclipboard, async ({ content: { target } }, { account }) => {
      const device = await devices.getOwned(account, target);
      requireAbility(device);
      const { text } = await devices.send(device, readClipboard, { by: await getAccountName(account) });
      validateLength(text);
      return { text: sanitizeText(text) };
    }),
  ];
}

export const clipboard: ServerTool = {
  name: 'clipboard',
  services: ['identity', 'devices'],
  migrations: [],
  start: (context) => ({ calls: createClipboardHandlers(context) }),
};
