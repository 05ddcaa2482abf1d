import type { Socket } from 'socket.io';
import type { Timers } from '../schedule/timers.ts';

export const MAX_UNSENT_BYTES = 1024 * 1024;
export const MAX_UNSENT_AGE_MS = 15_000;

type Wire = Socket['conn'];

/** Watches what a socket has been sent and has not taken. */
export interface UnsentMonitor {
  /** Over 1 MiB, or over 15 s old. */
  readonly isOverLimit: () => boolean;
}

/** `tooMuch` is called as soon as a packet makes it more than 1 MiB. */
export const monitorUnsent = (socket: Socket, { now }: Timers, tooMuch: () => void): UnsentMonitor => {
  const wire: Wire = socket.conn;
  const line = socket.request.socket;
  let bytes = 0;
  let queuedSince: number | undefined;
  let flyingSince: number | undefined;
  const isOver = (): boolean => bytes + line.writableLength > MAX_UNSENT_BYTES;

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
    isOverLimit: () => isOver() || now() - (flyingSince ?? queuedSince ?? Infinity) >= MAX_UNSENT_AGE_MS,
  };
};
