import { resolve } from 'node:path';
import type { ClipboardDriver } from '#platform/agent/drivers/drivers.ts';
import type { openWindowsClipboard } from '#platform/agent/drivers/windows/clipboard.ts';
import { describeDesktop, describeVersions } from '../desktops/describeDesktop.ts';
import { getGnomeSkipReason, GNOME_SYSTEMS, startGnome } from '../kits/desktop/gnome.ts';
import { getKwinSkipReason, KWIN_SYSTEMS, startKwin } from '../kits/desktop/kwin.ts';
import { getLabwcSkipReason, startLabwc } from '../kits/desktop/sway.ts';
import { enterPairingCode, removeAgentData, startWindowsAgent, waitForEnd } from '../kits/desktop/windowsAgent.ts';
import type { Notepad } from '../kits/desktop/windowsHost.ts';
import {
  getWineSkipReason,
  startWindows,
  toWindowsPath,
  toWindowsUrl,
  WINDOWS_START_TIMEOUT_MS,
} from '../kits/desktop/wine.ts';
import type { TestAccount, TestServer } from '../kits/server/server.ts';
import { getSkipReason } from '../machine.ts';
import { testComputerJourney, testRemoteJourney, type JourneyComputer } from './remoteJourney.ts';

const skipReason = getSkipReason('pulseaudio', 'pacat');

describeVersions(
  'the remote journey on GNOME',
  GNOME_SYSTEMS,
  (system) => skipReason ?? getGnomeSkipReason(system),
  (system) => testRemoteJourney(() => startGnome({ system })),
);

describeDesktop('the remote journey on labwc', { missing: skipReason ?? getLabwcSkipReason(), isExtra: true }, () =>
  testRemoteJourney(startLabwc),
);

describeVersions(
  'the remote journey on KDE',
  KWIN_SYSTEMS,
  (system) => skipReason ?? getKwinSkipReason(system),
  (system) =>
    testRemoteJourney(async () => {
      const kwin = await startKwin(system);
      await kwin.setLayout('de,ru');
      return { ...kwin, ...(system.version < 6.7 && { text: 'Grüße, "мир"!' }) };
    }),
);

/** Pairs a Windows desktop, on which the agent is a program. */
async function pairWindows(server: TestServer, account: TestAccount): Promise<JourneyComputer> {
  await using opening = new AsyncDisposableStack();
  const windows = opening.use(await startWindows());
  await removeAgentData(windows);
  const flags = ['--allow-scripts', '--allow-clipboard'];
  const agent = opening.use(startWindowsAgent(windows, 'pair', server.origin, ...flags));
  const target = await enterPairingCode(agent, account);
  await windows.run(
    async ({ values, import: load }, url) => {
      const module = (await load(url)) as { readonly openWindowsClipboard: typeof openWindowsClipboard };
      values.set('clipboard', module.openWindowsClipboard());
    },
    toWindowsUrl(resolve('platform/agent/drivers/windows/clipboard.ts')),
  );
  const opened = opening.move();
  return {
    target,
    openTextWindow: async () => {
      await windows.run(async (host) => void host.values.set('notepad', await host.openNotepad()));
      return {
        getText: () => windows.run(({ values }) => (values.get('notepad') as Notepad).getText()),
        [Symbol.asyncDispose]: () => windows.run(({ values }) => (values.get('notepad') as Notepad).close()),
      };
    },
    copyText: (text) =>
      windows.run(({ values }, copied) => (values.get('clipboard') as ClipboardDriver).write(copied), text),
    pasteText: () => windows.run(({ values }) => (values.get('clipboard') as ClipboardDriver).read()),
    createScript: (path) => ({ name: 'write.cmd', text: `@echo done> "${toWindowsPath(path)}"\n` }),
    sendMessage: (text) => waitForEnd(startWindowsAgent(windows, 'send', text)),
    getIdleMs: () =>
      windows.run(({ openUser32, getFfi }) => {
        const { GetTickCount } = getFfi().dlopen('kernel32.dll', {
          GetTickCount: { arguments: [], return: 'uint32' },
        }).functions;
        const info = Buffer.alloc(8);
        info.writeUInt32LE(info.length, 0);
        openUser32().functions.GetLastInputInfo(info);
        return GetTickCount() - info.readUInt32LE(4);
      }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

describeDesktop('the remote journey on Windows', { missing: getWineSkipReason(), isExtra: true }, () =>
  testComputerJourney(pairWindows, WINDOWS_START_TIMEOUT_MS),
);
