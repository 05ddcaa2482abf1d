import { getFfi } from '../native/ffi.ts';
import type { MacFrameworks } from './frameworks.ts';

const UTF8 = 0x08000100;
/** kCFNumberFloat64Type: integers up to 2^53 are exact in it. */
const DOUBLE_NUMBER = 13n;
const POINTER_BYTES = 8;

/** A value of a property list, as far as the drivers need it. Other types are undefined. */
export type FoundationValue = string | number | boolean | undefined;
export type FoundationDictionary = ReadonlyMap<string, FoundationValue>;

/** Reads Core Foundation's objects. */
export interface FoundationReader {
  readonly readString: (string: bigint) => string;
  readonly readValue: (value: bigint) => FoundationValue;
  readonly readDictionary: (dictionary: bigint) => FoundationDictionary;
  /** Reads an array of dictionaries; other elements are left out. */
  readonly readDictionaries: (array: bigint) => readonly FoundationDictionary[];
  /** Releases an object that a function with Copy or Create in its name has returned. */
  readonly release: (object: bigint) => void;
}

export function createFoundationReader({ foundation }: Pick<MacFrameworks, 'foundation'>): FoundationReader {
  const types = {
    string: foundation.CFStringGetTypeID(),
    number: foundation.CFNumberGetTypeID(),
    boolean: foundation.CFBooleanGetTypeID(),
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
    if (type === types.number) return readNumber(value);
    return type === types.boolean ? foundation.CFBooleanGetValue(value) !== 0 : undefined;
  }
  function readDictionary(dictionary: bigint): FoundationDictionary {
    const count = Number(foundation.CFDictionaryGetCount(dictionary));
    const keys = Buffer.alloc(Math.max(1, count) * POINTER_BYTES);
    const values = Buffer.alloc(keys.length);
    foundation.CFDictionaryGetKeysAndValues(dictionary, keys, values);
    return new Map(
      Array.from({ length: count }, (_, index) => [
        readString(keys.readBigUInt64LE(index * POINTER_BYTES)),
        readValue(values.readBigUInt64LE(index * POINTER_BYTES)),
      ]),
    );
  }
  return {
    readString,
    readValue,
    readDictionary,
    readDictionaries: (array) => {
      const count = Number(foundation.CFArrayGetCount(array));
      return Array.from({ length: count }, (_, index) => foundation.CFArrayGetValueAtIndex(array, BigInt(index)))
        .filter((element) => foundation.CFGetTypeID(element) === types.dictionary)
        .map(readDictionary);
    },
    release: (object) => foundation.CFRelease(object),
  };
}

/** Copies memory that belongs to somebody else. */
export function copyMemory(pointer: bigint, length: number): Buffer {
  return Buffer.from(getFfi().toBuffer(pointer, length));
}
