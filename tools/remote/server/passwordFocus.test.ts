import { expect, test } from 'vitest';
import { Refusal } from '#platform/contract/refusal.ts';
import { startDevice } from '#testing/kits/desktop/device.ts';
import { startServer } from '#testing/kits/server/server.ts';
import { openSocket } from '#testing/kits/server/socket.ts';
import { passwordFocusChanged, passwordfocus } from '../contract.ts';

test('pages know whether a password field has the focus, until the computer disconnects', async () => {
  await using server = await startServer();
  const anna = await server.createAccount('anna');
  const laptop = await startDevice(server, anna);
  const { target, drivers } = laptop;
  await using page = await openSocket(server, { token: anna.token });
  const changes: unknown[] = [];
  const toEvents = (...all: readonly boolean[]) => all.map((isFocused) => ({ target, isFocused }));
  page.raw.on(passwordFocusChanged.name, (data: unknown) => void changes.push(data));
  expect(await anna.call(passwordfocus, { target })).toEqual({ isFocused: false });

  drivers.focusPassword(true);
  await expect.poll(() => changes).toEqual(toEvents(true));
  expect(await anna.call(passwordfocus, { target })).toEqual({ isFocused: true });
  // Of rapid changes only the last one is reported.
  drivers.focusPassword(false);
  drivers.focusPassword(true);
  drivers.focusPassword(false);
  await expect.poll(() => changes).toEqual(toEvents(true, false));

  drivers.focusPassword(true);
  await expect.poll(() => changes).toEqual(toEvents(true, false, true));
  await laptop[Symbol.asyncDispose]();
  await using again = await startDevice(server, anna, { again: laptop });
  await expect.poll(() => changes).toEqual(toEvents(true, false, true, false));
  again.drivers.focusPassword(true);
  await expect.poll(() => changes).toEqual(toEvents(true, false, true, false, true));
});

test('a computer that does not allow typing reports nothing, and other accounts get no report', async () => {
  await using server = await startServer();
  const [anna, ben] = [await server.createAccount('anna'), await server.createAccount('ben')];
  await using laptop = await startDevice(server, anna, { allow: { keyboard: false } });
  await using desktop = await startDevice(server, anna, { name: 'Desktop' });
  laptop.drivers.focusPassword(true);
  desktop.drivers.focusPassword(true);
  await expect.poll(() => anna.call(passwordfocus, { target: desktop.target })).toEqual({ isFocused: true });
  expect(await anna.call(passwordfocus, { target: laptop.target })).toEqual({ isFocused: false });
  await expect(ben.call(passwordfocus, { target: desktop.target })).rejects.toThrow(
    new Refusal('device.not_found', 'There is no such device'),
  );
});
