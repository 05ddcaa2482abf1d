import type { EndpointRequest } from '#platform/server/http/endpoint.ts';
import type { AppPasswordUser, Identity } from '#platform/server/identity/identity.ts';

/** Username and password of HTTP's Basic scheme. Ours have no colon in the password: the last one separates, so a name may have some. */
const credentialsOf = (header: string): readonly [username: string, password: string] | undefined => {
  const encoded = /^basic\s+([A-Za-z0-9+/_=-]+)\s*$/i.exec(header)?.[1];
  if (encoded === undefined) return undefined;
  const bytes = Buffer.from(encoded, 'base64');
  const utf8 = bytes.toString('utf8');
  // Older clients send letters beyond ASCII in ISO 8859-1.
  const text = utf8.includes('\uFFFD') ? bytes.toString('latin1') : utf8;
  const colon = text.lastIndexOf(':');
  return colon < 0 ? undefined : [text.slice(0, colon), text.slice(colon + 1)];
};

/** Who asks, by an app password; tokens and cookies count for nothing. @throws TooMany */
export const userOf = async (
  request: EndpointRequest,
  { appPasswords }: Pick<Identity, 'appPasswords'>,
): Promise<AppPasswordUser | undefined> => {
  const header = request.getHeader('authorization');
  const credentials = header === undefined || header.length > 2000 ? undefined : credentialsOf(header);
  if (credentials === undefined) return undefined;
  const [username, password] = credentials;
  return appPasswords.verify({ username, password }, { kind: 'calendar', address: request.address });
};
