// Events of file descriptors through Node's own event loop (libuv).
import { getFfi } from './ffi.ts';

const UV_POLL_HANDLE = 8;
const READABLE = 1;
const WRITABLE = 2;

export interface DescriptorWatch extends Disposable {
  /** Whether `onWritable` must be called as well. */
  readonly setWriting: (isWriting: boolean) => void;
}

export interface DescriptorListeners {
  readonly onReadable: () => void;
  readonly onWritable: () => void;
}

type LoopFunctions = ReturnType<typeof loadLoopFunctions>;
let loopFunctions: LoopFunctions | undefined;

const loadLoopFunctions = () =>
  getFfi().dlopen(null, {
    uv_poll_init: { arguments: ['pointer', 'buffer', 'int32'], return: 'int32' },
    uv_poll_start: { arguments: ['buffer', 'int32', 'pointer'], return: 'int32' },
    uv_poll_stop: { arguments: ['buffer'], return: 'int32' },
    uv_close: { arguments: ['buffer', 'pointer'], return: 'void' },
    uv_handle_size: { arguments: ['int32'], return: 'uint64' },
  });

function check(result: number, name: string): void {
  if (result !== 0) throw new Error(`${name} failed with ${result}`);
}

/** Handles that libuv still uses. Their memory must not be freed. */
const openHandles = new Set<Buffer>();

/**
 * Calls the listeners when a descriptor can be read or written. The descriptor must stay open until the watch is
 * disposed of.
 * @throws Refusal if this Node is too old.
 */
export function watchDescriptor(descriptor: number, { onReadable, onWritable }: DescriptorListeners): DescriptorWatch {
  const ffi = getFfi();
  const { lib, functions: uv } = (loopFunctions ??= loadLoopFunctions());
  const handle = Buffer.alloc(Number(uv.uv_handle_size(UV_POLL_HANDLE)));
  check(uv.uv_poll_init(ffi.getCurrentEventLoop(), handle, descriptor), 'uv_poll_init');
  openHandles.add(handle);
  let isClosed = false;
  let isQueued = false;
  let queuedEvents = 0;
  function runListeners(): void {
    isQueued = false;
    const events = queuedEvents;
    queuedEvents = 0;
    if (!isClosed && events & READABLE) onReadable();
    if (!isClosed && events & WRITABLE) onWritable();
  }
  const callback = lib.registerCallback(
    { arguments: ['pointer', 'int32', 'int32'], return: 'void' },
    (_handle, status, events) => {
      // Promises that are settled inside of a native callback would wait for another event.
      // An error is found by reading.
      queuedEvents |= status < 0 ? READABLE : events;
      if (!isQueued) setImmediate(runListeners);
      isQueued = true;
    },
  );
  const start = (events: number): void => check(uv.uv_poll_start(handle, events, callback), 'uv_poll_start');
  start(READABLE);
  return {
    setWriting: (isWriting) => {
      if (!isClosed) start(isWriting ? READABLE | WRITABLE : READABLE);
    },
    [Symbol.dispose]: () => {
      if (isClosed) return;
      isClosed = true;
      uv.uv_poll_stop(handle);
      const closed = lib.registerCallback({ arguments: ['pointer'], return: 'void' }, () => {
        openHandles.delete(handle);
        setImmediate(() => {
          lib.unregisterCallback(callback);
          lib.unregisterCallback(closed);
        });
      });
      uv.uv_close(handle, closed);
    },
  };
}
