import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openSystemDrivers } from '#platform/agent/drivers/systemDrivers.ts';
import { startProgram } from '#testing/journeys/program.ts';
import { waitFor, startDesktop, type TestDesktop } from '#testing/kits/desktop/desktop.ts';
import { startDevice } from '#testing/kits/desktop/device.ts';
import { startServer } from '#testing/kits/server/server.ts';
import { getSkipReason } from '#testing/machine.ts';

const skipReason = getSkipReason('Xvfb', 'openbox');
const LEFT_BUTTON = 0x100;
const CONTROL = 0x4;

/** Returns the inputs that the X server itself reports as held. */
async function getHeldInputs({ display }: TestDesktop): Promise<number> {
  const { keyMask } = await display.request<{ readonly keyMask: number }>((done) =>
    display.x.QueryPointer(display.root, done),
  );
  return keyMask & (LEFT_BUTTON | CONTROL);
}
const waitForHeld = (desktop: TestDesktop, mask: number): Promise<true> =>
  waitFor(`${mask} is held`, async () => (await getHeldInputs(desktop)) === mask);
const waitForRelease = (desktop: TestDesktop): Promise<true> =>
  waitFor('everything is released', async () => (await getHeldInputs(desktop)) === 0);

/** Starts a computer on a real X server, and a phone in its own process that holds an input there. */
async function startHoldingPhone(kind: 'tilt' | 'pad') {
  const desktop = await startDesktop();
  const stateDir = await mkdtemp(join(tmpdir(), 'pegboard-deadman-'));
  const drivers = await openSystemDrivers({ env: desktop.env, stateDir });
  const server = await startServer();
  const anna = await server.createAccount('anna');
  const device = await startDevice(server, anna, { drivers });
  const args = [join(import.meta.dirname, '../../../testing/load/phone.ts'), server.origin, anna.token, device.target];
  const phone = startProgram([...args, kind], process.env);
  await phone.waitForOutput(/ready/);
  await waitForHeld(desktop, kind === 'pad' ? LEFT_BUTTON | CONTROL : LEFT_BUTTON);
  let isServerRunning = true;
  return {
    desktop,
    phone,
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

describe.skipIf(skipReason)(`an input that a phone holds (${skipReason ?? 'on a real X server'})`, () => {
  for (const kind of ['tilt', 'pad'] as const) {
    test(`is released while the phone is suspended, and held again when it continues: ${kind}`, async () => {
      await using setup = await startHoldingPhone(kind);
      const startedAt = performance.now();
      setup.signal('SIGSTOP');
      await waitForRelease(setup.desktop);
      // Released because of the silence, not after the ten seconds that limit every hold.
      expect(performance.now() - startedAt).toBeLessThan(8000);
      setup.signal('SIGCONT');
      await waitForHeld(setup.desktop, kind === 'pad' ? LEFT_BUTTON | CONTROL : LEFT_BUTTON);
    });

    test(`is released when the phone is gone: ${kind}`, async () => {
      await using setup = await startHoldingPhone(kind);
      await setup.phone.end('SIGKILL');
      await waitForRelease(setup.desktop);
    });
  }

  test('is released when the computer loses its server', async () => {
    await using setup = await startHoldingPhone('tilt');
    await setup.stopServer();
    await waitForRelease(setup.desktop);
  });

  test('is released after ten seconds whatever the phone sends, and not pressed again by it', async () => {
    await using setup = await startHoldingPhone('tilt');
    const startedAt = performance.now();
    // A stalled phone is silent, which also releases, and it presses again. What counts is that the input stays
    // released.
    await waitFor('it stays released', async () => {
      for (let count = 0; count < 20; count++) {
        await new Promise((done) => setTimeout(done, 30));
        if ((await getHeldInputs(setup.desktop)) !== 0) return false;
      }
      return performance.now() - startedAt > 10_000;
    });
  });
});
