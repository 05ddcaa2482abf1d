import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { describe, test } from 'vitest';
import { openSystemDrivers } from '#platform/agent/drivers/systemDrivers.ts';
import { startProgram } from '#testing/journeys/program.ts';
import { waitFor, startDesktop } from '#testing/kits/desktop/desktop.ts';
import { startDevice } from '#testing/kits/desktop/device.ts';
import { openInputWatcher, startSway } from '#testing/kits/desktop/sway.ts';
import { startServer } from '#testing/kits/server/server.ts';
import { getSkipReason } from '#testing/machine.ts';

const LEFT_BUTTON = 0x100;
const CONTROL = 0x4;

/** What a phone holds, as each desktop itself reports it. */
type HeldInput = 'left button' | 'Ctrl';
const INPUTS_BY_KIND: Readonly<Record<'tilt' | 'pad', readonly HeldInput[]>> = {
  tilt: ['left button'],
  pad: ['left button', 'Ctrl'],
};

interface WatchedDesktop extends AsyncDisposable {
  readonly env: NodeJS.ProcessEnv;
  readonly readHeld: () => Promise<readonly HeldInput[]>;
}

const listHeldInputs = (isButtonDown: boolean, isCtrlDown: boolean): readonly HeldInput[] => [
  ...(isButtonDown ? (['left button'] as const) : []),
  ...(isCtrlDown ? (['Ctrl'] as const) : []),
];

async function startX11(): Promise<WatchedDesktop> {
  const desktop = await startDesktop();
  const { x, root, request } = desktop.display;
  return {
    env: desktop.env,
    readHeld: async () => {
      const { keyMask } = await request<{ readonly keyMask: number }>((done) => x.QueryPointer(root, done));
      return listHeldInputs((keyMask & LEFT_BUTTON) !== 0, (keyMask & CONTROL) !== 0);
    },
    [Symbol.asyncDispose]: () => desktop[Symbol.asyncDispose](),
  };
}

async function startWatchedSway(): Promise<WatchedDesktop> {
  const sway = await startSway();
  const watcher = await openInputWatcher(sway);
  return {
    env: sway.env,
    readHeld: async () => {
      const held = watcher.listDown();
      return listHeldInputs(held.includes('button 272'), held.includes(`modifiers ${CONTROL}`));
    },
    [Symbol.asyncDispose]: async () => {
      await watcher[Symbol.asyncDispose]();
      await sway[Symbol.asyncDispose]();
    },
  };
}

/** Sooner than after the ten seconds that limit every hold. */
const MAX_RELEASE_MS = 7000;

/** Starts a computer, and a phone in its own process that holds inputs there. */
async function startHoldingPhone(kind: 'tilt' | 'pad', start = startX11) {
  const desktop = await start();
  const stateDir = await mkdtemp(join(tmpdir(), 'pegboard-deadman-'));
  const drivers = await openSystemDrivers({ env: desktop.env, stateDir });
  const server = await startServer();
  const anna = await server.createAccount('anna');
  const device = await startDevice(server, anna, { drivers });
  const args = [join(import.meta.dirname, '../../../testing/load/phone.ts'), server.origin, anna.token, device.target];
  const phone = startProgram([...args, kind], process.env);
  await phone.waitForOutput(/ready/);
  const waitForHeld = () =>
    waitFor('it is held', async () => isDeepStrictEqual(await desktop.readHeld(), INPUTS_BY_KIND[kind]));
  await waitForHeld();
  let isServerRunning = true;
  return {
    desktop,
    phone,
    waitForHeld,
    waitForRelease: () =>
      waitFor('everything is released', async () => (await desktop.readHeld()).length === 0, MAX_RELEASE_MS),
    signal: (name: NodeJS.Signals) => void (phone.child.pid && process.kill(phone.child.pid, name)),
    stopServer: async () => {
      isServerRunning = false;
      await server[Symbol.asyncDispose]();
    },
    [Symbol.asyncDispose]: async () => {
      await phone.end('SIGKILL');
      await device[Symbol.asyncDispose]();
      await drivers[Symbol.asyncDispose]();
      if (isServerRunning) await server[Symbol.asyncDispose]();
      await desktop[Symbol.asyncDispose]();
      await rm(stateDir, { recursive: true });
    },
  };
}

const xSkipReason = getSkipReason('Xvfb', 'openbox');
describe.skipIf(xSkipReason)(`an input that a phone holds (${xSkipReason ?? 'on a real X server'})`, () => {
  for (const kind of ['tilt', 'pad'] as const) {
    test(`is released while the phone is suspended, and held again when it continues: ${kind}`, async () => {
      await using setup = await startHoldingPhone(kind);
      setup.signal('SIGSTOP');
      await setup.waitForRelease();
      setup.signal('SIGCONT');
      await setup.waitForHeld();
    });

    test(`is released when the phone is gone: ${kind}`, async () => {
      await using setup = await startHoldingPhone(kind);
      await setup.phone.end('SIGKILL');
      await setup.waitForRelease();
    });
  }

  test('is released after ten seconds whatever the phone sends, and not pressed again by it', async () => {
    await using setup = await startHoldingPhone('tilt');
    const startedAt = performance.now();
    // A stalled phone is silent, which also releases, and it presses again. What counts is that the input stays
    // released.
    await waitFor('it stays released', async () => {
      for (let count = 0; count < 20; count++) {
        await new Promise((done) => setTimeout(done, 30));
        if ((await setup.desktop.readHeld()).length > 0) return false;
      }
      return performance.now() - startedAt > 10_000;
    });
  });
});

const swaySkipReason = getSkipReason('sway', 'foot', 'xkbcli', 'setpriv');
describe.each([
  { name: 'X11', start: startX11, skipReason: xSkipReason },
  { name: 'sway', start: startWatchedSway, skipReason: swaySkipReason },
])('$name', ({ start, skipReason }) => {
  describe.skipIf(skipReason)(`an input that a phone holds${skipReason === undefined ? '' : `: ${skipReason}`}`, () => {
    test.each(['tilt', 'pad'] as const)('is released when the computer loses its server: %s', async (kind) => {
      await using setup = await startHoldingPhone(kind, start);
      await setup.stopServer();
      await setup.waitForRelease();
    });
  });
});
