import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '#platform/contract/client.ts';
import { modifyapplicationcatinfo, reportusage } from '#tools/screentime/contract.ts';
import { waitFor, startDesktop, type TestDesktop } from '../kits/desktop/desktop.ts';
import { startSoundServer, type TestStream, type TestSoundServer } from '../kits/desktop/sound.ts';
import { signUpOwner } from './account.ts';
import { startAgent } from './agent.ts';
import { formatP50P99, percentile, runPegboard, runBaseline, type Bench, type RunningServer } from './measure.ts';
import { watchVolume } from './watchVolume.ts';

const PRESSES = 200;
/** Delay between two presses, so that each is measured separately. */
const PRESS_INTERVAL_MS = 20;
/** Time until early presses, from before the hotkeys were registered, are handled. */
const SETTLE_MS = 500;
/** Keycodes of the us layout. */
const keys = { u: 30, d: 40 } as const;

interface TestStage {
  readonly desktop: TestDesktop;
  readonly sound: TestSoundServer;
  readonly film: TestStream;
}

/** Presses up and down in turn; returns milliseconds until another program sees the new level. */
async function measurePresses({ desktop, sound, film }: TestStage): Promise<readonly number[]> {
  let level = -1;
  let onLevel: (() => void) | undefined;
  const client = await watchVolume(sound, film, (received) => {
    level = received;
    onLevel?.();
  });
  async function press(key: keyof typeof keys): Promise<void> {
    desktop.display.fakeKey(keys[key], true);
    desktop.display.fakeKey(keys[key], false);
    await desktop.display.sync();
  }
  await waitFor('the keys are listened for', async () => {
    await press('u');
    return level !== -1;
  });
  await sleep(SETTLE_MS);
  const times: number[] = [];
  for (let index = 0; index < PRESSES; index += 1) {
    const previousLevel = level;
    const startedAt = performance.now();
    const received = new Promise<void>((resolve) => {
      onLevel = () => level !== previousLevel && resolve();
    });
    await press(index % 2 === 0 ? 'd' : 'u');
    await received;
    times.push(performance.now() - startedAt);
    await sleep(PRESS_INTERVAL_MS);
  }
  client.close();
  return times;
}

/** Reports the application as used, as it must be known before it can be sorted. */
async function reportFilm(server: RunningServer): Promise<void> {
  const settings = join(server.dataDir, 'agent', 'config', 'pegboard', 'agent.json');
  const { token } = JSON.parse(readFileSync(settings, 'utf8')) as { readonly token: string };
  const until = Date.now();
  const segments = [{ app: 'pacat', status: 's' as const, from: until - 1000, until }];
  await createClient({ origin: server.origin, token: () => token })(reportusage, {
    boot: 'of-this-bench',
    seq: 1,
    segments,
  });
}

async function measurePegboard(stage: TestStage): Promise<readonly number[]> {
  await using server = await runPegboard({ RATE_LIMITS: 'off' });
  const owner = await signUpOwner(server.origin);
  await using _agent = await startAgent(server, owner, { ...stage.sound.env, DISPLAY: stage.desktop.name });
  await reportFilm(server);
  await owner.call(modifyapplicationcatinfo, {
    keys: { Films: { up: 'u', down: 'd', mute: '' } },
    cats: { Films: ['pacat'] },
  });
  return await measurePresses(stage);
}

async function measureBaseline(stage: TestStage): Promise<readonly number[]> {
  await using _baseline = await runBaseline('hotkey', {
    DISPLAY: stage.desktop.name,
    PULSE_SERVER: stage.sound.env['PULSE_SERVER'] ?? '',
    STREAM: String(stage.film.index),
  });
  return await measurePresses(stage);
}

/** Measures on a separate X server and sound server, with a stream of silence. */
export const hotkeyBench: Bench = {
  name: 'hotkey',
  run: async () => {
    await using desktop = await startDesktop();
    desktop.setLayout('us');
    await using sound = await startSoundServer('pulseaudio');
    await using film = await sound.playSilence('Film', { volume: 32_768 });
    const stage = { desktop, sound, film };
    const baseline = await measureBaseline(stage);
    const pegboard = await measurePegboard(stage);
    return [
      {
        name: 'hotkey pressed to the volume as another program of the computer sees it',
        target: 'p50 under 10 ms',
        measured: formatP50P99(pegboard),
        baseline: `${formatP50P99(baseline)} (a grab that runs pactl)`,
        isTargetMet: percentile(pegboard, 0.5) < 10,
      },
    ];
  },
};
