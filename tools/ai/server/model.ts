import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import { getErrorCode } from '#platform/server/storage/errorCode.ts';
import {
  CompletionError,
  CompletionReader,
  findErrorMessage,
  NotACompletion,
  type CompletionPart,
} from './completionReader.ts';

/** A failed call to the AI server. */
export interface FailedCall {
  /** 'not a completion': the response is something else, such as a web page. */
  readonly kind: 'failed' | 'not a completion';
  /** HTTP status; undefined if there was no response. */
  readonly status: number | undefined;
  /** Error message of the AI server. */
  readonly message: string;
  /** Code of the network error, such as ECONNREFUSED. */
  readonly code: string | undefined;
}

const CONNECTION_LOST_MESSAGE = 'The connection to the AI server was lost before the answer was complete';
const NOT_A_COMPLETION_MESSAGE =
  'The response is not from an AI server. Ask the owner of this server to check AI_BASE_URL, which usually ends with /v1';
const MAX_MESSAGE_LENGTH = 200;

/** Formats the server's error message as one short line without the API key. */
function formatServerMessage(message: string, key: string | undefined): string {
  const redacted = key === undefined ? message : message.replaceAll(key, '***');
  const line = redacted.replaceAll(/\s+/g, ' ').trim();
  return line.length > MAX_MESSAGE_LENGTH ? `${line.slice(0, MAX_MESSAGE_LENGTH).toWellFormed()}…` : line;
}

const messageByStatus: Readonly<Record<number, string>> = {
  401: 'The AI server refused the key. Ask the owner of this server to check AI_API_KEY',
  403: 'The AI server refused the key. Ask the owner of this server to check AI_API_KEY',
  404: 'The AI server has no such model or address. Ask the owner of this server to check AI_MODEL and AI_BASE_URL',
  429: 'The AI server is busy. Try again in a moment',
};

/** Explains a failed call in a sentence for the user. */
export function explainFailure({ kind, status, message, code }: FailedCall, key: string | undefined): string {
  if (kind === 'not a completion') return NOT_A_COMPLETION_MESSAGE;
  const sentence = status === undefined ? undefined : messageByStatus[status];
  if (sentence !== undefined) return sentence;
  const serverMessage = formatServerMessage(message, key);
  const ending = serverMessage === '' ? '' : `: ${serverMessage}`;
  if (status !== undefined && status >= 400) return `The AI server responded with status ${status}${ending}`;
  if (code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'UND_ERR_BODY_TIMEOUT')
    return CONNECTION_LOST_MESSAGE;
  if (code !== undefined) return 'The AI server cannot be reached. It may not be running';
  return serverMessage === '' ? CONNECTION_LOST_MESSAGE : `The AI server could not answer${ending}`;
}

function isBaseUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  return /^https?:$/.test(protocol) && [username, password, search, hash].every((part) => part === '');
}

/** Settings of the AI server. Any server with OpenAI's chat completions works. */
export const aiSettings = z
  .object({
    AI_BASE_URL: z
      .string()
      .refine(isBaseUrl, 'must be an address such as http://127.0.0.1:11434/v1')
      .optional()
      .describe(
        'OpenAI-compatible server for `/qai`, including `/v1`: `http://127.0.0.1:11434/v1` for Ollama (docs/ai.md).',
      ),
    AI_MODEL: z.string().optional().describe('Name of the model on that server.'),
    AI_API_KEY: z
      .string()
      .refine((text) => /^[\u0021-\u007e]+$/.test(text), 'must be one word of plain characters')
      .optional()
      .meta({ isSecret: true })
      .describe('API key for that server, if it needs one.'),
  })
  .superRefine(({ AI_BASE_URL, AI_MODEL }, context) => {
    const values = [AI_BASE_URL, AI_MODEL];
    if (values.every((value) => value === undefined) || values.every((value) => value !== undefined)) return;
    const missing = AI_MODEL === undefined ? 'AI_MODEL' : 'AI_BASE_URL';
    const other = AI_MODEL === undefined ? 'AI_BASE_URL' : 'AI_MODEL';
    context.addIssue({ code: 'custom', path: [missing], message: `must be set if ${other} is set` });
  });

export interface AiServer {
  readonly baseURL: string;
  readonly model: string;
  readonly key: string | undefined;
}

/** Returns the AI server of the settings; undefined if none is set up. */
export function getAiServer(environment: Readonly<Record<string, string>>): AiServer | undefined {
  const { AI_BASE_URL, AI_MODEL, AI_API_KEY } = aiSettings.parse(environment);
  if (AI_BASE_URL === undefined || AI_MODEL === undefined) return undefined;
  return { baseURL: AI_BASE_URL, model: AI_MODEL, key: AI_API_KEY };
}

/** Thrown if the AI server does not answer as expected; `message` is a sentence for the user. */
export class ModelFailure extends Error {
  override readonly name = 'ModelFailure';
  /** HTTP status or network code, for the log. */
  readonly code: string | number | undefined;
  constructor(message: string, code: string | number | undefined) {
    super(message); // no cause, because it contains the prompt and the key
    this.code = code;
  }
}

export interface Model {
  /**
   * Streams an answer. Ends without an 'end' part if `signal` aborts.
   * @throws ModelFailure
   */
  readonly ask: (prompt: string, signal: AbortSignal) => AsyncIterable<CompletionPart>;
}

const MAX_ANSWER_TOKENS = 4000;
const RETRY_DELAY_MS = 1000;
const MAX_ERROR_LENGTH = 10_000;

/** Returns the code of the innermost error that has one. */
function findErrorCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return findErrorCode(error.cause) ?? (getErrorCode(error) || undefined);
}

function toFailedCall(error: unknown): FailedCall {
  const kind = error instanceof NotACompletion ? 'not a completion' : 'failed';
  return {
    kind,
    status: undefined,
    message: error instanceof CompletionError ? error.message : '',
    code: findErrorCode(error),
  };
}

/** Reads the server's error message from a JSON or text response. */
async function readErrorMessage(response: Response): Promise<string> {
  const body = (await response.text().catch(() => '')).slice(0, MAX_ERROR_LENGTH);
  try {
    return findErrorMessage(JSON.parse(body));
  } catch {
    return body.trimStart().startsWith('<') ? '' : body;
  }
}

const isRetryable = (status: number): boolean => [408, 409, 429].includes(status) || status >= 500;

async function* readCompletion(response: Response): AsyncIterable<CompletionPart> {
  const reader = new CompletionReader();
  const body = response.body?.pipeThrough(new TextDecoderStream());
  // Some servers keep the connection open after the end.
  for await (const characters of body ?? []) {
    yield* reader.read(characters);
    if (reader.hasEnded) break;
  }
  yield* reader.end();
}

/** Creates a model on a server with OpenAI's chat completions. */
export function createModel(server: AiServer): Model {
  const createFailure = (failedCall: FailedCall): ModelFailure =>
    new ModelFailure(explainFailure(failedCall, server.key), failedCall.status ?? failedCall.code);

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
        max_tokens: MAX_ANSWER_TOKENS,
        messages: [{ role: 'user', content: prompt }],
        stream: true,
      }),
    });

  /** Sends the request, and retries once if the AI server is busy or briefly unavailable. */
  async function connect(prompt: string, signal: AbortSignal): Promise<Response> {
    const response = await request(prompt, signal).catch((error: unknown) => {
      if (signal.aborted) throw error;
      return undefined;
    });
    if (response && !isRetryable(response.status)) return response;
    await response?.body?.cancel();
    await delay(RETRY_DELAY_MS, undefined, { signal });
    return request(prompt, signal);
  }

  return {
    ask: async function* ask(prompt, signal) {
      try {
        const response = await connect(prompt, signal);
        if (!response.ok)
          throw createFailure({
            kind: 'failed',
            status: response.status,
            message: await readErrorMessage(response),
            code: undefined,
          });
        yield* readCompletion(response);
      } catch (error) {
        if (signal.aborted) return;
        throw error instanceof ModelFailure ? error : createFailure(toFailedCall(error));
      }
    },
  };
}
