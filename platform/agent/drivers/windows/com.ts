// Calls methods of COM objects. node:ffi can't call a pointer, but a library of Windows can.
import { getFfi } from '../native/ffi.ts';

/** Address of a COM object. */
export type ComObject = bigint;

/** A value with its type, as a method expects it. */
export type ComArgument = { readonly int: number } | { readonly float: number } | { readonly pointer: bigint | Buffer };

/** Types of VARIANT: VT_I4, VT_R4, VT_UI8 (which has the size of a pointer). */
const VARIANT = { int: 3, float: 4, pointer: 21 } as const;
const VARIANT_BYTES = 24;
const VARIANT_VALUE = 8;
const POINTER_BYTES = 8;
const STANDARD_CALL = 4;
/** Slots that all objects have. */
const SLOT = { query: 0, release: 2 } as const;
const ALL_CONTEXTS = 23;
const MULTITHREADED = 0;

/** A failed call, with Windows' number of the reason. */
export class ComError extends Error {
  override readonly name = 'ComError';
  readonly code: number;
  constructor(what: string, code: number) {
    super(`${what} failed with 0x${(code >>> 0).toString(16)}`);
    this.code = code;
  }
}

/** Encodes an identifier such as 'BCDE0395-E52F-467C-8E3D-C4579291692E'. */
export function encodeGuid(text: string): Buffer {
  const [first = '', second = '', third = '', fourth = '', fifth = ''] = text.split('-');
  const guid = Buffer.alloc(16);
  guid.writeUInt32LE(Number.parseInt(first, 16), 0);
  guid.writeUInt16LE(Number.parseInt(second, 16), 4);
  guid.writeUInt16LE(Number.parseInt(third, 16), 6);
  guid.write(fourth + fifth, 8, 'hex');
  return guid;
}

function encodeArgument(variant: Buffer, argument: ComArgument, getAddress: (buffer: Buffer) => bigint): number {
  if ('int' in argument) {
    variant.writeInt32LE(argument.int, VARIANT_VALUE);
    return VARIANT.int;
  }
  if ('float' in argument) {
    variant.writeFloatLE(argument.float, VARIANT_VALUE);
    return VARIANT.float;
  }
  const { pointer } = argument;
  variant.writeBigUInt64LE(Buffer.isBuffer(pointer) ? getAddress(pointer) : pointer, VARIANT_VALUE);
  return VARIANT.pointer;
}

/** Calls methods of COM objects by their position in the object's table. */
export interface Com {
  /**
   * Calls a method and returns its code: 0, or a positive one with a meaning of its own.
   * @throws ComError if it fails.
   */
  readonly call: (object: ComObject, slot: number, ...args: readonly ComArgument[]) => number;
  /** Methods whose last argument is where their result goes. */
  readonly getPointer: (object: ComObject, slot: number, ...args: readonly ComArgument[]) => bigint;
  readonly getInt: (object: ComObject, slot: number, ...args: readonly ComArgument[]) => number;
  readonly getFloat: (object: ComObject, slot: number, ...args: readonly ComArgument[]) => number;
  /** Returns a text that the method allocates, and frees it. */
  readonly getText: (object: ComObject, slot: number, ...args: readonly ComArgument[]) => string;
  /** Reads UTF-16 up to its zero; '' for the address 0. */
  readonly readText: (address: bigint) => string;
  /** Frees the value in a `PROPVARIANT`. */
  readonly clearProperty: (property: Buffer) => void;
  /** Returns another interface of the object. @throws ComError if it has none. */
  readonly query: (object: ComObject, interfaceId: string) => ComObject;
  readonly release: (object: ComObject) => void;
  /** Creates an object of a class that is registered on this computer. @throws ComError if there is none. */
  readonly create: (classId: string, interfaceId: string) => ComObject;
}

/**
 * Opens COM on this thread.
 * @throws Refusal if this Node is too old.
 */
export function openCom(): Com {
  const ffi = getFfi();
  const ole32 = ffi.dlopen('ole32.dll', {
    CoInitializeEx: { arguments: ['pointer', 'uint32'], return: 'int32' },
    CoCreateInstance: { arguments: ['buffer', 'pointer', 'uint32', 'buffer', 'buffer'], return: 'int32' },
    CoTaskMemFree: { arguments: ['pointer'], return: 'void' },
    PropVariantClear: { arguments: ['buffer'], return: 'int32' },
  }).functions;
  const { DispCallFunc } = ffi.dlopen('oleaut32.dll', {
    DispCallFunc: {
      arguments: ['pointer', 'uint64', 'uint32', 'uint16', 'uint32', 'buffer', 'buffer', 'buffer'],
      return: 'int32',
    },
  }).functions;
  ole32.CoInitializeEx(0n, MULTITHREADED);
  /** Keeps what Windows knows by its address from being garbage collected during a call. */
  const pinned: { values: readonly unknown[] } = { values: [] };

  function call(object: ComObject, slot: number, ...args: readonly ComArgument[]): number {
    const types = Buffer.alloc(2 * args.length + 2);
    const variants = Buffer.alloc(VARIANT_BYTES * (args.length + 1));
    const addresses = Buffer.alloc(POINTER_BYTES * (args.length + 1));
    pinned.values = [variants, args];
    const start = ffi.getRawPointer(variants);
    for (const [index, argument] of args.entries()) {
      const variant = variants.subarray(VARIANT_BYTES * index, VARIANT_BYTES * (index + 1));
      const type = encodeArgument(variant, argument, ffi.getRawPointer);
      variant.writeUInt16LE(type, 0);
      types.writeUInt16LE(type, 2 * index);
      addresses.writeBigUInt64LE(start + BigInt(VARIANT_BYTES * index), POINTER_BYTES * index);
    }
    const result = Buffer.alloc(VARIANT_BYTES);
    const offset = BigInt(slot * POINTER_BYTES);
    const code = DispCallFunc(object, offset, STANDARD_CALL, VARIANT.int, args.length, types, addresses, result);
    pinned.values = [];
    if (code !== 0) throw new ComError(`the call of method ${slot}`, code);
    const answer = result.readInt32LE(VARIANT_VALUE);
    if (answer < 0) throw new ComError(`method ${slot}`, answer);
    return answer;
  }
  function callWithResult(object: ComObject, slot: number, args: readonly ComArgument[]): Buffer {
    const result = Buffer.alloc(POINTER_BYTES);
    call(object, slot, ...args, { pointer: result });
    return result;
  }
  const getPointer: Com['getPointer'] = (object, slot, ...args) =>
    callWithResult(object, slot, args).readBigUInt64LE(0);
  function readText(address: bigint): string {
    if (address === 0n) return '';
    let length = 0;
    while (ffi.getUint16(address, 2 * length) !== 0) length += 1;
    return ffi.toBuffer(address, 2 * length).toString('utf16le');
  }
  return {
    call,
    getPointer,
    getInt: (object, slot, ...args) => callWithResult(object, slot, args).readInt32LE(0),
    getFloat: (object, slot, ...args) => callWithResult(object, slot, args).readFloatLE(0),
    getText: (object, slot, ...args) => {
      const address = getPointer(object, slot, ...args);
      try {
        return readText(address);
      } finally {
        ole32.CoTaskMemFree(address);
      }
    },
    readText,
    clearProperty: (property) => void ole32.PropVariantClear(property),
    query: (object, interfaceId) => getPointer(object, SLOT.query, { pointer: encodeGuid(interfaceId) }),
    release: (object) => void call(object, SLOT.release),
    create: (classId, interfaceId) => {
      const result = Buffer.alloc(POINTER_BYTES);
      const code = ole32.CoCreateInstance(encodeGuid(classId), 0n, ALL_CONTEXTS, encodeGuid(interfaceId), result);
      if (code < 0) throw new ComError('the creation of an object', code);
      return result.readBigUInt64LE(0);
    },
  };
}
