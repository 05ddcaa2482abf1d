import { setTimeout as delay } from 'node:timers/promises';
import {
  CompletionError,
  CompletionReader,
  errorWords,
  NotACompletion,
  type CompletionPart,
} from './completionReader.ts';
import { sentenceOf, type FailedCall } from './failure.ts';
import type { AiServer } from './settings.ts';

/** The AI server did not answer as it should; `message` is a sentence for whoever asked. */
export class ModelFailure extends Error {
  override readonly name = 'ModelFailure';
  /** HTTP status or network code, for the log. */
  readonly code: string | number | undefined;
  constructor(message: string, code: string | number | undefined) {
    super(message); // no cause: that holds the prompt and the key
    this.code = code;
  }
}

export interface Model {
  /** @throws ModelFailure. Ends without an 'end' where `signal` aborts. */
  readonly ask: (prompt: string, signal: AbortSignal) => AsyncIterable<CompletionPart>;
}

const ANSWER_TOKENS = 4000;
const RETRY_DELAY_MS = 1000;
const MAX_ERROR_LENGTH = 10_000;

/** The code of the innermost error that has one. */
const codeOf = (error: unknown): string | undefined => {
  if (!(error instanceof Error)) return undefined;
  const own = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return codeOf(error.cause) ?? own;
};

const failedCall = (error: unknown): FailedCall => {
  const kind = error instanceof NotACompletion ? 'not a completion' : 'failed';
  return { kind, status: undefined, said: error instanceof CompletionError ? error.message : '', code: codeOf(error) };
};

/** The AI server's own words for an error, in any of the usual shapes. */
const errorText = async (response: Response): Promise<string> => {
  const body = (await response.text().catch(() => '')).slice(0, MAX_ERROR_LENGTH);
  try {
    return errorWords(JSON.parse(body));
  } catch {
    return body.trimStart().startsWith('<') ? '' : body;
  }
};

const isWorthARetry = (status: number): boolean => [408, 409, 429].includes(status) || status >= 500;

async function* read(response: Response): AsyncIterable<CompletionPart> {
  const reader = new CompletionReader();
  const body = response.body?.pipeThrough(new TextDecoderStream());
  // Some servers leave the connection open behind the end.
  for await (const characters of body ?? []) {
    yield* reader.read(characters);
    if (reader.hasEnded) break;
  }
  yield* reader.end();
}

/** Creates the model behind a server that speaks OpenAI's chat completions. */
export function createModel(server: AiServer): Model {
  const failure = (failed: FailedCall): ModelFailure =>
    new ModelFailure(sentenceOf(failed, server.key), failed.status ?? failed.code);

  const request = (prompt: string, signal: AbortSignal): Promise<Response> =>
    fetch(`${server.baseURL.replace(/\/+$/, '')}/chat/completions`, {
      method: 'POST',
      signal,
      headers: {
        'content-type': 'application/json',
        ...(server.key === undefined ? {} : { authorization: `Bearer ${server.key}` }),
      },
      body: JSON.stringify({
        model: server.model,
        max_tokens: ANSWER_TOKENS,
        messages: [{ role: 'user', content: prompt }],
        stream: true,
      }),
    });

  /** Asks, and once more where the AI server is busy or out of order for a moment. */
  const connect = async (prompt: string, signal: AbortSignal): Promise<Response> => {
    const first = await request(prompt, signal).catch((error: unknown) => {
      if (signal.aborted) throw error;
      return undefined;
    });
    if (first && !isWorthARetry(first.status)) return first;
    await first?.body?.cancel();
    await delay(RETRY_DELAY_MS, undefined, { signal });
    return request(prompt, signal);
  };

  return {
    ask: async function* ask(prompt, signal) {
      try {
        const response = await connect(prompt, signal);
        if (!response.ok)
          throw failure({ kind: 'failed', status: response.status, said: await errorText(response), code: undefined });
        yield* read(response);
      } catch (error) {
        if (signal.aborted) return;
        throw error instanceof ModelFailure ? error : failure(failedCall(error));
      }
    },
  };
}
