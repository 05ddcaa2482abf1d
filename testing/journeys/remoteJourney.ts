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
import { startSoundServer } from '../kits/desktop/sound.ts';
import type { VirtualDesktop } from '../kits/desktop/virtualDesktop.ts';
import { startServer } from '../kits/server/server.ts';
import { openSocket } from '../kits/server/socket.ts';

/** A desktop on which the whole remote journey can be made. */
export interface JourneyDesktop
  extends Pick<VirtualDesktop, 'env' | 'name' | 'openTextWindow' | 'copyText' | 'pasteText'>, AsyncDisposable {
  /** What its keyboard can type, if it can't type everything. */
  readonly text?: string;
}

const ANY_TEXT = 'Grüße, "мир" — 你好 👋';

/** Defines the test of the whole remote journey on a desktop: pair, type, press, point, paste, mix, run, message. */
export function testRemoteJourney(openDesktop: () => Promise<JourneyDesktop>): void {
  test(
    'a phone pairs this computer, types on it, presses keys, moves the mouse, uses its clipboard, sets its volume, runs a script and gets its message',
    { timeout: 180_000 },
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'pegboard-journey-'));
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      await using desktop = await openDesktop();
      const text = desktop.text ?? ANY_TEXT;
      await using sound = await startSoundServer('pulseaudio');
      await using server = await startServer();
      const anna = await server.createAccount('anna');
      await using drivers = await openSystemDrivers({
        env: { ...desktop.env, PULSE_SERVER: sound.env['PULSE_SERVER'] },
        stateDir: folder,
      });
      expect(drivers.keyboard.ability).toEqual({ able: true });
      await using laptop = await startDevice(server, anna, { drivers });
      const { target } = laptop;
      await using phone = await openSocket(server, { token: anna.token });

      const { status } = await anna.call(checkdevices, {});
      expect(status.map(([id]) => id)).toEqual([target]);
      expect(drivers.system).toContain(desktop.name);

      let sentCount = 0;
      const send = (inputValue: string) =>
        anna.call(keyboardinput, {
          content: { inputtype: getInputType(inputValue), inputValue, target, timesent: ++sentCount },
        });
      {
        await using window = await desktop.openTextWindow('gtk');
        await waitFor('the agent sees a window', () => drivers.windows.getActive() ?? false);
        await send(text);
        await expect.poll(window.getText).toBe(text);
        await send('[[keys]]Ctrl-a');
        await phone.request(presskeys, { keys: ['Ctrl', 'x'], target });
        await expect.poll(window.getText).toBe('');
        await expect.poll(desktop.pasteText).toBe(text);

        await anna.call(sendclipboard, { content: { target, text: `from the phone: ${ANY_TEXT}` } });
        expect(await desktop.pasteText()).toBe(`from the phone: ${ANY_TEXT}`);
        await phone.request(presskeys, { keys: ['Ctrl', 'v'], target });
        await expect.poll(window.getText).toBe(`from the phone: ${ANY_TEXT}`);
        await desktop.copyText('copied there');
        await expect
          .poll(async () => (await anna.call(fetchclipboard, { content: { target } })).text)
          .toBe('copied there');
      }

      const stream = await sound.playSilence('Film');
      await waitFor('the agent has found the sound server', () => drivers.audio.ability.able);
      await waitFor(
        'the mixer shows it',
        async () => 'Film' in (await anna.call(mixerargs, { type: 'client', target })).data,
      );
      await phone.request(audioset, { audio: { Film: { level: 30, muted: true } }, target });
      await waitFor('it is muted', async () => (await stream.getInfo()).muted);

      await anna.call(fileupload, { content: { name: 'write.sh', text: `echo done > '${folder}/written'\n` } });
      await send('[[file]]write.sh');
      await waitFor(
        'the script has run',
        async () => (await readFile(join(folder, 'written'), 'utf8').catch(() => '')) === 'done\n',
      );

      await laptop.agent.call(devicemessage, { inputtype: 1, text: 'hello phone', key: crypto.randomUUID() });
      const { messages } = await anna.call(retrievemessages, { content: { target } });
      expect(JSON.stringify(messages)).toContain('hello phone');

      await waitFor('nobody uses the computer', async () => (await drivers.windows.getIdleMs()) > 1500);
      const turns = { left: 0, middle: 0, right: 0 };
      for (const x of [0, 20, 40])
        await phone.request(pointer, { stream: 1, x, y: 0, wheelX: 0, wheelY: 0, turns, target });
      await waitFor('the mouse moves', async () => (await drivers.windows.getIdleMs()) < 1000);
    },
  );
}
