import { realTimers, type Timers } from '#platform/server/schedule/timers.ts';
import type { ServerTool } from '#platform/server/tool.ts';
import { RESTARTED } from '../domain/answerOutcome.ts';
import { createAiHandlers, getAiRoom } from './aiHandlers.ts';
import { ANSWER_TIMEOUT_MS, createAnswers } from './answers.ts';
import { createAnswerStore } from './answerStore.ts';
import { migrations } from './migrations.ts';
import { createModel, getAiServer, aiSettings } from './model.ts';

/** An older running answer is of an instance that was killed. Waiting ones are in the queue for as long at most. */
const getOldestRunning = (now: Temporal.Instant): Temporal.Instant =>
  now.subtract({ milliseconds: 6 * ANSWER_TIMEOUT_MS });

/** Answers belong to a browser, not to an account, so exports and deletions of accounts ignore them. */
export function createAiTool(timers: Timers): ServerTool {
  return {
    name: 'ai',
    services: ['database', 'cluster', 'realtime', 'rateLimiter'],
    settings: aiSettings,
    migrations,
    start: ({ database, cluster, realtime, rateLimiter, log, now, environment }) => {
      const server = getAiServer(environment);
      const store = createAnswerStore(database);
      const answers = createAnswers({
        realtime,
        cluster,
        store,
        timers,
        log,
        now,
        model: server && createModel(server),
      });
      const ready = store
        .failRunning(RESTARTED.error ?? '', cluster.isShared ? getOldestRunning(now()) : undefined)
        .catch((error: unknown) => log.error({ err: error }, 'ai.answer.cleanup_failed'));
      return {
        calls: createAiHandlers({ rateLimiter, answers, ready }),
        // The id is fixed by docs/specification/platform.md section 3.2.
        rooms: [{ id: '0', getRoom: getAiRoom }],
        nightly: async () => {
          await store.removeExpired(now());
          if (cluster.isShared) await store.failRunning(RESTARTED.error ?? '', getOldestRunning(now()));
        },
        stop: async () => {
          await ready;
          await answers.close();
        },
      };
    },
  };
}

export const ai: ServerTool = createAiTool(realTimers);
