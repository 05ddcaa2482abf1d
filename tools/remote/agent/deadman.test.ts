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

/** The inputs that the X server itself reports as held. */
const heldOn = async ({ display }: TestDesktop): Promise<number> => {
  const { keyMask } = await display.request<{ readonly keyMask: number }>((done) =>
    display.x.QueryPointer(display.root, done),
  );
  return keyMask & (LEFT_BUTTON | CONTROL);
};
const isHeld = (desktop: TestDesktop, what: number): Promise<true> =>
  waitFor(`${what} is held`, async () => (await heldOn(desktop)) === what);
const isLetGo = (desktop: TestDesktop): Promise<true> =>
  waitFor('everything is let go', async () => (await heldOn(desktop)) === 0);

/** A computer on a real X server, and a phone in its own process that holds an input there. */
const holdingPhone = async (kind: 'tilt' | 'pad') => {
  const desktop = await startDesktop();
  const stateDir = await mkdtemp(join(tmpdir(), 'pegboard-deadman-'));
  const drivers = await openSystemDrivers({ env: desktop.env, stateDir });
  const server = await startServer();
  const anna = await server.createAccount('anna');
  const device = await startDevice(server, anna, { drivers });
  const args = [join(import.meta.dirname, '../../../testing/load/phone.ts'), server.origin, anna.token, device.target];
  const phone = startProgram([...args, kind], process.env);
  await phone.waitForOutput(/ready/);
  await isHeld(desktop, kind === 'pad' ? LEFT_BUTTON | CONTROL : LEFT_BUTTON);
  let hasServer = true;
  return {
    desktop,
    phone,
    signal: (name: NodeJS.Signals) => void (phone.child.pid && process.kill(phone.child.pid, name)),
    endServer: async () => {
      hasServer = false;
      await server[Symbol.asyncDispose]();
    },
    [Symbol.asyncDispose]: async () => {
      await phone.end('SIGKILL');
      await device[Symbol.asyncDispose]();
      await drivers[Symbol.asyncDispose]();
      if (hasServer) await server[Symbol.asyncDispose]();
      await desktop[Symbol.asyncDispose]();
      await rm(stateDir, { recursive: true });
    },
  };
};

describe.skipIf(skipReason)(`what a phone holds (${skipReason ?? 'on a real X server'})`, () => {
  for (const kind of ['tilt', 'pad'] as const) {
    test(`is released when the phone is stopped in the middle, and held again when it goes on: ${kind}`, async () => {
      await using work = await holdingPhone(kind);
      const began = performance.now();
      work.signal('SIGSTOP');
      await isLetGo(work.desktop);
      // Released because of the silence, not after the ten seconds that limit every hold.
      expect(performance.now() - began).toBeLessThan(8000);
      work.signal('SIGCONT');
      await isHeld(work.desktop, kind === 'pad' ? LEFT_BUTTON | CONTROL : LEFT_BUTTON);
    });

    test(`is released when the phone is gone: ${kind}`, async () => {
      await using work = await holdingPhone(kind);
      await work.phone.end('SIGKILL');
      await isLetGo(work.desktop);
    });
  }

  test('is released when the computer loses its server', async () => {
    await using work = await holdingPhone('tilt');
    await work.endServer();
    await isLetGo(work.desktop);
  });

  test('is released after ten seconds whatever the phone sends, and not pressed again by it', async () => {
    await using work = await holdingPhone('tilt');
    const began = performance.now();
    // A stalled phone is silent, which also releases, and it presses again. What counts is that the input stays
    // released.
    await waitFor('it stays let go', async () => {
      for (let look = 0; look < 20; look++) {
        await new Promise((done) => setTimeout(done, 30));
        if ((await heldOn(work.desktop)) !== 0) return false;
      }
      return performance.now() - began > 10_000;
    });
  });
});
