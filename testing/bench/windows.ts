import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DesktopSession } from '#platform/agent/drivers/desktopSession.ts';
import { PROSE, SIX_HUNDRED_CHARACTERS } from '../kits/desktop/sampleTexts.ts';
import { enterPairingCode, readUse, startWindowsAgent } from '../kits/desktop/windowsAgent.ts';
import type { Notepad } from '../kits/desktop/windowsHost.ts';
import { getWineSkipReason, startWindows, toWindowsPath, type WindowsDesktop } from '../kits/desktop/wine.ts';
import { signUpOwner } from './account.ts';
import { MAX_CORE_SHARE, MAX_FOCUS_MS, MAX_MEMORY_MB, RUNS, SETTLE_MS, USE_DURATION_MS } from './desktops.ts';
import { formatMs, formatPercent, percentile, runPegboard, type BenchFigure } from './measure.ts';

const MAX_SENDING_MS = 100;

/** Types into Notepad, in Node for Windows. */
function measureTyping(windows: WindowsDesktop) {
  return windows.run(
    async ({ values, sleep: wait }, texts) => {
      const session = values.get('session') as DesktopSession;
      const notepad = values.get('first') as Notepad;
      const sendingMs: number[] = [];
      let isExact = true;
      for (const text of texts) {
        notepad.setText('');
        const startedAt = performance.now();
        await session.keyboard.type(text);
        sendingMs.push(performance.now() - startedAt);
        while (notepad.getText() !== text && performance.now() - startedAt < 10_000) await wait(5);
        isExact &&= notepad.getText() === text;
      }
      return { sendingMs: sendingMs.slice(0, -1), isExact };
    },
    [...Array.from({ length: RUNS }, () => PROSE), SIX_HUNDRED_CHARACTERS],
  );
}

/** Changes the window in front, in Node for Windows. */
function measureFocusChange(windows: WindowsDesktop) {
  return windows.run(async ({ values, sleep: wait }, runs) => {
    const session = values.get('session') as DesktopSession;
    const notepads = ['first', 'second'].map((name) => values.get(name) as Notepad);
    const times: number[] = [];
    for (let run = 0; run < runs; run += 1) {
      const next = notepads[run % 2];
      const startedAt = performance.now();
      await next?.focus();
      while (session.windows.getActive()?.pid !== next?.child.pid && performance.now() - startedAt < 5000)
        await wait(1);
      times.push(performance.now() - startedAt);
    }
    return times;
  }, RUNS);
}

async function measureSession(windows: WindowsDesktop) {
  await windows.run(
    async (host, heldPath) => {
      host.values.set('session', await host.openSession({ heldPath }));
      host.values.set('first', await host.openNotepad());
    },
    toWindowsPath(join(windows.folder, 'held.json')),
  );
  const typing = await measureTyping(windows);
  await windows.run(async (host) => void host.values.set('second', await host.openNotepad()));
  const focusMs = await measureFocusChange(windows);
  await windows.run(async ({ values }) => {
    for (const name of ['first', 'second']) await (values.get(name) as Notepad).close();
    await (values.get('session') as DesktopSession)[Symbol.asyncDispose]();
  });
  return { ...typing, focusMs };
}

async function measureAgent(windows: WindowsDesktop) {
  await using server = await runPegboard();
  const owner = await signUpOwner(server.origin);
  await using bare = windows.startNode(['-e', 'setInterval(() => {}, 1000)']);
  await using agent = startWindowsAgent(windows, 'pair', server.origin, '--name', 'bench');
  await enterPairingCode(agent, owner);
  await sleep(SETTLE_MS);
  const before = readUse(agent);
  await sleep(USE_DURATION_MS);
  const after = readUse(agent);
  return {
    core: (after.coreSeconds - before.coreSeconds) / (USE_DURATION_MS / 1000),
    megabytes: after.megabytes,
    bareMegabytes: readUse(bare).megabytes,
  };
}

/** Measures on Windows under Wine; nothing if it is not installed. */
export async function measureWindows(): Promise<readonly BenchFigure[]> {
  const missing = getWineSkipReason();
  if (missing !== undefined) {
    process.stdout.write(`Windows is not measured: it ${missing}\n`);
    return [];
  }
  await using windows = await startWindows();
  const { sendingMs, isExact, focusMs } = await measureSession(windows);
  const { core, megabytes, bareMegabytes } = await measureAgent(windows);
  const ownMegabytes = megabytes - bareMegabytes;
  return [
    {
      name: 'Wine: 200 characters typed, until they are sent',
      target: `under ${MAX_SENDING_MS} ms`,
      measured: `p50 ${formatMs(percentile(sendingMs, 0.5))}, worst ${formatMs(Math.max(...sendingMs))}`,
      isTargetMet: percentile(sendingMs, 0.5) < MAX_SENDING_MS,
    },
    {
      name: 'Wine: these texts, and 600 different characters that the layout lacks',
      target: 'exact',
      measured: isExact ? 'exact' : 'another text',
      isTargetMet: isExact,
    },
    {
      name: 'Wine: change of the window in front until the agent knows it',
      target: `under ${MAX_FOCUS_MS} ms`,
      measured: `p50 ${formatMs(percentile(focusMs, 0.5))}, worst ${formatMs(Math.max(...focusMs))}`,
      isTargetMet: Math.max(...focusMs) < MAX_FOCUS_MS,
    },
    {
      name: "Wine: the agent's share of a core for 60 s at a desktop that nobody uses",
      target: 'under 0.5 %',
      measured: formatPercent(core),
      isTargetMet: core < MAX_CORE_SHARE,
    },
    {
      name: "Wine: the agent's memory beyond that of Node alone, which Wine copies whole",
      target: `under ${MAX_MEMORY_MB} MB`,
      measured: `${ownMegabytes.toFixed(0)} MB`,
      baseline: `${bareMegabytes.toFixed(0)} MB (Node alone)`,
      isTargetMet: ownMegabytes < MAX_MEMORY_MB,
    },
  ];
}
