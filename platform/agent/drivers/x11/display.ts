import x11, { type XClient, type XDisplay, type XEvent, type XTest } from 'x11';

const OPEN_TIMEOUT_MS = 5000;

/** Callback for a reply; returns true if it handled the error. */
export type Done<T> = (error: Error | null | undefined, value: T) => boolean;

/** Thrown if a display does not exist, or is gone. */
export class DisplayLostError extends Error {
  override readonly name = 'DisplayLostError';
}

/** A connection to an X server that can press keys and buttons. */
export interface Display extends AsyncDisposable {
  /** Such as ':0'. */
  readonly name: string;
  readonly x: XClient;
  readonly root: number;
  /** Size of the screen in pixels. */
  readonly width: number;
  readonly height: number;
  readonly minKeycode: number;
  readonly maxKeycode: number;
  /**
   * Sends a request and returns its reply.
   * @throws the X server's error, or `DisplayLostError`.
   */
  readonly request: <T>(send: (done: Done<T>) => void) => Promise<T>;
  /**
   * Waits until everything before it is done.
   * @throws the first error since the last call.
   */
  readonly sync: () => Promise<void>;
  /** @param delayMs how long the X server waits before this, and so before all later requests. */
  readonly fakeKey: (keycode: number, down: boolean, delayMs?: number) => void;
  readonly fakeButton: (button: number, down: boolean) => void;
  /** Moves the pointer by whole pixels. */
  readonly fakeMove: (dx: number, dy: number) => void;
  readonly fakeMoveTo: (x: number, y: number) => void;
  readonly onEvent: (listener: (event: XEvent) => void) => void;
  /** Registers a listener for the end of the connection on either side. */
  readonly onClosed: (listener: () => void) => void;
}

const connect = (name: string): Promise<XDisplay> =>
  new Promise((resolve, reject) => {
    const client = x11.createClient(
      { display: name, bufferRequests: true, shm: false, disableBigRequests: true },
      (error, display) => {
        clearTimeout(timeout);
        if (error) reject(new DisplayLostError(`The display ${name} cannot be opened`, { cause: error }));
        else resolve(display);
      },
    );
    // A refusal after the first handshake is emitted as an event, and would be thrown without a listener.
    client.on('error', reject);
    const timeout = setTimeout(
      () => reject(new DisplayLostError(`The display ${name} is not responding`)),
      OPEN_TIMEOUT_MS,
    );
  });

const requireXtest = (client: XClient): Promise<XTest> =>
  new Promise((resolve, reject) => {
    client.require('xtest', (error, extension) => {
      if (error) reject(error);
      else resolve(extension);
    });
  });

/**
 * Opens a display.
 * @throws if the display is missing, or lacks XTEST.
 */
export async function openDisplay(name: string): Promise<Display> {
  const { client: x, screen, min_keycode: minKeycode, max_keycode: maxKeycode } = await connect(name);
  // The library shares one table of atoms between all connections, but each X server has its own atoms.
  x.atoms = { ...x.atoms };
  const xtest = await requireXtest(x);
  const { root = 0, pixel_width: width = 0, pixel_height: height = 0 } = screen[0] ?? {};
  const pendingRejects = new Set<(error: Error) => void>();
  const closeListeners = new Set<() => void>();
  let firstError: Error | undefined;
  let isClosed = false;

  function close(): void {
    if (isClosed) return;
    isClosed = true;
    const error = new DisplayLostError(`The agent lost the display ${name}`);
    for (const reject of pendingRejects) reject(error);
    pendingRejects.clear();
    for (const listener of closeListeners) listener();
  }
  x.on('end', close);
  // Errors of requests without a reply arrive here; the next `sync` throws the first one.
  x.on('error', (error: Error & { readonly code?: string }) => {
    firstError ??= error;
    if (error.code !== undefined) close();
  });

  const sendRequest: Display['request'] = (send) =>
    new Promise((resolve, reject) => {
      if (isClosed) {
        reject(new DisplayLostError(`The agent lost the display ${name}`));
        return;
      }
      pendingRejects.add(reject);
      send((error, value) => {
        pendingRejects.delete(reject);
        if (error) reject(error);
        else resolve(value);
        return true;
      });
    });
  function sendFakeInput(type: number, detail: number, { dx = 0, dy = 0, delayMs = 0 } = {}): void {
    if (!isClosed) xtest.FakeInput(type, detail, delayMs, type === xtest.MotionNotify ? 0 : root, dx, dy);
  }

  return {
    name,
    x,
    root,
    width,
    height,
    minKeycode,
    maxKeycode,
    request: sendRequest,
    sync: async () => {
      await sendRequest((done) => x.GetInputFocus(done));
      const error = firstError;
      firstError = undefined;
      if (error) throw error;
    },
    fakeKey: (keycode, down, delayMs = 0) =>
      sendFakeInput(down ? xtest.KeyPress : xtest.KeyRelease, keycode, { delayMs }),
    fakeButton: (button, down) => sendFakeInput(down ? xtest.ButtonPress : xtest.ButtonRelease, button),
    fakeMove: (dx, dy) => sendFakeInput(xtest.MotionNotify, 1, { dx, dy }),
    fakeMoveTo: (toX, toY) => sendFakeInput(xtest.MotionNotify, 0, { dx: toX, dy: toY }),
    onEvent: (listener) => void x.on('event', listener),
    onClosed: (listener) => void closeListeners.add(listener),
    [Symbol.asyncDispose]: async () => {
      if (isClosed) return;
      const closed = new Promise<void>((done) => closeListeners.add(done));
      x.terminate();
      await closed;
    },
  };
}

/** Returns the numbers of atoms by their names. */
export async function internAtoms<Name extends string>(
  { x, request }: Display,
  names: readonly Name[],
): Promise<Readonly<Record<Name, number>>> {
  const pairs = names.map(
    async (name) => [name, await request<number>((done) => x.InternAtom(false, name, done))] as const,
  );
  return Object.fromEntries(await Promise.all(pairs)) as Record<Name, number>;
}

/** Parses the 32-bit numbers of a property. */
export function parseCardinals(data: Buffer): number[] {
  return Array.from({ length: Math.floor(data.length / 4) }, (_, index) => data.readUInt32LE(index * 4));
}
