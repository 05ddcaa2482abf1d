import { every, realTimers, type Timers } from '#platform/server/realtime/timers.ts';
import type { ServerTool } from '#platform/server/tool.ts';
import { RESTARTED } from '../domain/ending.ts';
import { makeAnswers } from './answers.ts';
import { calls } from './calls.ts';
import { migrations } from './migrations.ts';
import { makeModel } from './model.ts';
import { aiServerOf, aiSettings } from './settings.ts';
import { answerStore } from './store.ts';

const DAY_MS = 86_400_000;

/** Answers belong to a browser, not to an account: an account's export holds none, and they stay when it is deleted. Tests hand in timers that they turn. */
export const aiWith = (timers: Timers): ServerTool => ({
  name: 'ai',
  settings: aiSettings,
  migrations,
  start: ({ database, realtime, limits, log, now, environment }) => {
    const server = aiServerOf(environment);
    const store = answerStore(database);
    const answers = makeAnswers({ realtime, store, timers, log, now, model: server && makeModel(server) });
    const failed = (error: unknown): void => log.error({ err: error }, 'old answers not swept up');
    const sweep = async (): Promise<void> => store.removeOld(now()).catch(failed);
    const ready = store
      .failRunning(RESTARTED.error ?? '')
      .catch(failed)
      .then(sweep);
    const callOff = every(timers, DAY_MS, () => void sweep());
    return {
      calls: calls({ limits, answers, ready }),
      stop: async () => {
        callOff();
        await ready;
        await answers.close();
      },
    };
  },
});

export const ai: ServerTool = aiWith(realTimers);
