import { CallError, createClient, type Client } from '#platform/contract/client.ts';
import { InvalidTokenRefusal } from '#platform/contract/refusal.ts';
import { notices } from './notices.ts';
import { reachability } from './reachability.ts';
import { session } from './session.ts';

const client = createClient({ origin: '', token: () => session.getCurrent()?.token, isPage: true });

/** Several calls may come back at once for a token that has ended: the first one says so. */
const endSession = (token: string | undefined, why: string): void => {
  if (token === undefined || session.getCurrent()?.token !== token) return;
  session.expire();
  const id = notices.add('bad', why);
  const stop = session.subscribe(() => {
    if (session.getCurrent() === undefined) return;
    stop();
    notices.dismiss(id);
  });
};

/** Calls the server that served this page, with the token of the signed-in session. A token that is not valid any more ends the session. */
export const call: Client = async (contract, input) => {
  const token = session.getCurrent()?.token;
  try {
    const answer = await client(contract, input);
    reachability.set(true);
    return answer;
  } catch (error) {
    reachability.set(!(error instanceof CallError && error.status === 0));
    if (error instanceof InvalidTokenRefusal) endSession(token, error.message);
    throw error;
  }
};
