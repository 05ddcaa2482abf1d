import {
  CallError,
  createClient,
  DATABASE_DOWN_STATUS,
  isUnreachableError,
  type Client,
} from '#platform/contract/client.ts';
import { InvalidTokenRefusal } from '#platform/contract/refusal.ts';
import { basePath } from '../browser/siteAddress.ts';
import { notices } from './notices.ts';
import { reachability } from './reachability.ts';
import { session } from './session.ts';

const client = createClient({ origin: basePath, token: () => session.getCurrent()?.token, isPage: true });

/** Several calls can fail for the same expired token, but only the first one shows the notice. */
function endSession(token: string | undefined, message: string): void {
  if (token === undefined || session.getCurrent()?.token !== token) return;
  session.expire();
  const id = notices.add('bad', message);
  const stop = session.subscribe(() => {
    if (session.getCurrent() === undefined) return;
    stop();
    notices.dismiss(id);
  });
}

/** Makes a call to the server of this page with the token of the session. An invalid token ends the session. */
export const call: Client = async (contract, input) => {
  const token = session.getCurrent()?.token;
  try {
    const answer = await client(contract, input);
    reachability.set(true);
    return answer;
  } catch (error) {
    const status = error instanceof CallError ? error.status : undefined;
    reachability.set(
      status !== 0 && !isUnreachableError(error),
      status === DATABASE_DOWN_STATUS ? '/readyz' : '/healthz',
    );
    if (error instanceof InvalidTokenRefusal) endSession(token, error.message);
    throw error;
  }
};
