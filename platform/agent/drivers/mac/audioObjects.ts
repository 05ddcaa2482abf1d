import type { FoundationReader } from './coreFoundation.ts';
import type { MacFrameworks } from './frameworks.ts';
import { toFourCharCode } from './hotkeys.ts';

const GLOBAL_SCOPE = toFourCharCode('glob');
export const OUTPUT_SCOPE = toFourCharCode('outp');
const MAIN_ELEMENT = 0;
const ADDRESS_BYTES = 12;

/** A property of an audio object. */
export interface AudioProperty {
  readonly selector: number;
  readonly scope: number;
  /** A channel, or 0 for all. */
  readonly element: number;
}

/** Creates a property from the four characters of its selector. */
export function createProperty(selector: string, scope = GLOBAL_SCOPE, element = MAIN_ELEMENT): AudioProperty {
  return { selector: toFourCharCode(selector), scope, element };
}

/** Encodes an AudioObjectPropertyAddress. */
export function encodeProperty({ selector, scope, element }: AudioProperty): Buffer {
  const address = Buffer.alloc(ADDRESS_BYTES);
  address.writeUInt32LE(selector, 0);
  address.writeUInt32LE(scope, 4);
  address.writeUInt32LE(element, 8);
  return address;
}

/** Reads and sets properties. What an object lacks is undefined or false. */
export interface AudioObjects {
  readonly readNumber: (object: number, property: AudioProperty) => number | undefined;
  readonly readFloat: (object: number, property: AudioProperty) => number | undefined;
  readonly readString: (object: number, property: AudioProperty) => string | undefined;
  readonly listObjects: (object: number, property: AudioProperty) => readonly number[];
  readonly getSize: (object: number, property: AudioProperty) => number;
  readonly isSettable: (object: number, property: AudioProperty) => boolean;
  readonly setNumber: (object: number, property: AudioProperty, value: number) => boolean;
  readonly setFloat: (object: number, property: AudioProperty, value: number) => boolean;
}

export function createAudioObjects(
  { audio }: Pick<MacFrameworks, 'audio'>,
  reader: Pick<FoundationReader, 'readString' | 'release'>,
): AudioObjects {
  function getSize(object: number, property: AudioProperty): number {
    const address = encodeProperty(property);
    if (audio.AudioObjectHasProperty(object, address) === 0) return 0;
    const size = Buffer.alloc(4);
    return audio.AudioObjectGetPropertyDataSize(object, address, 0, 0n, size) === 0 ? size.readUInt32LE() : 0;
  }
  function read(object: number, property: AudioProperty, maxBytes: number): Buffer | undefined {
    const address = encodeProperty(property);
    if (audio.AudioObjectHasProperty(object, address) === 0) return undefined;
    const size = Buffer.alloc(4);
    size.writeUInt32LE(maxBytes);
    const data = Buffer.alloc(Math.max(1, maxBytes));
    if (audio.AudioObjectGetPropertyData(object, address, 0, 0n, size, data) !== 0) return undefined;
    return data.subarray(0, size.readUInt32LE());
  }
  const readExactly = (object: number, property: AudioProperty, bytes: number): Buffer | undefined => {
    const data = read(object, property, bytes);
    return data?.length === bytes ? data : undefined;
  };
  const set = (object: number, property: AudioProperty, data: Buffer): boolean =>
    audio.AudioObjectSetPropertyData(object, encodeProperty(property), 0, 0n, data.length, data) === 0;
  return {
    getSize,
    readNumber: (object, property) => readExactly(object, property, 4)?.readUInt32LE(),
    readFloat: (object, property) => readExactly(object, property, 4)?.readFloatLE(),
    readString: (object, property) => {
      const string = readExactly(object, property, 8)?.readBigUInt64LE();
      if (string === undefined || string === 0n) return undefined;
      try {
        return reader.readString(string);
      } finally {
        reader.release(string);
      }
    },
    listObjects: (object, property) => {
      const data = read(object, property, getSize(object, property)) ?? Buffer.alloc(0);
      return Array.from({ length: Math.floor(data.length / 4) }, (_, index) => data.readUInt32LE(4 * index));
    },
    isSettable: (object, property) => {
      const settable = Buffer.alloc(1);
      const status = audio.AudioObjectIsPropertySettable(object, encodeProperty(property), settable);
      return status === 0 && settable[0] !== 0;
    },
    setNumber: (object, property, value) => {
      const data = Buffer.alloc(4);
      data.writeUInt32LE(value);
      return set(object, property, data);
    },
    setFloat: (object, property, value) => {
      const data = Buffer.alloc(4);
      data.writeFloatLE(value);
      return set(object, property, data);
    },
  };
}
