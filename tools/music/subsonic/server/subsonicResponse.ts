import { setImmediate } from 'node:timers/promises';
import type { EndpointResponse } from '#platform/server/http/endpoint.ts';
import { codes, type SubsonicError } from './subsonicError.ts';

/** Key of the fields that OpenSubsonic adds to the original protocol. Spreading keeps it. */
export const OPEN_SUBSONIC = Symbol('added by OpenSubsonic');

/** A value in an answer. Undefined fields are left out. */
export type Value = string | number | boolean | undefined | readonly Value[] | Fields;
export interface Fields {
  readonly [name: string]: Value;
  readonly [OPEN_SUBSONIC]?: Fields;
}

const isList = (value: Value): value is readonly Value[] => Array.isArray(value);
const isFields = (value: Value): value is Fields => typeof value === 'object' && !isList(value);
type PlainValue = Exclude<Value, object>;
const isPlain = (value: Value): value is PlainValue => typeof value !== 'object';

/** Whether an answer contains the additions of OpenSubsonic. */
export type Shape = 'original' | 'extended';

/** Returns the defined fields. Additions of OpenSubsonic come last, because older players read by position. */
const getDefinedFields = (fields: Fields, shape: Shape): readonly (readonly [name: string, value: Value])[] =>
  [...Object.entries(fields), ...(shape === 'extended' ? Object.entries(fields[OPEN_SUBSONIC] ?? {}) : [])].filter(
    ([, value]) => value !== undefined,
  );

/** Converts a value for `JSON.stringify`. */
function toPlain(value: Value, shape: Shape): unknown {
  if (isList(value)) return value.map((item) => toPlain(item, shape));
  if (!isFields(value)) return value;
  return Object.fromEntries(getDefinedFields(value, shape).map(([name, inner]) => [name, toPlain(inner, shape)]));
}

/** Serializes a value as JSON in chunks, one per item of its lists. */
export function* serializeJson(value: Value, shape: Shape = 'extended'): Generator<string> {
  if (isList(value)) {
    yield '[';
    for (const [at, one] of value.entries()) yield `${at > 0 ? ',' : ''}${JSON.stringify(toPlain(one, shape) ?? null)}`;
    return yield ']';
  }
  if (!isFields(value)) return yield JSON.stringify(value ?? null);
  yield '{';
  for (const [at, [name, inner]] of getDefinedFields(value, shape).entries()) {
    yield `${at > 0 ? ',' : ''}${JSON.stringify(name)}:`;
    yield* serializeJson(inner, shape);
  }
  return yield '}';
}

/** Characters that XML 1.0 can't represent. */
// oxlint-disable-next-line no-control-regex -- control characters are searched for
const UNWRITABLE_PATTERN = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g;
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  // XML readers convert unescaped ones to spaces.
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};
const escapeXml = (value: PlainValue): string =>
  String(value)
    .toWellFormed()
    .replaceAll(UNWRITABLE_PATTERN, '\uFFFD')
    .replaceAll(/[&<>"\t\n\r]/g, (sign) => ENTITIES[sign] ?? sign);

/** Field that becomes the text of an element instead of an attribute. */
const TEXT = 'value';

/** Returns the start tag of an element without its last character, and its content. */
function openElement(name: string, fields: readonly (readonly [name: string, value: Value])[]) {
  let open = `<${name}`;
  const content: (readonly [name: string, value: Value])[] = [];
  for (const field of fields)
    if (isPlain(field[1]) && field[0] !== TEXT) open += ` ${field[0]}="${escapeXml(field[1])}"`;
    else content.push(field);
  return { open, content };
}

function formatXml(name: string, value: Value, shape: Shape): string {
  if (isList(value)) return value.map((one) => formatXml(name, one, shape)).join('');
  if (isPlain(value)) return `<${name}>${escapeXml(value)}</${name}>`;
  const { open, content } = openElement(name, getDefinedFields(value, shape));
  if (content.length === 0) return `${open}/>`;
  const texts = content.map(([field, inner]) => (isPlain(inner) ? escapeXml(inner) : formatXml(field, inner, shape)));
  return `${open}>${texts.join('')}</${name}>`;
}

/**
 * Serializes a field as XML in chunks: plain values are attributes, `value` is the text, lists repeat the element.
 * All names are our own.
 */
export function* serializeXml(name: string, value: Value, shape: Shape = 'extended'): Generator<string> {
  if (isList(value)) {
    for (const one of value) yield formatXml(name, one, shape);
    return;
  }
  if (isPlain(value)) return yield formatXml(name, value, shape);
  const { open, content } = openElement(name, getDefinedFields(value, shape));
  if (content.length === 0) return yield `${open}/>`;
  yield `${open}>`;
  for (const [field, inner] of content)
    if (isPlain(inner)) yield escapeXml(inner);
    else yield* serializeXml(field, inner, shape);
  return yield `</${name}>`;
}

/** Version of the protocol in the last Subsonic. OpenSubsonic lists its extensions separately. */
export const PROTOCOL = '1.16.1';
const XML_START = '<?xml version="1.0" encoding="UTF-8"?>\n';
const NAMESPACE = 'http://subsonic.org/restapi';

export type Format = 'json' | 'xml';
/** XML is the default of the protocol. */
export function parseFormat(format: string | undefined): Format {
  return format === 'json' || format === 'jsonp' ? 'json' : 'xml';
}

/** Returns the callback of JSONP (`f=jsonp`); undefined if there is none or its name is not plain. */
export function parseCallback(format: string | undefined, callback: string | undefined): string | undefined {
  return format === 'jsonp' && callback !== undefined && /^[A-Za-z_$][\w$.]{0,199}$/.test(callback)
    ? callback
    : undefined;
}

/** Older players get the original protocol of their version; requests without a version get everything. */
export function parseShape(version: string | undefined): Shape {
  const [, major, minor] = /^(\d{1,4})\.(\d{1,4})/.exec(version ?? '') ?? [];
  return major !== undefined && Number(major) <= 1 && Number(minor) < 16 ? 'original' : 'extended';
}

const SCRIPT_TYPE = 'text/javascript; charset=utf-8';
const TYPES: Readonly<Record<Format, string>> = {
  json: 'application/json; charset=utf-8',
  xml: 'text/xml; charset=utf-8',
};

const CHUNK_LENGTH = 64 * 1024;

/** Joins many small texts into a few large chunks. */
function* joinIntoChunks(texts: Iterable<string>): Generator<string> {
  let chunk = '';
  for (const text of texts) {
    chunk += text;
    if (chunk.length < CHUNK_LENGTH) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}

/** Yields the chunks of a large answer, and lets other requests run in between. */
async function* yieldToEventLoop(first: string, rest: Iterable<string>): AsyncGenerator<string> {
  yield first;
  for (const chunk of rest) {
    await setImmediate();
    yield chunk;
  }
}

function toBody(texts: Iterable<string>): NonNullable<EndpointResponse['body']> {
  const chunks = joinIntoChunks(texts);
  const first = chunks.next();
  const second = chunks.next();
  if (first.done === true) return '';
  if (second.done === true) return first.value;
  return yieldToEventLoop(first.value + second.value, chunks);
}

export interface AnswerOptions {
  readonly format: Format;
  readonly callback?: string | undefined;
  readonly shape: Shape;
  /** Version of Pegboard. */
  readonly version: string;
}

/** Wraps JSON in a callback in a way that no page can interpret as anything else. */
function* wrapInCallback(callback: string | undefined, json: Iterable<string>): Generator<string> {
  if (callback !== undefined) yield `/**/${callback}(`;
  yield* json;
  if (callback !== undefined) yield ');';
}

function createAnswer(
  { format, callback, shape, version }: AnswerOptions,
  status: 'ok' | 'failed',
  fields: Fields,
): EndpointResponse {
  const about = { status, version: PROTOCOL, type: 'pegboard', serverVersion: version, openSubsonic: true };
  return {
    status: 200,
    headers: { 'content-type': callback === undefined ? TYPES[format] : SCRIPT_TYPE },
    body: toBody(
      format === 'json'
        ? wrapInCallback(callback, serializeJson({ 'subsonic-response': { ...about, ...fields } }, shape))
        : (function* () {
            yield XML_START;
            yield* serializeXml('subsonic-response', { xmlns: NAMESPACE, ...about, ...fields }, shape);
          })(),
    ),
  };
}

/** Creates a successful answer with these fields. */
export function createResponse(options: AnswerOptions, fields: Fields): EndpointResponse {
  return createAnswer(options, 'ok', fields);
}

export function createErrorResponse(
  options: AnswerOptions,
  { code, message, status }: SubsonicError,
): EndpointResponse {
  return { ...createAnswer(options, 'failed', { error: { code, message } }), status };
}

export function createRateLimitResponse(
  options: AnswerOptions,
  message: string,
  retryAfterSeconds: number,
): EndpointResponse {
  const response = createAnswer(options, 'failed', { error: { code: codes.generic, message } });
  return { ...response, status: 429, headers: { ...response.headers, 'retry-after': String(retryAfterSeconds) } };
}
