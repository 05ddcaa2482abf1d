import type { PairedAccount } from '#platform/agent/pairedAccount.ts';
import { type Client, CallError } from '#platform/contract/client.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { requestpairing, takepairing } from '../contract.ts';

const POLL_INTERVAL_MS = 2000;

export interface PairingOptions {
  /** Calls without a token. */
  readonly call: Client;
  readonly name: string;
  readonly system: string;
  /** Shows the code to the person at this computer. */
  readonly show: (code: string) => void;
  readonly askEveryMs?: number;
}

export interface PairingResult {
  readonly token: string;
  readonly name: string;
  readonly account: PairedAccount;
}

/** Of a server that does not say whose the computer is: nobody's of before. */
const nobodyKnown = (): PairedAccount => ({ key: crypto.randomUUID(), name: 'another account' });

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

/** The token once the code was entered, undefined once the code has run out. */
const waitForToken = async (
  { call, askEveryMs = POLL_INTERVAL_MS }: PairingOptions,
  { secret, expires }: { readonly secret: string; readonly expires: string },
): Promise<PairingResult | undefined> => {
  while (Date.now() < Date.parse(expires)) {
    await pause(askEveryMs);
    try {
      const { token, name = '', account = nobodyKnown() } = await call(takepairing, { secret });
      if (token !== undefined) return { token, name, account };
    } catch (error) {
      if (error instanceof Refusal) return undefined; // the server has forgotten the code
      if (!(error instanceof CallError)) throw error; // it is away, and may be back
    }
  }
  return undefined;
};

/**
 * Asks for a code, shows it, and waits until it was entered under Devices settings; a code that runs out is followed by a new one.
 * @throws CallFailed where the server cannot be reached.
 */
export async function pairDevice(options: PairingOptions): Promise<PairingResult> {
  for (;;) {
    const asked = await options.call(requestpairing, { name: options.name, system: options.system });
    options.show(asked.code);
    const given = await waitForToken(options, asked);
    if (given) return given;
  }
}
