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
