import { startAgent } from '#platform/agent/agent.ts';
import type { AudioState } from '#platform/agent/drivers/drivers.ts';
import { createFakeDrivers, type FakeDrivers } from '#platform/agent/drivers/fakeDrivers.ts';
import type { AllowedAbilities } from '#platform/agent/tool.ts';
import { agentTools } from '../agent/tools.ts';
import { applyAction, createScreenState, type ScreenState } from './screenState.ts';

const SOUND: AudioState = {
  outputs: [{ name: 'Master', level: 65, muted: false, colour: '#3b82c4', device: 'Built-in speakers' }],
  sessions: [
    { name: 'Music player', level: 80, muted: false, colour: '#2e9e5b' },
    { name: 'Firefox', level: 45, muted: false, colour: '#e07b39' },
    { name: 'Signal', level: 100, muted: false, colour: '#4f6bd8' },
    { name: 'Luanti', level: 30, muted: true, colour: '#8b5cf6' },
  ],
};

/** Scripts would really run on this computer, so they stay off. */
const ALLOWED: AllowedAbilities = {
  keyboard: true,
  mouse: true,
  sound: true,
  usage: true,
  messages: true,
  notifications: true,
  clipboard: true,
  scripts: false,
  capture: true,
};

export interface SimulatedComputer extends AsyncDisposable {
  readonly drivers: FakeDrivers;
  /** Yields the screen now, and after each change. A slow reader gets only the newest state. */
  readonly watchScreen: () => AsyncGenerator<ScreenState>;
  /** Connects the agent to the server. Resolves when the server has accepted it. */
  readonly connect: (server: {
    readonly origin: string;
    readonly token: string;
    readonly version: string;
    readonly stateDir: string;
  }) => Promise<void>;
}

/** Creates a real agent on drivers that only record their commands. */
export function createSimulatedComputer(): SimulatedComputer {
  const drivers = createFakeDrivers('Debian 13, X11 (simulated)');
  drivers.play(SOUND);
  drivers.copy('Tickets: https://example.org/tickets/4711');
  drivers.showWindows([
    { id: 1, application: 'Writer', pid: undefined, title: 'Letter.txt' },
    { id: 2, application: 'Firefox', pid: undefined, title: 'Train timetable' },
    { id: 3, application: 'Music player', pid: undefined },
  ]);
  let screen = createScreenState(SOUND);
  let appliedCount = 0;
  const closing = new AbortController();
  let change = Promise.withResolvers<void>();
  let agent: AsyncDisposable | undefined;

  function notifyReaders(): void {
    change.resolve();
    change = Promise.withResolvers();
  }
  async function followActions(): Promise<void> {
    while (!closing.signal.aborted) {
      await drivers.waitForActions((actions) => actions.length > appliedCount);
      for (const action of drivers.actions.slice(appliedCount)) {
        appliedCount += 1;
        screen = applyAction(screen, action, { count: appliedCount, sound: drivers.audio.getState() });
      }
      notifyReaders();
    }
  }
  void followActions();

  async function* watchScreen(): AsyncGenerator<ScreenState> {
    while (!closing.signal.aborted) {
      const next = change.promise;
      yield screen;
      await next;
    }
  }

  const connect: SimulatedComputer['connect'] = async ({ origin, token, version, stateDir }) => {
    const welcome = Promise.withResolvers<void>();
    agent = startAgent({
      origin,
      token,
      version,
      drivers,
      allowed: ALLOWED,
      tools: agentTools,
      stateDir,
      print: () => undefined,
      onWelcome: () => welcome.resolve(),
      onEnd: (reason) => welcome.reject(new Error(`the server refused the simulated computer: ${reason}`)),
    });
    await welcome.promise;
  };

  return {
    drivers,
    watchScreen,
    connect,
    [Symbol.asyncDispose]: async () => {
      closing.abort();
      notifyReaders();
      await agent?.[Symbol.asyncDispose]();
    },
  };
}
