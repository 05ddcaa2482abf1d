import { DAY_SECONDS } from '#platform/contract/duration.ts';
import { countCodePoints } from '#platform/contract/fields.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { decodePercent } from '#platform/contract/text.ts';
import { getAddressKey } from '#platform/server/http/address.ts';
import { scaleRate } from '#platform/server/http/callRoutes.ts';
import type { RateLimiter } from '#platform/server/http/rateLimiter.ts';
import { getVisitorKey } from '#platform/server/identity/visitor.ts';
import type { Room } from '#platform/server/realtime/realtime.ts';
import { handle, type Caller, type Handler } from '#platform/server/tool.ts';
import { aianswers, aiq, aiqLong, aistop, PROMPT_LIMIT } from '../contract.ts';
import type { Answers } from './answers.ts';

/**
 * Restores a prompt as it was typed. The specified client doesn't encode it in the address, so an invalid '%' escape
 * leaves it all unchanged.
 */
export function restoreTypedPrompt(q: string): string {
  return decodePercent(q) === undefined
    ? q.replaceAll(/(?:%[\da-f]{2})+/gi, (escapes) => decodePercent(escapes) ?? escapes)
    : q;
}

/**
 * Checks the length of a prompt.
 * @throws Refusal if it is empty or too long.
 */
export function checkPrompt(prompt: string): void {
  if (prompt.trim() === '') throw new Refusal('ai.prompt_empty', 'Enter a prompt');
  const length = countCodePoints(prompt);
  if (length > PROMPT_LIMIT)
    throw new Refusal(
      'ai.prompt_too_long',
      `The prompt is too long. Enter at most ${PROMPT_LIMIT.toLocaleString('en')} characters`,
    );
}

/**
 * Returns the room for answers of the calling browser: by its cookie, or else by its address
 * (docs/specification/platform.md section 3.3).
 */
export function getAiRoom(caller: Pick<Caller, 'address' | 'cookie'>): Room {
  const visitor = getVisitorKey(caller);
  return visitor === undefined ? `ai:address-${caller.address}` : `ai:browser-${visitor}`;
}

/** Rates of docs/design/reliability.md section 8.3. */
const SIGNED_IN = [{ times: 30, seconds: 60 }];
const VISITOR = [
  { times: 10, seconds: 60 },
  { times: 100, seconds: DAY_SECONDS },
];

interface AiHandlersDeps {
  readonly limits: RateLimiter;
  readonly answers: Answers;
  /** Settles when answers of the previous server run are cleaned up. */
  readonly ready: Promise<unknown>;
}

export function createAiHandlers({ limits, answers, ready }: AiHandlersDeps): readonly Handler[] {
  /**
   * Counts both ways to ask as one.
   * @throws RateLimitError
   */
  const count = async ({ session, address, isLocal }: Caller): Promise<void> => {
    const key = session === undefined ? `address ${getAddressKey(address)}` : `session ${session}`;
    for (const rate of session === undefined ? VISITOR : SIGNED_IN)
      await limits.consume('aiq', key, scaleRate(rate, isLocal));
  };
  const ask = async (q: string, caller: Caller) => {
    await count(caller);
    if (answers.isConfigured) checkPrompt(q);
    await ready;
    return answers.ask(getAiRoom(caller), q);
  };
  return [
    handle(aiq, async ({ q }, caller) => ask(restoreTypedPrompt(q), caller)),
    handle(aiqLong, async ({ q }, caller) => ask(q, caller)),
    handle(aistop, async ({ answerid }, caller) => {
      answers.stop(getAiRoom(caller), answerid);
      return {};
    }),
    handle(aianswers, async ({ only }, caller) => {
      await ready;
      return { configured: answers.isConfigured, answers: await answers.list(getAiRoom(caller), only === 'running') };
    }),
  ];
}
