import type { Socket } from 'socket.io';
import type { Timers } from './timers.ts';

export const UNSENT_LIMIT_BYTES = 1024 * 1024;
export const UNSENT_PATIENCE_MS = 15_000;

type Wire = Socket['conn'];

/** Watches what a socket has been sent and has not taken. */
export interface Unsent {
  /** Over 1 MiB, or over 15 s old. */
  readonly isTooMuch: () => boolean;
}

/** `tooMuch` is called as soon as a packet makes it more than 1 MiB. */
export const watchUnsent = (socket: Socket, { now }: Timers, tooMuch: () => void): Unsent => {
  const wire: Wire = socket.conn;
  const line = socket.request.socket;
  let bytes = 0;
  let queuedSince: number | undefined;
  let flyingSince: number | undefined;
  const isOver = (): boolean => bytes + line.writableLength > UNSENT_LIMIT_BYTES;

  wire.on('packetCreate', ({ data }: { readonly data?: unknown }) => {
    if (typeof data === 'string') bytes += data.length;
    else if (data instanceof Uint8Array) bytes += data.byteLength;
    queuedSince ??= now();
    if (isOver()) tooMuch();
  });
  wire.on('flush', () => {
    bytes = 0;
    flyingSince = queuedSince;
    queuedSince = undefined;
  });
  wire.transport.on('drain', () => {
    flyingSince = undefined;
  });
  return {
    isTooMuch: () => isOver() || now() - (flyingSince ?? queuedSince ?? Infinity) >= UNSENT_PATIENCE_MS,
  };
};
