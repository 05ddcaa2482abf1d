import type { ServerContext } from '#platform/server/tool.ts';
import { passwordFocusChanged } from '../contract.ts';

/** Tracks on which devices a password field has the keyboard focus, by their last reports; in memory only. */
export interface PasswordFocus {
  readonly isFocused: (device: number) => boolean;
  readonly report: (from: { readonly account: number; readonly device: number }, isFocused: boolean) => void;
}

export function createPasswordFocus({ devices, realtime }: Pick<ServerContext, 'devices' | 'realtime'>): PasswordFocus {
  const accountByDevice = new Map<number, number>();

  function set(account: number, device: number, isFocused: boolean): void {
    if (accountByDevice.has(device) === isFocused) return;
    if (isFocused) accountByDevice.set(device, account);
    else accountByDevice.delete(device);
    realtime.send(`account:${account}`, passwordFocusChanged, { target: String(device), isFocused });
  }

  devices.onStateChange(({ id }, state) => {
    const account = accountByDevice.get(id);
    if (state === 'Disconnected' && account !== undefined) set(account, id, false);
  });
  return {
    isFocused: (device) => accountByDevice.has(device),
    report: ({ account, device }, isFocused) => {
      if (devices.getState(device) === 'Connected') set(account, device, isFocused);
    },
  };
}
