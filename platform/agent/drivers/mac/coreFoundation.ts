import type { MacFrameworks } from './frameworks.ts';

const UTF8 = 0x08000100;
/** kCFNumberDoubleType: integers up to 2^53 are exact in it. */
const DOUBLE_NUMBER = 13n;

/** A value of a property list, as far as the drivers need it. Other types are undefined. */
export type FoundationValue = string | number | undefined;

/** Reads Core Foundation's objects. */
export interface FoundationReader {
  readonly readString: (string: bigint) => string;
  readonly readValue: (value: bigint) => FoundationValue;
  /**
   * Reads an array of dictionaries; other elements are left out. Only the values of these keys are read, as each costs
   * several calls.
   */
  readonly readDictionaries: <Key extends string>(
    array: bigint,
    keys: Readonly<Record<Key, bigint>>,
  ) => readonly Readonly<Record<Key, FoundationValue>>[];
  /** Releases an object that a function with Copy or Create in its name has returned. */
  readonly release: (object: bigint) => void;
}

export function createFoundationReader({ foundation }: Pick<MacFrameworks, 'foundation'>): FoundationReader {
  const types = {
    string: foundation.CFStringGetTypeID(),
    number: foundation.CFNumberGetTypeID(),
    dictionary: foundation.CFDictionaryGetTypeID(),
  };
  function readString(string: bigint): string {
    // A UTF-16 unit has at most three bytes in UTF-8.
    const bytes = Buffer.alloc(Number(foundation.CFStringGetLength(string)) * 3 + 1);
    if (foundation.CFStringGetCString(string, bytes, BigInt(bytes.length), UTF8) === 0) return '';
    return bytes.toString('utf8', 0, bytes.indexOf(0));
  }
  function readNumber(number: bigint): number | undefined {
    const bytes = Buffer.alloc(8);
    return foundation.CFNumberGetValue(number, DOUBLE_NUMBER, bytes) === 0 ? undefined : bytes.readDoubleLE();
  }
  function readValue(value: bigint): FoundationValue {
    const type = foundation.CFGetTypeID(value);
    if (type === types.string) return readString(value);
    return type === types.number ? readNumber(value) : undefined;
  }
  function readDictionary<Key extends string>(
    dictionary: bigint,
    keys: Readonly<Record<Key, bigint>>,
  ): Readonly<Record<Key, FoundationValue>> {
    const values = Object.entries<bigint>(keys).map(([name, key]) => {
      const value = foundation.CFDictionaryGetValue(dictionary, key);
      return [name, value === 0n ? undefined : readValue(value)];
    });
    return Object.fromEntries(values) as Record<Key, FoundationValue>;
  }
  return {
    readString,
    readValue,
    readDictionaries: (array, keys) => {
      const count = Number(foundation.CFArrayGetCount(array));
      return Array.from({ length: count }, (_, index) => foundation.CFArrayGetValueAtIndex(array, BigInt(index)))
        .filter((element) => foundation.CFGetTypeID(element) === types.dictionary)
        .map((element) => readDictionary(element, keys));
    },
    release: (object) => foundation.CFRelease(object),
  };
}
