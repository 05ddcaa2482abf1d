import type { EndpointResponse, EndpointRequest } from '#platform/server/http/endpoint.ts';
import type { AppPasswordUser } from '#platform/server/identity/identity.ts';
import type { Album, Artist, Catalogue, Entry } from './catalogue.ts';
import type { Params } from './params.ts';
import { notFound } from './subsonicError.ts';
import type { Fields } from './wire.ts';

/** A call of somebody who has proven who they are. */
export interface SubsonicRequest {
  readonly request: EndpointRequest;
  readonly params: Params;
  readonly user: AppPasswordUser;
  /** What the account has, read when it is first asked for. */
  readonly catalogue: () => Promise<Catalogue>;
}

/** What a call answers beside `status: 'ok'`. */
export type SubsonicMethod = (asked: SubsonicRequest) => Promise<Fields>;
/** One that answers a file. */
export type FileRun = (asked: SubsonicRequest) => Promise<EndpointResponse>;
/** By their names. */
export type Calls<Each = SubsonicMethod> = Readonly<Record<string, Each>>;

/** Ids of songs and playlists, as players send them; 0, which is none, for anything else. */
export const numberOf = (id: string): number => (/^[1-9]\d{0,15}$/.test(id) ? Number(id) : 0);

/** @throws SubsonicError where the account has no such song. */
export const songIn = ({ entries }: Catalogue, id: string): Entry => {
  const found = entries.get(numberOf(id));
  if (found === undefined) throw notFound('song');
  return found;
};

/** @throws SubsonicError */
export const albumIn = ({ albums }: Catalogue, id: string): Album => {
  const found = albums.get(id);
  if (found === undefined) throw notFound('album');
  return found;
};

/** @throws SubsonicError */
export const artistIn = ({ artists }: Catalogue, id: string): Artist => {
  const found = artists.get(id);
  if (found === undefined) throw notFound('artist');
  return found;
};
