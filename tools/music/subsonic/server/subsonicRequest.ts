import type { EndpointResponse, EndpointRequest } from '#platform/server/http/endpoint.ts';
import type { AppPasswordUser } from '#platform/server/identity/identity.ts';
import type { Album, Artist, Catalogue, Entry } from './catalogue.ts';
import { notFound, codes, SubsonicError } from './subsonicError.ts';
import type { Fields } from './subsonicResponse.ts';

/** What came with a call: in its address, and as a form in its body. Names that nobody asks for are ignored. */
export interface Params {
  /** The first of that name; undefined for none and for an empty one. */
  readonly text: (name: string) => string | undefined;
  /** @throws SubsonicError 'required parameter is missing' */
  readonly needed: (name: string) => string;
  /** All of that name, in order. */
  readonly all: (name: string) => readonly string[];
  /** A whole number; beyond the bounds the nearest one within. */
  readonly whole: (name: string, bounds: { readonly otherwise: number; readonly most: number }) => number;
  readonly flag: (name: string, otherwise: boolean) => boolean;
  readonly has: (name: string) => boolean;
}

export function paramsOf(sent: URLSearchParams): Params {
  const text = (name: string): string | undefined => sent.get(name) || undefined;
  return {
    text,
    needed: (name) => {
      const found = text(name);
      if (found === undefined) throw new SubsonicError(codes.missing, `Required parameter is missing: ${name}`);
      return found;
    },
    all: (name) => sent.getAll(name).filter((one) => one !== ''),
    whole: (name, { otherwise, most }) => {
      const asked = Number(text(name) ?? otherwise);
      return Number.isNaN(asked) ? otherwise : Math.min(most, Math.max(0, Math.trunc(asked)));
    },
    flag: (name, otherwise) => {
      const asked = text(name)?.toLowerCase();
      return asked === undefined ? otherwise : ['true', '1', 'yes'].includes(asked);
    },
    has: (name) => sent.has(name),
  };
}

/** Whatever type a body says that it is of: there is no other than forms in this protocol. */
export function readParams(request: EndpointRequest): Params {
  const question = request.url.indexOf('?');
  const sent = new URLSearchParams(question < 0 ? '' : request.url.slice(question + 1));
  if (request.method === 'POST')
    for (const [name, value] of new URLSearchParams(Buffer.from(request.body).toString('utf8')))
      sent.append(name, value);
  return paramsOf(sent);
}

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
export function numberOf(id: string): number {
  return /^[1-9]\d{0,15}$/.test(id) ? Number(id) : 0;
}

/** @throws SubsonicError where the account has no such song. */
export function songIn({ entries }: Catalogue, id: string): Entry {
  const found = entries.get(numberOf(id));
  if (found === undefined) throw notFound('song');
  return found;
}

/** @throws SubsonicError */
export function albumIn({ albums }: Catalogue, id: string): Album {
  const found = albums.get(id);
  if (found === undefined) throw notFound('album');
  return found;
}

/** @throws SubsonicError */
export function artistIn({ artists }: Catalogue, id: string): Artist {
  const found = artists.get(id);
  if (found === undefined) throw notFound('artist');
  return found;
}
