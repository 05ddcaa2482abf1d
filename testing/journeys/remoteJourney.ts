import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openSystemDrivers } from '#platform/agent/drivers/systemDrivers.ts';
import { getInputType } from '#platform/contract/message.ts';
import { fetchclipboard, sendclipboard } from '#tools/clipboard/contract.ts';
import { checkdevices } from '#tools/devices/contract.ts';
import { devicemessage, retrievemessages } from '#tools/messages/contract.ts';
import { audioset, mixerargs } from '#tools/mixer/contract.ts';
import { fileupload, keyboardinput, pointer, presskeys } from '#tools/remote/contract.ts';
import { waitFor } from '../kits/desktop/desktop.ts';
import { startDevice } from '../kits/desktop/device.ts';
import { startSoundServer, type TestStream } from '../kits/desktop/sound.ts';
import type { VirtualDesktop } from '../kits/desktop/virtualDesktop.ts';
import { startServer, type TestAccount, type TestServer } from '../kits/server/server.ts';
import { openSocket } from '../kits/server/socket.ts';

/** A window on the computer, which has the focus and takes text. */
interface JourneyWindow extends AsyncDisposable {
  readonly getText: () => string | Promise<string>;
}

/** A computer that is paired with an account, and what happens there. */
export interface JourneyComputer extends AsyncDisposable {
  readonly target: string;
  /** What its keyboard can type, if it can't type everything. */
  readonly text?: string;
  readonly openTextWindow: () => Promise<JourneyWindow>;
  /** Puts a text on its clipboard, like another program. */
  readonly copyText: (text: string) => Promise<void>;
  readonly pasteText: () => Promise<string>;
  /** Starts a program that plays silence; undefined if it has no sound. */
  readonly playSilence?: (name: string) => Promise<Pick<TestStream, 'getInfo'>>;
  /** Returns a script that writes 'done' to a file, by a path of this computer. */
  readonly createScript: (path: string) => { readonly name: string; readonly text: string };
  /** Sends a message as somebody at the computer does. */
  readonly sendMessage: (text: string) => Promise<unknown>;
  readonly getIdleMs: () => Promise<number>;
}

/** A desktop of this computer on which the whole remote journey can be made. */
export interface JourneyDesktop
  extends
    Pick<VirtualDesktop, 'env' | 'name' | 'openTextWindow' | 'copyText' | 'pasteText'>,
    Pick<JourneyComputer, 'text'>,
    AsyncDisposable {}

type OpenComputer = (server: TestServer, account: TestAccount) => Promise<JourneyComputer>;

/** Pairs a desktop of this computer: the agent runs in this process. */
function pairDesktop(openDesktop: () => Promise<JourneyDesktop>): OpenComputer {
  return async (server, account) => {
    await using opening = new AsyncDisposableStack();
    const folder = mkdtempSync(join(tmpdir(), 'pegboard-journey-'));
    opening.defer(() => rmSync(folder, { recursive: true, force: true }));
    const desktop = opening.use(await openDesktop());
    const sound = opening.use(await startSoundServer('pulseaudio'));
    const drivers = opening.use(
      await openSystemDrivers({
        env: { ...desktop.env, PULSE_SERVER: sound.env['PULSE_SERVER'] },
        stateDir: folder,
      }),
    );
    expect(drivers.keyboard.ability).toEqual({ able: true });
    expect(drivers.system).toContain(desktop.name);
    const { agent, target } = opening.use(await startDevice(server, account, { drivers }));
    const opened = opening.move();
    return {
      ...desktop,
      target,
      openTextWindow: async () => {
        const window = await desktop.openTextWindow('gtk');
        await waitFor('the agent sees a window', () => drivers.windows.getActive() ?? false);
        return window;
      },
      playSilence: async (name) => {
        const stream = await sound.playSilence(name);
        await waitFor('the agent has found the sound server', () => drivers.audio.ability.able);
        return stream;
      },
      createScript: (path) => ({ name: 'write.sh', text: `echo done > '${path}'\n` }),
      sendMessage: (text) => agent.call(devicemessage, { inputtype: 1, text, key: crypto.randomUUID() }),
      getIdleMs: drivers.windows.getIdleMs,
      [Symbol.asyncDispose]: () => opened.disposeAsync(),
    };
  };
}

const ANY_TEXT = 'Grüße, "мир" — 你好 👋';

/** Defines the test of the whole remote journey on a desktop of this computer. */
export function testRemoteJourney(openDesktop: () => Promise<JourneyDesktop>): void {
  testComputerJourney(pairDesktop(openDesktop));
}

/** Defines the test of the whole remote journey: pair, type, press, point, paste, mix, run, message. */
export function testComputerJourney(openComputer: OpenComputer, timeoutMs = 180_000): void {
  test(
    'a phone pairs this computer, types on it, presses keys, moves the mouse, uses its clipboard, sets its volume, runs a script and gets its message',
    { timeout: timeoutMs },
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'pegboard-journey-'));
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      await using server = await startServer();
      const anna = await server.createAccount('anna');
      await using computer = await openComputer(server, anna);
      const { target, text = ANY_TEXT } = computer;
      await using phone = await openSocket(server, { token: anna.token });

      const { status } = await anna.call(checkdevices, {});
      expect(status.map(([id]) => id)).toEqual([target]);

      let sentCount = 0;
      const send = (inputValue: string) =>
        anna.call(keyboardinput, {
          content: { inputtype: getInputType(inputValue), inputValue, target, timesent: ++sentCount },
        });
      {
        await using window = await computer.openTextWindow();
        await send(text);
        await expect.poll(window.getText).toBe(text);
        await send('[[keys]]Ctrl-a');
        await phone.request(presskeys, { keys: ['Ctrl', 'x'], target });
        await expect.poll(window.getText).toBe('');
        await expect.poll(computer.pasteText).toBe(text);

        await anna.call(sendclipboard, { content: { target, text: `from the phone: ${ANY_TEXT}` } });
        expect(await computer.pasteText()).toBe(`from the phone: ${ANY_TEXT}`);
        await phone.request(presskeys, { keys: ['Ctrl', 'v'], target });
        await expect.poll(window.getText).toBe(`from the phone: ${ANY_TEXT}`);
        await computer.copyText('copied there');
        await expect
          .poll(async () => (await anna.call(fetchclipboard, { content: { target } })).text)
          .toBe('copied there');
      }

      const stream = await computer.playSilence?.('Film');
      if (stream) {
        // On a busy computer the agent may still be looking for the sound server, and refuses.
        await expect
          .poll(async () => (await anna.call(mixerargs, { type: 'client', target })).data)
          .toHaveProperty('Film');
        await phone.request(audioset, { audio: { Film: { level: 30, muted: true } }, target });
        await waitFor('it is muted', async () => (await stream.getInfo()).muted);
      }

      const path = join(folder, 'written');
      const script = computer.createScript(path);
      await anna.call(fileupload, { content: script });
      await send(`[[file]]${script.name}`);
      await waitFor('the script has run', async () => (await readFile(path, 'utf8').catch(() => '')).trim() === 'done');

      await computer.sendMessage('hello phone');
      const { messages } = await anna.call(retrievemessages, { content: { target } });
      expect(JSON.stringify(messages)).toContain('hello phone');

      await waitFor('nobody uses the computer', async () => (await computer.getIdleMs()) > 1500);
      const turns = { left: 0, middle: 0, right: 0 };
      for (const x of [0, 20, 40])
        await phone.request(pointer, { stream: 1, x, y: 0, wheelX: 0, wheelY: 0, turns, target });
      await waitFor('the mouse moves', async () => (await computer.getIdleMs()) < 1000);
    },
  );
}
