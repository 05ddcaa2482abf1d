import type { EndpointResponse, EndpointRequest } from '#platform/server/http/endpoint.ts';
import type { AppPasswordUser } from '#platform/server/identity/identity.ts';
import type { Album, Artist, Catalogue, Entry } from './catalogue.ts';
import { createNotFoundError, codes, SubsonicError } from './subsonicError.ts';
import type { Fields } from './subsonicResponse.ts';

/** Parameters of a call, from its address and from a form in its body. Unknown names are ignored. */
export interface Params {
  /** Returns the first value; undefined if there is none or it is empty. */
  readonly getText: (name: string) => string | undefined;
  /** @throws SubsonicError 'required parameter is missing' */
  readonly getRequired: (name: string) => string;
  /** Returns all values in order. */
  readonly getAll: (name: string) => readonly string[];
  /** Returns an integer, clamped to the bounds. */
  readonly getInteger: (name: string, bounds: { readonly fallback: number; readonly max: number }) => number;
  readonly getFlag: (name: string, fallback: boolean) => boolean;
}

/** Creates the access to the parameters of a call. */
export function createParams(searchParams: URLSearchParams): Params {
  const getText = (name: string): string | undefined => searchParams.get(name) || undefined;
  return {
    getText,
    getRequired: (name) => {
      const value = getText(name);
      if (value === undefined) throw new SubsonicError(codes.missing, `Required parameter is missing: ${name}`);
      return value;
    },
    getAll: (name) => searchParams.getAll(name).filter((value) => value !== ''),
    getInteger: (name, { fallback, max }) => {
      const value = Number(getText(name) ?? fallback);
      return Number.isNaN(value) ? fallback : Math.min(max, Math.max(0, Math.trunc(value)));
    },
    getFlag: (name, fallback) => {
      const value = getText(name)?.toLowerCase();
      return value === undefined ? fallback : ['true', '1', 'yes'].includes(value);
    },
  };
}

/** Reads parameters. The content type of the body is ignored, because the protocol only has forms. */
export function readParams(request: EndpointRequest): Params {
  const queryStart = request.url.indexOf('?');
  const searchParams = new URLSearchParams(queryStart < 0 ? '' : request.url.slice(queryStart + 1));
  if (request.method === 'POST')
    for (const [name, value] of new URLSearchParams(Buffer.from(request.body).toString('utf8')))
      searchParams.append(name, value);
  return createParams(searchParams);
}

/** An authenticated call. */
export interface SubsonicRequest {
  readonly request: EndpointRequest;
  readonly params: Params;
  readonly user: AppPasswordUser;
  /** Loads the account's catalogue on first use. */
  readonly loadCatalogue: () => Promise<Catalogue>;
}

/** Returns the fields of the answer beside `status: 'ok'`. */
export type SubsonicHandler = (request: SubsonicRequest) => Promise<Fields>;
/** A call that sends a file. */
export type FileHandler = (request: SubsonicRequest) => Promise<EndpointResponse>;
/** Calls by name. */
export type SubsonicHandlers<Each = SubsonicHandler> = Readonly<Record<string, Each>>;

/** Parses the id of a song or playlist; 0, which is not an id, for anything else. */
export function parseId(id: string): number {
  return /^[1-9]\d{0,15}$/.test(id) ? Number(id) : 0;
}

/** @throws SubsonicError if the account has no such song. */
export function requireSong({ entries }: Catalogue, id: string): Entry {
  const value = entries.get(parseId(id));
  if (value === undefined) throw createNotFoundError('song');
  return value;
}

/** @throws SubsonicError */
export function requireAlbum({ albums }: Catalogue, id: string): Album {
  const value = albums.get(id);
  if (value === undefined) throw createNotFoundError('album');
  return value;
}

/** @throws SubsonicError */
export function requireArtist({ artists }: Catalogue, id: string): Artist {
  const value = artists.get(id);
  if (value === undefined) throw createNotFoundError('artist');
  return value;
}
