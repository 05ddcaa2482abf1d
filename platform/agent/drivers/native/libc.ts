// Sockets that pass file descriptors, which Node's own can't. Structures are those of Linux on 64-bit machines.
import { writeFileSync } from 'node:fs';
import { getFfi } from './ffi.ts';

const AF_UNIX = 1;
const SOCK_STREAM = 1;
const CLOSE_ON_EXEC = 0o2000000;
const SOL_SOCKET = 1;
const SCM_RIGHTS = 1;
const MSG_DONTWAIT = 0x40;
const MSG_NOSIGNAL = 0x4000;
const MSG_CMSG_CLOEXEC = 0x40000000;
const MFD_CLOEXEC = 1;
const EINTR = 4;
const EAGAIN = 11;

/** Sizes of sockaddr_un, iovec, msghdr and cmsghdr. */
const ADDRESS_BYTES = 110;
const IOVEC_BYTES = 16;
const MESSAGE_HEADER_BYTES = 56;
const CONTROL_HEADER_BYTES = 16;
const DESCRIPTOR_BYTES = 4;
/** The path of a socket, and the zero after it, must fit into its address. */
const MAX_PATH_BYTES = ADDRESS_BYTES - 3;

const RECEIVE_BYTES = 64 * 1024;
/** The kernel passes at most 253 descriptors at once. */
const CONTROL_BYTES = 1024;

/** What arrived on a socket: bytes, and the file descriptors that came with them. */
export interface Received {
  readonly data: Buffer;
  readonly descriptors: readonly number[];
}

/** The functions of the C library that drivers need. Failures are errors with the name of the function. */
export interface Libc {
  /**
   * Connects to a socket of this computer and returns its descriptor.
   * @throws if nothing listens there.
   */
  readonly connect: (path: string) => number;
  /** Sends bytes with file descriptors. Returns how many bytes were sent; 0 if the receiver is too slow now. */
  readonly send: (descriptor: number, data: Buffer, descriptors: readonly number[]) => number;
  /** Returns undefined if nothing has arrived, and 'end' if the other side has closed. Descriptors must be closed. */
  readonly receive: (descriptor: number) => Received | 'end' | undefined;
  /** Creates a file in memory with this content and returns its descriptor. */
  readonly createMemoryFile: (content: Buffer) => number;
  /** Creates a pipe and returns the descriptors of its two ends. */
  readonly createPipe: () => { readonly readEnd: number; readonly writeEnd: number };
  /** Returns another descriptor of the same file. */
  readonly duplicate: (descriptor: number) => number;
  readonly close: (descriptor: number) => void;
}

let opened: Libc | undefined;

/**
 * Opens the C library of this program.
 * @throws Refusal if this Node is too old.
 */
export function openLibc(): Libc {
  return (opened ??= loadLibc());
}

/** Rounds up to the alignment of control messages. */
const align = (bytes: number): number => (bytes + 7) & ~7;

function encodeAddress(path: string): Buffer {
  const bytes = Buffer.from(path);
  if (bytes.length > MAX_PATH_BYTES) throw new Error(`the path of a socket is too long: ${path}`);
  const address = Buffer.alloc(ADDRESS_BYTES);
  address.writeUInt16LE(AF_UNIX, 0);
  bytes.copy(address, 2);
  return address;
}

function encodeDescriptors(descriptors: readonly number[]): Buffer {
  const length = CONTROL_HEADER_BYTES + DESCRIPTOR_BYTES * descriptors.length;
  const control = Buffer.alloc(align(length));
  control.writeBigUInt64LE(BigInt(length), 0);
  control.writeInt32LE(SOL_SOCKET, 8);
  control.writeInt32LE(SCM_RIGHTS, 12);
  for (const [index, descriptor] of descriptors.entries())
    control.writeInt32LE(descriptor, CONTROL_HEADER_BYTES + DESCRIPTOR_BYTES * index);
  return control;
}

/** Reads the file descriptors out of control messages. */
export function decodeDescriptors(control: Buffer): readonly number[] {
  const descriptors: number[] = [];
  for (let start = 0; start + CONTROL_HEADER_BYTES <= control.length;) {
    const length = Number(control.readBigUInt64LE(start));
    if (length < CONTROL_HEADER_BYTES) break;
    const end = Math.min(start + length, control.length);
    if (control.readInt32LE(start + 8) === SOL_SOCKET && control.readInt32LE(start + 12) === SCM_RIGHTS)
      for (let at = start + CONTROL_HEADER_BYTES; at + DESCRIPTOR_BYTES <= end; at += DESCRIPTOR_BYTES)
        descriptors.push(control.readInt32LE(at));
    start += align(length);
  }
  return descriptors;
}

function loadLibc(): Libc {
  const ffi = getFfi();
  const { functions: c } = ffi.dlopen(null, {
    socket: { arguments: ['int32', 'int32', 'int32'], return: 'int32' },
    connect: { arguments: ['int32', 'buffer', 'uint32'], return: 'int32' },
    sendmsg: { arguments: ['int32', 'buffer', 'int32'], return: 'int64' },
    recvmsg: { arguments: ['int32', 'buffer', 'int32'], return: 'int64' },
    memfd_create: { arguments: ['string', 'uint32'], return: 'int32' },
    pipe2: { arguments: ['buffer', 'int32'], return: 'int32' },
    dup: { arguments: ['int32'], return: 'int32' },
    close: { arguments: ['int32'], return: 'int32' },
    __errno_location: { arguments: [], return: 'pointer' },
  });
  const getErrorNumber = (): number => ffi.getInt32(c.__errno_location(), 0);
  const createError = (name: string): Error => new Error(`${name} failed with error number ${getErrorNumber()}`);

  const vector = Buffer.alloc(IOVEC_BYTES);
  const header = Buffer.alloc(MESSAGE_HEADER_BYTES);
  /** What the kernel knows by its address during a call: otherwise it may be collected as garbage. */
  const pinned: { values: readonly Buffer[] } = { values: [] };
  /** Writes the message header, which the next call uses. */
  function encodeMessageHeader(data: Buffer, control: Buffer): void {
    pinned.values = [data, control];
    vector.writeBigUInt64LE(ffi.getRawPointer(data), 0);
    vector.writeBigUInt64LE(BigInt(data.length), 8);
    header.fill(0);
    header.writeBigUInt64LE(ffi.getRawPointer(vector), 16);
    header.writeBigUInt64LE(1n, 24);
    if (control.length === 0) return;
    header.writeBigUInt64LE(ffi.getRawPointer(control), 32);
    header.writeBigUInt64LE(BigInt(control.length), 40);
  }
  /** Repeats a call that a signal interrupted. Returns undefined if it would have to wait. */
  function callWithoutWaiting(name: string, call: () => bigint): number | undefined {
    for (;;) {
      const count = Number(call());
      if (count >= 0) return count;
      const error = getErrorNumber();
      if (error === EAGAIN) return undefined;
      if (error !== EINTR) throw createError(name);
    }
  }
  function connect(path: string): number {
    const address = encodeAddress(path);
    const descriptor = c.socket(AF_UNIX, SOCK_STREAM | CLOSE_ON_EXEC, 0);
    if (descriptor < 0) throw createError('socket');
    if (c.connect(descriptor, address, 2 + Buffer.byteLength(path) + 1) === 0) return descriptor;
    const error = createError(`connecting to ${path}`);
    c.close(descriptor);
    throw error;
  }
  function send(descriptor: number, data: Buffer, descriptors: readonly number[]): number {
    const control = descriptors.length === 0 ? Buffer.alloc(0) : encodeDescriptors(descriptors);
    encodeMessageHeader(data, control);
    return callWithoutWaiting('sendmsg', () => c.sendmsg(descriptor, header, MSG_DONTWAIT | MSG_NOSIGNAL)) ?? 0;
  }
  const received = Buffer.alloc(RECEIVE_BYTES);
  const receivedControl = Buffer.alloc(CONTROL_BYTES);
  function receive(descriptor: number): Received | 'end' | undefined {
    encodeMessageHeader(received, receivedControl);
    const count = callWithoutWaiting('recvmsg', () => c.recvmsg(descriptor, header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC));
    if (count === undefined) return undefined;
    if (count === 0) return 'end';
    const control = receivedControl.subarray(0, Number(header.readBigUInt64LE(40)));
    return { data: Buffer.from(received.subarray(0, count)), descriptors: decodeDescriptors(control) };
  }
  function createMemoryFile(content: Buffer): number {
    const descriptor = c.memfd_create('pegboard', MFD_CLOEXEC);
    if (descriptor < 0) throw createError('memfd_create');
    try {
      writeFileSync(descriptor, content);
    } catch (error) {
      c.close(descriptor);
      throw error;
    }
    return descriptor;
  }
  function createPipe(): { readonly readEnd: number; readonly writeEnd: number } {
    const ends = Buffer.alloc(2 * DESCRIPTOR_BYTES);
    if (c.pipe2(ends, CLOSE_ON_EXEC) !== 0) throw createError('pipe2');
    return { readEnd: ends.readInt32LE(0), writeEnd: ends.readInt32LE(DESCRIPTOR_BYTES) };
  }
  function duplicate(descriptor: number): number {
    const copy = c.dup(descriptor);
    if (copy < 0) throw createError('dup');
    return copy;
  }
  const close = (descriptor: number): void => void c.close(descriptor);
  return { connect, send, receive, createMemoryFile, createPipe, duplicate, close };
}
