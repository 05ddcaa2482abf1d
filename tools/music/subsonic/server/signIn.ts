import type { AppPasswords, AppCredential, AppPasswordUser } from '#platform/server/identity/identity.ts';
import type { Params } from './params.ts';
import { codes, SubsonicError } from './subsonicError.ts';

/** As it is, or with its bytes in hexadecimal behind `enc:`, which hides it from a glance. */
const passwordOf = (sent: string): string =>
  /^enc:(?:[0-9a-f]{2})+$/i.test(sent) ? Buffer.from(sent.slice(4), 'hex').toString('utf8') : sent;

/** What somebody proves themselves by. @throws SubsonicError where that is nothing, or several things at once */
export const proofOf = (params: Params): AppCredential => {
  const [key, username, password, token] = ['apiKey', 'u', 'p', 't'].map(params.text);
  if (key !== undefined && (username ?? password ?? token) !== undefined)
    throw new SubsonicError(codes.conflicting, 'Send an API key, or a username; not both');
  if (password !== undefined && token !== undefined)
    throw new SubsonicError(codes.conflicting, 'Send a password, or a token; not both');
  if (key !== undefined) return { key };
  if (username === undefined) throw new SubsonicError(codes.missing, 'Required parameter is missing: u');
  if (password !== undefined) return { username, password: passwordOf(password) };
  if (token === undefined) throw new SubsonicError(codes.missing, 'Required parameter is missing: p, or t and s');
  return { username, token, salt: params.needed('s') };
};

const WRONG =
  'Wrong username or app password. The password of the account opens nothing here: make an app password for music in the settings';

/** Who asks, by an app password of the kind 'music'. @throws SubsonicError; TooMany */
export const signIn = async (
  params: Params,
  address: string,
  appPasswords: Pick<AppPasswords, 'verify'>,
): Promise<AppPasswordUser> => {
  const proof = proofOf(params);
  const user = await appPasswords.verify(proof, { kind: 'music', address });
  if (user !== undefined) return user;
  throw 'key' in proof
    ? new SubsonicError(
        codes.wrongKey,
        'Invalid API key. App passwords for music are API keys: make one in the settings',
      )
    : new SubsonicError(codes.wrongLogin, WRONG);
};

/** Majors of the protocol have to be the same. @throws SubsonicError */
export const checkVersion = (asked: string | undefined): void => {
  const major = Number(/^(\d{1,4})\./.exec(asked ?? '')?.[1] ?? 1);
  if (major < 1) throw new SubsonicError(codes.clientTooOld, 'This player speaks too old a protocol');
  if (major > 1) throw new SubsonicError(codes.serverTooOld, 'This player speaks a newer protocol than the server');
};
