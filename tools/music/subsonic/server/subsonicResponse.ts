import { setImmediate } from 'node:timers/promises';
import type { EndpointResponse } from '#platform/server/http/endpoint.ts';
import { codes, type SubsonicError } from './subsonicError.ts';
import { type Fields, jsonOf, type Shape, xmlOf } from './wire.ts';

/** Of the protocol, as the last Subsonic had it; OpenSubsonic tells its own by its extensions. */
export const PROTOCOL = '1.16.1';
const XML_START = '<?xml version="1.0" encoding="UTF-8"?>\n';
const NAMESPACE = 'http://subsonic.org/restapi';

export type Format = 'json' | 'xml';
/** XML where nothing is said, as ever. */
export const formatOf = (asked: string | undefined): Format => (asked === 'json' || asked === 'jsonp' ? 'json' : 'xml');

/** The function that a page wants called with the answer (`f=jsonp`); undefined for none, or for no plain name. */
export const callbackOf = (format: string | undefined, callback: string | undefined): string | undefined =>
  format === 'jsonp' && callback !== undefined && /^[A-Za-z_$][\w$.]{0,199}$/.test(callback) ? callback : undefined;

/** Players that speak an older version than OpenSubsonic builds on get what that version had; without one, everything. */
export const shapeOf = (version: string | undefined): Shape => {
  const [, major, minor] = /^(\d{1,4})\.(\d{1,4})/.exec(version ?? '') ?? [];
  return major !== undefined && Number(major) <= 1 && Number(minor) < 16 ? 'original' : 'extended';
};

const SCRIPT_TYPE = 'text/javascript; charset=utf-8';
const TYPES: Readonly<Record<Format, string>> = {
  json: 'application/json; charset=utf-8',
  xml: 'text/xml; charset=utf-8',
};

const PIECE = 64 * 1024;

/** So many small texts as few large ones. */
function* joined(texts: Iterable<string>): Generator<string> {
  let piece = '';
  for (const text of texts) {
    piece += text;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

/** A whole library is many pieces: others have their turn between them. */
async function* inTurns(first: string, rest: Iterable<string>): AsyncGenerator<string> {
  yield first;
  for (const piece of rest) {
    await setImmediate();
    yield piece;
  }
}

const bodyOf = (texts: Iterable<string>): NonNullable<EndpointResponse['body']> => {
  const pieces = joined(texts);
  const first = pieces.next();
  const second = pieces.next();
  if (first.done === true) return '';
  if (second.done === true) return first.value;
  return inTurns(first.value + second.value, pieces);
};

export interface AnswerOptions {
  readonly format: Format;
  readonly callback?: string | undefined;
  readonly shape: Shape;
  /** Of Pegboard. */
  readonly version: string;
}

/** JSON for a function: no page takes it for anything else, whatever its callback is called. */
function* handedTo(callback: string | undefined, json: Iterable<string>): Generator<string> {
  if (callback !== undefined) yield `/**/${callback}(`;
  yield* json;
  if (callback !== undefined) yield ');';
}

const answerWith = (
  { format, callback, shape, version }: AnswerOptions,
  status: 'ok' | 'failed',
  fields: Fields,
): EndpointResponse => {
  const about = { status, version: PROTOCOL, type: 'pegboard', serverVersion: version, openSubsonic: true };
  return {
    status: 200,
    headers: { 'content-type': callback === undefined ? TYPES[format] : SCRIPT_TYPE },
    body: bodyOf(
      format === 'json'
        ? handedTo(callback, jsonOf({ 'subsonic-response': { ...about, ...fields } }, shape))
        : (function* () {
            yield XML_START;
            yield* xmlOf('subsonic-response', { xmlns: NAMESPACE, ...about, ...fields }, shape);
          })(),
    ),
  };
};

export const answerOf = (answering: AnswerOptions, fields: Fields): EndpointResponse =>
  answerWith(answering, 'ok', fields);

export const answerOfError = (
  answering: AnswerOptions,
  { code, message, status }: SubsonicError,
): EndpointResponse => ({
  ...answerWith(answering, 'failed', { error: { code, message } }),
  status,
});

export const answerTooMany = (
  answering: AnswerOptions,
  message: string,
  retryAfterSeconds: number,
): EndpointResponse => {
  const given = answerWith(answering, 'failed', { error: { code: codes.generic, message } });
  return { ...given, status: 429, headers: { ...given.headers, 'retry-after': String(retryAfterSeconds) } };
};
