import type { EndpointResponse, EndpointRequest } from '#platform/server/http/endpoint.ts';
import type { AppPasswordUser } from '#platform/server/identity/identity.ts';
import type { Album, Artist, Catalogue, Entry } from './catalogue.ts';
import { notFound, codes, SubsonicError } from './subsonicError.ts';
import type { Fields } from './subsonicResponse.ts';

/** Parameters of a call, from its address and from a form in its body. Unknown names are ignored. */
export interface Params {
  /** Returns the first value; undefined if there is none or it is empty. */
  readonly text: (name: string) => string | undefined;
  /** @throws SubsonicError 'required parameter is missing' */
  readonly needed: (name: string) => string;
  /** Returns all values in order. */
  readonly all: (name: string) => readonly string[];
  /** Returns an integer, clamped to the bounds. */
  readonly whole: (name: string, bounds: { readonly otherwise: number; readonly most: number }) => number;
  readonly flag: (name: string, otherwise: boolean) => boolean;
  readonly has: (name: string) => boolean;
}

/** Creates the access to the parameters of a call. */
export function createParams(searchParams: URLSearchParams): Params {
  const text = (name: string): string | undefined => searchParams.get(name) || undefined;
  return {
    text,
    needed: (name) => {
      const value = text(name);
      if (value === undefined) throw new SubsonicError(codes.missing, `Required parameter is missing: ${name}`);
      return value;
    },
    all: (name) => searchParams.getAll(name).filter((one) => one !== ''),
    whole: (name, { otherwise, most: max }) => {
      const value = Number(text(name) ?? otherwise);
      return Number.isNaN(value) ? otherwise : Math.min(max, Math.max(0, Math.trunc(value)));
    },
    flag: (name, otherwise) => {
      const value = text(name)?.toLowerCase();
      return value === undefined ? otherwise : ['true', '1', 'yes'].includes(value);
    },
    has: (name) => searchParams.has(name),
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
  readonly catalogue: () => Promise<Catalogue>;
}

/** Returns the fields of the answer beside `status: 'ok'`. */
export type SubsonicMethod = (request: SubsonicRequest) => Promise<Fields>;
/** A call that sends a file. */
export type FileRun = (request: SubsonicRequest) => Promise<EndpointResponse>;
/** Calls by name. */
export type Calls<Each = SubsonicMethod> = Readonly<Record<string, Each>>;

/** Parses the id of a song or playlist; 0, which is not an id, for anything else. */
export function parseId(id: string): number {
  return /^[1-9]\d{0,15}$/.test(id) ? Number(id) : 0;
}

/** @throws SubsonicError if the account has no such song. */
export function songIn({ entries }: Catalogue, id: string): Entry {
  const value = entries.get(parseId(id));
  if (value === undefined) throw notFound('song');
  return value;
}

/** @throws SubsonicError */
export function albumIn({ albums }: Catalogue, id: string): Album {
  const value = albums.get(id);
  if (value === undefined) throw notFound('album');
  return value;
}

/** @throws SubsonicError */
export function artistIn({ artists }: Catalogue, id: string): Artist {
  const value = artists.get(id);
  if (value === undefined) throw notFound('artist');
  return value;
}
