import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { listenLocally } from '../server/localServer.ts';

/** A question that arrived, to be answered by the test or a script. */
export interface AiQuestion {
  readonly prompt: string;
  readonly model: string;
  readonly maxTokens: number | undefined;
  /** Content of the `Authorization` header. */
  readonly key: string | undefined;
  readonly sendPiece: (text: string) => void;
  /** Reasoning that is not shown. */
  readonly sendThought: (text: string) => void;
  /** Sends the last two lines of a stream: the reason for its end, and the end. */
  readonly end: (reason?: string) => void;
  /** Writes raw text to the stream. */
  readonly sendRaw: (text: string) => void;
  /** Answers with an HTTP status and a message, if nothing was sent yet. */
  readonly fail: (status: number, message: string) => void;
  /** Breaks the connection. */
  readonly disconnect: () => void;
  /** Ends the stream without a reason. */
  readonly close: () => void;
  /** Resolves when the client closes the connection, or the answer ends. */
  readonly closed: Promise<void>;
}

export type AiScript = (question: AiQuestion) => void | Promise<void>;

/** A small OpenAI-compatible server over real HTTP: streaming chat completions, and their failures. */
export interface AiServer extends AsyncDisposable {
  /** Including `/v1`, as in AI_BASE_URL. */
  readonly baseURL: string;
  /** Environment of a Pegboard server that uses this one. */
  readonly environment: Readonly<Record<string, string>>;
  /** Resolves with the next question that no script answers. */
  readonly nextQuestion: () => Promise<AiQuestion>;
  /** Number of questions so far. */
  readonly getQuestionCount: () => number;
  /** Answers questions with a script from now on; undefined leaves them to `nextQuestion`. */
  readonly setScript: (script: AiScript | undefined) => void;
}

/** Creates a script that answers with these pieces. */
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
/** Sends `count` numbered pieces at a steady rate of `perSecond`. */
export function streamPieces(count: number, perSecond: number, createPiece: (number: number) => string): AiScript {
  return async ({ sendPiece, end }) => {
    const startedAt = performance.now();
    for (let sent = 0; sent < count;) {
      const dueCount = Math.min(count, Math.ceil(((performance.now() - startedAt) / 1000) * perSecond));
      for (; sent < dueCount; sent += 1) sendPiece(createPiece(sent));
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

const getPrompt = ({ messages }: Body): string =>
  messages
    .map(({ content }) => (typeof content === 'string' ? content : content.map(({ text }) => text).join('')))
    .join('\n');

function createQuestion(body: Body, request: IncomingMessage, response: ServerResponse): AiQuestion {
  function sendRaw(text: string): void {
    if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(text);
  }
  const sendChoice = (delta: object, finish_reason: string | null): void =>
    sendRaw(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`);
  return {
    prompt: getPrompt(body),
    model: body.model,
    maxTokens: body.max_tokens,
    key: request.headers.authorization?.replace('Bearer ', ''),
    sendRaw,
    sendPiece: (content) => sendChoice({ content }, null),
    sendThought: (reasoning) => sendChoice({ reasoning }, null),
    end: (reason = 'stop') => {
      sendChoice({}, reason);
      sendRaw('data: [DONE]\n\n');
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
}

/** Starts the server on a free port. */
export async function startAiServer(): Promise<AiServer> {
  const unreadQuestions: AiQuestion[] = [];
  const waiters: ((question: AiQuestion) => void)[] = [];
  let script: AiScript | undefined;
  let count = 0;
  async function handleRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url !== '/v1/chat/completions') {
      response.writeHead(404).end();
      return;
    }
    const question = createQuestion(JSON.parse(await readText(request)) as Body, request, response);
    count += 1;
    if (script) await script(question);
    else {
      const waiter = waiters.shift();
      if (waiter) waiter(question);
      else unreadQuestions.push(question);
    }
  }
  const http = createServer((request, response) => void handleRequest(request, response));
  const localServer = await listenLocally(http);
  const baseURL = `${localServer.origin}/v1`;
  return {
    ...localServer,
    baseURL,
    environment: { AI_BASE_URL: baseURL, AI_MODEL: 'test-model', AI_API_KEY: 'sk-hunter2-test-key' },
    nextQuestion: async () => unreadQuestions.shift() ?? new Promise((resolve) => waiters.push(resolve)),
    getQuestionCount: () => count,
    setScript: (next) => {
      script = next;
    },
  };
}
