import { setImmediate } from 'node:timers/promises';
import type { EndpointResponse } from '#platform/server/http/endpoint.ts';
import { codes, type SubsonicError } from './subsonicError.ts';

/** Under this key fields have what OpenSubsonic adds to the original protocol. A spread keeps it. */
export const ADDED = Symbol('added by OpenSubsonic');

/** What an answer holds. A field that is undefined is left out. */
export type Value = string | number | boolean | undefined | readonly Value[] | Fields;
export interface Fields {
  readonly [name: string]: Value;
  readonly [ADDED]?: Fields;
}

const isList = (value: Value): value is readonly Value[] => Array.isArray(value);
const isFields = (value: Value): value is Fields => typeof value === 'object' && !isList(value);
type PlainValue = Exclude<Value, object>;
const isPlain = (value: Value): value is PlainValue => typeof value !== 'object';

/** Whether what OpenSubsonic adds is to be in an answer. */
export type Shape = 'original' | 'extended';

/** The names and values of what is there: what OpenSubsonic adds comes last, since older players read by order. */
const present = (fields: Fields, shape: Shape): readonly (readonly [name: string, value: Value])[] =>
  [...Object.entries(fields), ...(shape === 'extended' ? Object.entries(fields[ADDED] ?? {}) : [])].filter(
    ([, value]) => value !== undefined,
  );

/** As `JSON.stringify` takes it. */
const plainOf = (value: Value, shape: Shape): unknown => {
  if (isList(value)) return value.map((one) => plainOf(one, shape));
  if (!isFields(value)) return value;
  return Object.fromEntries(present(value, shape).map(([name, inner]) => [name, plainOf(inner, shape)]));
};

/** A value as JSON in pieces: lists are what is long, so each thing in one is a piece. */
export function* jsonOf(value: Value, shape: Shape = 'extended'): Generator<string> {
  if (isList(value)) {
    yield '[';
    for (const [at, one] of value.entries()) yield `${at > 0 ? ',' : ''}${JSON.stringify(plainOf(one, shape) ?? null)}`;
    return yield ']';
  }
  if (!isFields(value)) return yield JSON.stringify(value ?? null);
  yield '{';
  for (const [at, [name, inner]] of present(value, shape).entries()) {
    yield `${at > 0 ? ',' : ''}${JSON.stringify(name)}:`;
    yield* jsonOf(inner, shape);
  }
  return yield '}';
}

/** What XML 1.0 has no sign for, in no form. */
// oxlint-disable-next-line no-control-regex -- those are what is looked for
const UNWRITABLE = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g;
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  // As they stand a reader makes blanks of them.
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};
const escaped = (value: PlainValue): string =>
  String(value)
    .toWellFormed()
    .replaceAll(UNWRITABLE, '\uFFFD')
    .replaceAll(/[&<>"\t\n\r]/g, (sign) => ENTITIES[sign] ?? sign);

/** What stands between the tags of an element, not as an attribute of it. */
const TEXT = 'value';

/** The beginning of an element, without its last sign, and what is to stand in it. */
const opened = (name: string, fields: readonly (readonly [name: string, value: Value])[]) => {
  let open = `<${name}`;
  const inside: (readonly [name: string, value: Value])[] = [];
  for (const field of fields)
    if (isPlain(field[1]) && field[0] !== TEXT) open += ` ${field[0]}="${escaped(field[1])}"`;
    else inside.push(field);
  return { open, inside };
};

const wholeXml = (name: string, value: Value, shape: Shape): string => {
  if (isList(value)) return value.map((one) => wholeXml(name, one, shape)).join('');
  if (isPlain(value)) return `<${name}>${escaped(value)}</${name}>`;
  const { open, inside } = opened(name, present(value, shape));
  if (inside.length === 0) return `${open}/>`;
  const texts = inside.map(([field, inner]) => (isPlain(inner) ? escaped(inner) : wholeXml(field, inner, shape)));
  return `${open}>${texts.join('')}</${name}>`;
};

/** A field as XML in pieces, as `jsonOf` has them: plain values are attributes of their element, `value` its text, lists repeat it. Names are ours. */
export function* xmlOf(name: string, value: Value, shape: Shape = 'extended'): Generator<string> {
  if (isList(value)) {
    for (const one of value) yield wholeXml(name, one, shape);
    return;
  }
  if (isPlain(value)) return yield wholeXml(name, value, shape);
  const { open, inside } = opened(name, present(value, shape));
  if (inside.length === 0) return yield `${open}/>`;
  yield `${open}>`;
  for (const [field, inner] of inside)
    if (isPlain(inner)) yield escaped(inner);
    else yield* xmlOf(field, inner, shape);
  return yield `</${name}>`;
}

/** Of the protocol, as the last Subsonic had it; OpenSubsonic tells its own by its extensions. */
export const PROTOCOL = '1.16.1';
const XML_START = '<?xml version="1.0" encoding="UTF-8"?>\n';
const NAMESPACE = 'http://subsonic.org/restapi';

export type Format = 'json' | 'xml';
/** XML where nothing is said, as ever. */
export function formatOf(asked: string | undefined): Format {
  return asked === 'json' || asked === 'jsonp' ? 'json' : 'xml';
}

/** The function that a page wants called with the answer (`f=jsonp`); undefined for none, or for no plain name. */
export function callbackOf(format: string | undefined, callback: string | undefined): string | undefined {
  return format === 'jsonp' && callback !== undefined && /^[A-Za-z_$][\w$.]{0,199}$/.test(callback)
    ? callback
    : undefined;
}

/** Players that speak an older version than OpenSubsonic builds on get what that version had; without one, everything. */
export function shapeOf(version: string | undefined): Shape {
  const [, major, minor] = /^(\d{1,4})\.(\d{1,4})/.exec(version ?? '') ?? [];
  return major !== undefined && Number(major) <= 1 && Number(minor) < 16 ? 'original' : 'extended';
}

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

export function answerOf(answering: AnswerOptions, fields: Fields): EndpointResponse {
  return answerWith(answering, 'ok', fields);
}

export function answerOfError(answering: AnswerOptions, { code, message, status }: SubsonicError): EndpointResponse {
  return {
    ...answerWith(answering, 'failed', { error: { code, message } }),
    status,
  };
}

export function answerTooMany(answering: AnswerOptions, message: string, retryAfterSeconds: number): EndpointResponse {
  const given = answerWith(answering, 'failed', { error: { code: codes.generic, message } });
  return { ...given, status: 429, headers: { ...given.headers, 'retry-after': String(retryAfterSeconds) } };
}
