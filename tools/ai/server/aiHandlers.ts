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
import { aianswers, aiq, aiqLong, aistop, MAX_PROMPT_LENGTH } from '../contract.ts';
import type { Answers } from './answers.ts';

/** Restores the typed prompt: the specified client does not encode it, so it may have invalid '%' escapes. */
export function restoreTypedPrompt(q: string): string {
  return decodePercent(q) === undefined
    ? q.replaceAll(/(?:%[\da-f]{2})+/gi, (escapes) => decodePercent(escapes) ?? escapes)
    : q;
}

/** @throws Refusal if the prompt is empty or too long. */
export function validatePrompt(prompt: string): void {
  if (prompt.trim() === '') throw new Refusal('ai.prompt_empty', 'Enter a prompt');
  const length = countCodePoints(prompt);
  if (length > MAX_PROMPT_LENGTH)
    throw new Refusal(
      'ai.prompt_too_long',
      `The prompt is too long. Enter at most ${MAX_PROMPT_LENGTH.toLocaleString('en')} characters`,
    );
}

/** Returns the room of a browser: by its cookie or its address (docs/specification/platform.md section 3.3). */
export function getAiRoom(caller: Pick<Caller, 'address' | 'cookie'>): Room {
  const visitor = getVisitorKey(caller);
  return visitor === undefined ? `ai:address-${caller.address}` : `ai:browser-${visitor}`;
}

/** Rates of docs/design/reliability.md section 8.3. */
const SESSION_RATES = [{ times: 30, seconds: 60 }];
const VISITOR_RATES = [
  { times: 10, seconds: 60 },
  { times: 100, seconds: DAY_SECONDS },
];

interface AiHandlersDeps {
  readonly rateLimiter: RateLimiter;
  readonly answers: Answers;
  /** Settles when the answers of the previous server run are cleaned up. */
  readonly ready: Promise<unknown>;
}

export function createAiHandlers({ rateLimiter, answers, ready }: AiHandlersDeps): readonly Handler[] {
  /**
   * Counts requests by GET and POST together.
   * @throws RateLimitError
   */
  async function consumeRate({ session, address, isLocal }: Caller): Promise<void> {
    const key = session === undefined ? `address ${getAddressKey(address)}` : `session ${session}`;
    for (const rate of session === undefined ? VISITOR_RATES : SESSION_RATES)
      await rateLimiter.consume('aiq', key, scaleRate(rate, isLocal));
  }
  async function ask(q: string, caller: Caller) {
    await consumeRate(caller);
    if (answers.isConfigured) validatePrompt(q);
    await ready;
    return answers.ask(getAiRoom(caller), q);
  }
  return [
    handle(aiq, async ({ q }, caller) => ask(restoreTypedPrompt(q), caller)),
    handle(aiqLong, async ({ q }, caller) => ask(q, caller)),
    handle(aistop, async ({ answerid }, caller) => {
      await answers.stop(getAiRoom(caller), answerid);
    }),
    handle(aianswers, async ({ only }, caller) => {
      await ready;
      return { configured: answers.isConfigured, answers: await answers.list(getAiRoom(caller), only === 'running') };
    }),
  ];
}
