import { afterAll, expect, test } from 'vitest';
import { startDevice } from '#testing/device.ts';
import { startServer, type TestAccount } from '#testing/server.ts';
import { checkdevices, renamedevice, revokedevice } from '#tools/devices/contract.ts';
import { keyboardinput } from '#tools/remote/contract.ts';

const server = await startServer();
afterAll(() => server[Symbol.asyncDispose]());

let sent = 1_800_000_000;
const send = (account: TestAccount, target: string, inputValue: string, timesent = (sent += 1)) =>
  account.call(keyboardinput, { content: { inputtype: 1, inputValue, target, timesent } });

test('a text reaches the agent and is answered once it is typed', async () => {
  const account = await server.account('anna');
  await using device = await startDevice(server, account);
  await send(account, device.target, 'Grüße 👋');
  expect(device.drivers.typed()).toEqual(['Grüße 👋']);
});
