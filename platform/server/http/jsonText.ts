// Writes large JSON answers from parts, so that cached parts are not serialized again. Types say what a text encodes;
// `handle` compares them with the contract.

declare const ENCODED: unique symbol;

/** JSON of a value of this type. */
export type JsonText<T> = string & { readonly [ENCODED]: T };

/** Members of a JSON object without braces, `"a":1,"b":2`, with values of this type. May be empty. */
export type JsonMembers<T> = string & { readonly [ENCODED]: Readonly<Record<string, T>> };

/** A key of a JSON object with its colon. */
export type JsonKey = string & { readonly [ENCODED]: 'key' };

export function toJson<T>(value: T): JsonText<T> {
  return JSON.stringify(value) as JsonText<T>;
}

export function toJsonKey(key: string): JsonKey {
  return `${JSON.stringify(key)}:` as JsonKey;
}

export function writeMember<T>(key: JsonKey, value: JsonText<T>): JsonMembers<T> {
  return `${key}${value}` as JsonMembers<T>;
}

/** Writes a member with a finite number. */
export function writeNumberMember(key: JsonKey, value: number): JsonMembers<number> {
  return `${key}${value}` as JsonMembers<number>;
}

/** No members, to which `appendMember` adds. */
export const NO_MEMBERS = '' as JsonMembers<never>;

/** Appends a member. Faster than a join of small members in inner loops. */
export function appendMember<T>(members: JsonMembers<T>, member: JsonMembers<T>): JsonMembers<T> {
  return members === '' ? member : (`${members},${member}` as JsonMembers<T>);
}

export function joinMembers<T>(parts: readonly JsonMembers<T>[]): JsonMembers<T> {
  return parts.filter((part) => part !== '').join(',') as JsonMembers<T>;
}

/** Writes an object of any keys. They must differ. */
export function writeRecord<T>(parts: readonly JsonMembers<T>[]): JsonText<Readonly<Record<string, T>>> {
  return `{${joinMembers(parts)}}` as JsonText<Readonly<Record<string, T>>>;
}

export function writeArray<T>(items: readonly JsonText<T>[]): JsonText<readonly T[]> {
  return `[${items.join(',')}]` as JsonText<readonly T[]>;
}

/** Writes an object of known fields. */
export function writeObject<T extends object>(fields: { readonly [K in keyof T]: JsonText<T[K]> }): JsonText<T> {
  const members = Object.entries<string>(fields).map(([key, value]) => `${toJsonKey(key)}${value}`);
  return `{${members.join(',')}}` as JsonText<T>;
}

const MAX_CACHED_TEXTS = 100;

/** Creates a fast writer of small objects; a large answer has thousands of them. Numbers must be finite. */
export function createObjectWriter<T extends Readonly<Record<keyof T, string | number>>>(
  keys: readonly (keyof T & string)[],
): (value: T) => JsonText<T> {
  const keyTexts = keys.map((key, index) => `${index === 0 ? '{' : ','}${toJsonKey(key)}`);
  const textCache = new Map<string, string>();
  function write(value: string | number): string {
    if (typeof value === 'number') return String(value);
    const text = textCache.get(value) ?? JSON.stringify(value);
    if (textCache.size < MAX_CACHED_TEXTS) textCache.set(value, text);
    return text;
  }
  return (value) => {
    let json = '';
    for (let index = 0; index < keys.length; index += 1) {
      const key = keys[index];
      if (key !== undefined) json += `${keyTexts[index] ?? ''}${write(value[key])}`;
    }
    return `${json}}` as JsonText<T>;
  };
}
