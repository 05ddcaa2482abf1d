import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startDevice, type TestDevice } from '#testing/kits/desktop/device.ts';
import { startServer, type TestAccount, type TestServer } from '#testing/kits/server/server.ts';
import { type CheckStep, openselfcheck, runselfcheckstep } from '../contract.ts';

describe('a self-check', () => {
  let server: TestServer;
  let anna: TestAccount;
  let device: TestDevice;
  beforeAll(async () => {
    server = await startServer({ rateLimits: false });
    anna = await server.createAccount('anna');
    device = await startDevice(server, anna);
  });
  afterAll(async () => {
    await device[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  async function start() {
    const [path = ''] = await device.agent.runSubcommand('try', []);
    const search = new URL(path, server.origin).searchParams;
    return { device: Number(search.get('device')), run: search.get('run') ?? '' };
  }
  const run = async (step: CheckStep, account = anna) => account.call(runselfcheckstep, { ...(await start()), step });

  test('the page learns what the computer says about itself', async () => {
    const answer = await anna.call(openselfcheck, await start());
    expect(answer).toMatchObject({ name: device.name, system: 'Fake computer', version: 'test' });
    expect(answer.runtime).toMatch(/^Node \d+\.\d+\.\d+, linux /);
  });

  test('a step is done on the computer, and the characters that it can not type are named', async () => {
    device.drivers.behave({ drops: ['👋'] });
    expect(await run({ kind: 'type', text: 'Grüße 👋' })).toMatchObject({ dropped: ['👋'] });
    device.drivers.behave('well');
    expect(device.drivers.listTypedTexts().at(-1)).toBe('Grüße ');
  });

  test('another account can neither open the check nor run a step', async () => {
    const ben = await server.createAccount('ben');
    const actionCount = device.drivers.actions.length;
    const target = await start();
    await expect(ben.call(openselfcheck, target)).rejects.toThrow('There is no such device');
    await expect(run({ kind: 'type', text: 'x' }, ben)).rejects.toThrow('There is no such device');
    expect(device.drivers.actions).toHaveLength(actionCount);
  });

  test('the computer refuses steps of a check that was not started there, or is not the newest', async () => {
    const earlier = await start();
    await start();
    const actionCount = device.drivers.actions.length;
    const step: CheckStep = { kind: 'type', text: 'x' };
    for (const id of [earlier.run, crypto.randomUUID()])
      await expect(anna.call(runselfcheckstep, { device: earlier.device, run: id, step })).rejects.toThrow(
        'This check has ended. Run `agent try` on the computer again',
      );
    expect(device.drivers.actions).toHaveLength(actionCount);
  });

  test('a paused computer starts no check, and refuses the steps of one', async () => {
    const target = await start();
    device.setPaused(true);
    await expect(device.agent.runSubcommand('try', [])).rejects.toThrow('Run `resume` first');
    await expect(anna.call(runselfcheckstep, { ...target, step: { kind: 'type', text: 'x' } })).rejects.toThrow(
      'paused',
    );
    device.setPaused(false);
  });
});
