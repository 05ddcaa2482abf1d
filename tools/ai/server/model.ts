import type { APICallError, RetryError } from 'ai';
import { type FailedCall, sentenceOf } from './failure.ts';
import type { AiServer } from './settings.ts';

/** What comes of a model: text, a sign that it is at work on something that is not shown, or its end. */
export type Said =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'sign' }
  | { readonly kind: 'end'; readonly reason: string };

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
  /** Loads what asking needs, ahead of the first question. */
  readonly prepare: () => Promise<void>;
  /** @throws ModelFailure. Ends without an 'end' where `signal` aborts. */
  readonly ask: (prompt: string, signal: AbortSignal) => AsyncIterable<Said>;
}

const ANSWER_TOKENS = 4000;

/** Heavy, and of no use before somebody asks. */
const load = async () => {
  const [ai, { createOpenAICompatible }] = await Promise.all([import('ai'), import('@ai-sdk/openai-compatible')]);
  globalThis.AI_SDK_LOG_WARNINGS = false; // it would write them to the standard output
  return { ...ai, createOpenAICompatible };
};

interface Kinds {
  readonly APICallError: typeof APICallError;
  readonly RetryError: typeof RetryError;
}

/** The code of the innermost error that has one. */
const codeOf = (error: unknown): string | undefined => {
  if (!(error instanceof Error)) return undefined;
  const own = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return codeOf(error.cause) ?? own;
};

const failedCall = (error: unknown, kinds: Kinds): FailedCall => {
  if (kinds.RetryError.isInstance(error)) return failedCall(error.lastError, kinds);
  const code = codeOf(error);
  if (kinds.APICallError.isInstance(error)) return { status: error.statusCode, said: error.message, code };
  // An error that the AI server wrote into the stream; others quote what could not be read.
  const said = error instanceof Error && error.name === 'AI_StreamProviderError' ? error.message : '';
  return { status: undefined, said, code };
};

/** The model behind an OpenAI-compatible server. */
export const makeModel = (server: AiServer): Model => {
  let loading: ReturnType<typeof load> | undefined;
  const loaded = () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
  return {
    prepare: async () => void (await loaded()),
    ask: async function* ask(prompt, signal) {
      const { streamText, createOpenAICompatible, APICallError, RetryError } = await loaded();
      const provider = createOpenAICompatible({
        name: 'ai',
        baseURL: server.baseURL,
        ...(server.key === undefined ? {} : { apiKey: server.key }),
      });
      const failure = (error: unknown): ModelFailure => {
        const failed = failedCall(error, { APICallError, RetryError });
        return new ModelFailure(sentenceOf(failed, server.key), failed.status ?? failed.code);
      };
      const { stream } = streamText({
        model: provider(server.model),
        prompt,
        maxRetries: 1,
        maxOutputTokens: ANSWER_TOKENS,
        abortSignal: signal,
        onError: () => undefined, // it comes with the stream too; the standard way is to print it
      });
      try {
        for await (const part of stream) {
          if (part.type === 'text-delta') yield { kind: 'text', text: part.text };
          else if (part.type === 'reasoning-delta') yield { kind: 'sign' };
          else if (part.type === 'finish') yield { kind: 'end', reason: part.finishReason };
          else if (part.type === 'error') throw failure(part.error);
        }
      } catch (error) {
        if (signal.aborted) return;
        throw error instanceof ModelFailure ? error : failure(error);
      }
    },
  };
};
