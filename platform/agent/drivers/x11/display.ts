import x11, { type XClient, type XDisplay, type XEvent, type XTest } from 'x11';

const OPEN_TIMEOUT_MS = 5000;

type Done<T> = (error: Error | null | undefined, value: T) => boolean;

/** There is no such display, or it is no more. */
export class DisplayLostError extends Error {
  override readonly name = 'DisplayGone';
}

/** A connection to an X server that can press keys and buttons. */
export interface Display extends AsyncDisposable {
  /** Such as ':0'. */
  readonly name: string;
  readonly x: XClient;
  readonly root: number;
  /** The screen's size in pixels. */
  readonly width: number;
  readonly height: number;
  readonly minKeycode: number;
  readonly maxKeycode: number;
  /** Asks, and gives the reply. @throws the X server's error, or one that says the display went away. */
  readonly request: <T>(question: (done: Done<T>) => void) => Promise<T>;
  /** Everything before it is done. @throws the first error since the last one. */
  readonly sync: () => Promise<void>;
  readonly fakeKey: (keycode: number, down: boolean) => void;
  readonly fakeButton: (button: number, down: boolean) => void;
  /** Whole pixels, relative. */
  readonly fakeMove: (dx: number, dy: number) => void;
  readonly fakeMoveTo: (x: number, y: number) => void;
  readonly onEvent: (then: (event: XEvent) => void) => void;
  /** Runs when the connection is gone, whoever ended it. */
  readonly onClosed: (then: () => void) => void;
}

const connect = (name: string): Promise<XDisplay> =>
  new Promise((resolve, reject) => {
    const client = x11.createClient(
      { display: name, bufferRequests: true, shm: false, disableBigRequests: true },
      (error, display) => {
        clearTimeout(patience);
        if (error) reject(new DisplayLostError(`The display ${name} cannot be opened`, { cause: error }));
        else resolve(display);
      },
    );
    // A refusal after the first hello comes as an event, and one that nobody hears is thrown.
    client.on('error', reject);
    const patience = setTimeout(
      () => reject(new DisplayLostError(`The display ${name} does not answer`)),
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

/** @throws where there is no such display, or it lets nobody press keys (no XTEST). */
export async function openDisplay(name: string): Promise<Display> {
  const { client: x, screen, min_keycode: minKeycode, max_keycode: maxKeycode } = await connect(name);
  // The library keeps the atoms of all connections in one table, and another X server has other ones.
  x.atoms = { ...x.atoms };
  const xtest = await requireXtest(x);
  const { root = 0, pixel_width: width = 0, pixel_height: height = 0 } = screen[0] ?? {};
  const waiting = new Set<(error: Error) => void>();
  const closers = new Set<() => void>();
  let failed: Error | undefined;
  let isClosed = false;

  const close = (): void => {
    if (isClosed) return;
    isClosed = true;
    const gone = new DisplayLostError(`The display ${name} went away`);
    for (const reject of waiting) reject(gone);
    waiting.clear();
    for (const then of closers) then();
  };
  x.on('end', close);
  // Errors of requests without a reply come here; the next `sync` tells of the first.
  x.on('error', (error: Error & { readonly code?: string }) => {
    failed ??= error;
    if (error.code !== undefined) close();
  });

  const ask: Display['request'] = (question) =>
    new Promise((resolve, reject) => {
      if (isClosed) {
        reject(new DisplayLostError(`The display ${name} went away`));
        return;
      }
      waiting.add(reject);
      question((error, value) => {
        waiting.delete(reject);
        if (error) reject(error);
        else resolve(value);
        return true;
      });
    });
  const fake = (type: number, detail: number, dx = 0, dy = 0): void => {
    if (!isClosed) xtest.FakeInput(type, detail, 0, type === xtest.MotionNotify ? 0 : root, dx, dy);
  };

  return {
    name,
    x,
    root,
    width,
    height,
    minKeycode,
    maxKeycode,
    request: ask,
    sync: async () => {
      await ask((done) => x.GetInputFocus(done));
      const error = failed;
      failed = undefined;
      if (error) throw error;
    },
    fakeKey: (keycode, down) => fake(down ? xtest.KeyPress : xtest.KeyRelease, keycode),
    fakeButton: (button, down) => fake(down ? xtest.ButtonPress : xtest.ButtonRelease, button),
    fakeMove: (dx, dy) => fake(xtest.MotionNotify, 1, dx, dy),
    fakeMoveTo: (toX, toY) => fake(xtest.MotionNotify, 0, toX, toY),
    onEvent: (then) => void x.on('event', then),
    onClosed: (then) => void closers.add(then),
    [Symbol.asyncDispose]: async () => {
      if (isClosed) return;
      const gone = new Promise<void>((done) => closers.add(done));
      x.terminate();
      await gone;
    },
  };
}
