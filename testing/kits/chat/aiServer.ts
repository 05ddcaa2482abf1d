import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';

/** One question that came, and what answers it: by hand from a test, or by a script. */
export interface AiQuestion {
  readonly prompt: string;
  readonly model: string;
  readonly maxTokens: number | undefined;
  /** What stood in `Authorization`. */
  readonly key: string | undefined;
  readonly sendPiece: (text: string) => void;
  /** Work that is not shown: a model thinking. */
  readonly sendThought: (text: string) => void;
  /** The last two lines of a stream: why it ended, and that it did. */
  readonly end: (reason?: string) => void;
  /** Writes to the stream as it stands. */
  readonly sendRaw: (text: string) => void;
  /** Answers with an HTTP status and a message, where nothing was sent yet. */
  readonly fail: (status: number, message: string) => void;
  /** Breaks the connection. */
  readonly disconnect: () => void;
  /** Ends the stream without saying why. */
  readonly close: () => void;
  /** Settles once the one who asked has closed the connection, or the answer has ended. */
  readonly closed: Promise<void>;
}

export type AiScript = (question: AiQuestion) => void | Promise<void>;

/** A small OpenAI-compatible server over real HTTP: streaming chat completions, and everything that goes wrong with them. */
export interface AiServer extends AsyncDisposable {
  /** With its `/v1`, as AI_BASE_URL takes it. */
  readonly baseURL: string;
  /** Settings of a server that asks this one. */
  readonly environment: Readonly<Record<string, string>>;
  /** The next question that no script has answered, now or once it comes. */
  readonly nextQuestion: () => Promise<AiQuestion>;
  /** Questions that came so far. */
  readonly getQuestionCount: () => number;
  /** Answers questions by itself from now on; undefined leaves them to `question`. */
  readonly setScript: (script: AiScript | undefined) => void;
}

/** Ready-made scripts. */
export function answerWith(...pieces: readonly string[]): AiScript {
  return ({ sendPiece, end }) => {
    for (const text of pieces) sendPiece(text);
    end();
  };
}
export const answerWithPrompt: AiScript = ({ prompt, sendPiece, end }) => {
  sendPiece(prompt);
  end();
};
/** Sends `count` numbered pieces, `perSecond` of them each second, in a steady flow. */
export function streamPieces(count: number, perSecond: number, pieceOf: (number: number) => string): AiScript {
  return async ({ sendPiece, end }) => {
    const began = performance.now();
    for (let sent = 0; sent < count;) {
      const due = Math.min(count, Math.ceil(((performance.now() - began) / 1000) * perSecond));
      for (; sent < due; sent += 1) sendPiece(pieceOf(sent));
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    end();
  };
}

interface Body {
  readonly model: string;
  readonly max_tokens?: number;
  readonly messages: readonly { readonly content: string | readonly { readonly text: string }[] }[];
}

const promptOf = ({ messages }: Body): string =>
  messages
    .map(({ content }) => (typeof content === 'string' ? content : content.map(({ text }) => text).join('')))
    .join('\n');

const questionOf = (body: Body, request: IncomingMessage, response: ServerResponse): AiQuestion => {
  const raw = (text: string): void => {
    if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(text);
  };
  const choice = (delta: object, finish_reason: string | null): void =>
    raw(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`);
  return {
    prompt: promptOf(body),
    model: body.model,
    maxTokens: body.max_tokens,
    key: request.headers.authorization?.replace('Bearer ', ''),
    sendRaw: raw,
    sendPiece: (content) => choice({ content }, null),
    sendThought: (reasoning) => choice({ reasoning }, null),
    end: (reason = 'stop') => {
      choice({}, reason);
      raw('data: [DONE]\n\n');
      response.end();
    },
    fail: (status, message) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message } }));
    },
    disconnect: () => void request.socket.destroy(),
    close: () => void response.end(),
    closed: new Promise((resolve) => response.once('close', resolve)),
  };
};

/** Starts it on a free port. */
export async function startAiServer(): Promise<AiServer> {
  const kept: AiQuestion[] = [];
  const wanted: ((question: AiQuestion) => void)[] = [];
  let script: AiScript | undefined;
  let count = 0;
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.url !== '/v1/chat/completions') {
      response.writeHead(404).end();
      return;
    }
    const question = questionOf(JSON.parse(await readText(request)) as Body, request, response);
    count += 1;
    if (script) await script(question);
    else {
      const first = wanted.shift();
      if (first) first(question);
      else kept.push(question);
    }
  };
  const http = createServer((request, response) => void take(request, response));
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const baseURL = `http://127.0.0.1:${(http.address() as AddressInfo).port}/v1`;
  return {
    baseURL,
    environment: { AI_BASE_URL: baseURL, AI_MODEL: 'test-model', AI_API_KEY: 'sk-hunter2-test-key' },
    nextQuestion: async () => kept.shift() ?? new Promise((resolve) => wanted.push(resolve)),
    getQuestionCount: () => count,
    setScript: (next) => {
      script = next;
    },
    [Symbol.asyncDispose]: async () => {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}
