import { setTimeout as sleep } from 'node:timers/promises';
import { CallError, createClient, type Client, type ClientOptions } from '#platform/contract/client.ts';

const TOO_MANY_REQUESTS = 429;
const RETRY_INTERVAL_MS = 200;

/** Creates a client that retries while a server program that has just started on a slow machine is overloaded. */
export function createPatientClient(options: ClientOptions): Client {
  const call = createClient(options);
  const callPatiently: Client = async (contract, input) => {
    try {
      return await call(contract, input);
    } catch (error) {
      if (!(error instanceof CallError) || error.status !== TOO_MANY_REQUESTS) throw error;
      await sleep(RETRY_INTERVAL_MS);
      return callPatiently(contract, input);
    }
  };
  return callPatiently;
}
