import type { PairedAccount } from '#platform/agent/pairedAccount.ts';
import { type Client, CallError } from '#platform/contract/client.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { requestpairing, takepairing } from '../contract.ts';

const POLL_INTERVAL_MS = 2000;

export interface PairingOptions {
  /** A client without a token. */
  readonly call: Client;
  readonly name: string;
  readonly system: string;
  /** Shows the code to the user of this computer. */
  readonly show: (code: string) => void;
}

export interface PairingResult {
  readonly token: string;
  readonly name: string;
  readonly account: PairedAccount;
}

/** Used if the server does not name the account. The key differs from that of every earlier account. */
const createUnknownAccount = (): PairedAccount => ({ key: crypto.randomUUID(), name: 'another account' });

const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Polls until the code was entered. Returns undefined once the code has expired. */
async function waitForToken(
  { call }: PairingOptions,
  { secret, expires }: { readonly secret: string; readonly expires: string },
): Promise<PairingResult | undefined> {
  while (Date.now() < Date.parse(expires)) {
    await delay(POLL_INTERVAL_MS);
    try {
      const { token, name = '', account = createUnknownAccount() } = await call(takepairing, { secret });
      if (token !== undefined) return { token, name, account };
    } catch (error) {
      if (error instanceof Refusal) return undefined; // the code has expired
      if (!(error instanceof CallError)) throw error; // the server can't be reached and may return
    }
  }
  return undefined;
}

/**
 * Requests a code, shows it, and waits until it was entered under Devices Settings. Expired codes are replaced.
 * @throws {CallError} if the first request of a code fails.
 */
export async function pairDevice(options: PairingOptions): Promise<PairingResult> {
  for (;;) {
    const pairing = await options.call(requestpairing, { name: options.name, system: options.system });
    options.show(pairing.code);
    const result = await waitForToken(options, pairing);
    if (result) return result;
  }
}
