import * as z from 'zod/mini';
import { call } from '#platform/contract/call.ts';
import { serverEvent } from '#platform/contract/event.ts';
import { requestedId, id } from '#platform/contract/fields.ts';

/** In Unicode code points. */
export const MAX_PROMPT_LENGTH = 8000;
/** In UTF-16 code units. */
export const MAX_ANSWER_LENGTH = 100_000;
/** Number of answers that are listed for a room. */
export const MAX_RECENT_ANSWERS = 20;
/** Longer percent-encoded prompts are sent by POST, because many proxies limit addresses to 8 KiB. */
export const MAX_GET_PROMPT_BYTES = 4096;
/** Larger than a prompt, because JSON escapes make it longer. */
const MAX_BODY_BYTES = 128 * 1024;

/** Text of the notice if `aiq` has another HTTP status than 200 (docs/specification/ai.md section 5). */
export const NOT_OK_MESSAGE = 'Network response was not ok';

/** `done`: the model completed it; `cut`: it reached a limit; `stopped`: the user stopped it; `failed`: see `error`. */
const state = z.enum(['running', 'done', 'stopped', 'cut', 'failed']);
export type AnswerState = z.output<typeof state>;

const promptRequest = z.object({
  /** The prompt. */
  q: z.string(),
  /** Room of the answer. Always the caller's own browser, which its cookie identifies. */
  id: z.optional(z.literal('0')),
});
const acceptedPrompt = z.object({
  answerid: id,
  /** Questions that are answered before this one; 0 if it starts immediately. */
  waiting: z.int(),
});

/** Asks a question. The answer arrives over the socket, as `aidatain`. */
export const aiq = call({
  route: 'GET /api/aiq',
  summary: 'Sends a prompt to the AI. The answer arrives by socket in room 0 of the browser.',
  access: 'anyone',
  request: promptRequest,
  answer: acceptedPrompt,
});

/** Asks a question whose prompt is too long for an address. */
export const aiqLong = call({
  route: 'POST /api/aiq',
  summary: 'Sends a prompt that is too long for a URL.',
  access: 'anyone',
  bodyLimit: MAX_BODY_BYTES,
  request: promptRequest,
  answer: acceptedPrompt,
});

export const aistop = call({
  route: 'POST /api/aistop',
  summary: 'Stops an answer of this browser. The text so far is stored.',
  access: 'anyone',
  request: z.object({ answerid: requestedId }),
});

const answer = z.object({
  answerid: id,
  prompt: z.string(),
  text: z.string(),
  /** Reasoning of the model before its answer, if the AI server reports it separately. */
  thoughts: z.optional(z.string()),
  state,
  /** A sentence that says why the answer failed or was cut. */
  error: z.optional(z.string()),
  /** Running, but not started: other questions are answered first. */
  waiting: z.boolean(),
  /** ISO 8601, UTC. */
  created: z.string(),
});
export type Answer = z.output<typeof answer>;

export const aianswers = call({
  route: 'GET /api/aianswers',
  summary: 'Returns the last answers of this browser, oldest first, including unfinished ones.',
  access: 'anyone',
  request: z.object({ only: z.optional(z.literal('running')) }),
  answer: z.object({
    /** False if no AI server is set up. */
    configured: z.boolean(),
    answers: z.array(answer),
  }),
});

/** A chunk of an answer, sent to room 0. `at` is the offset of the chunk in the answer, in UTF-16 code units. */
export const aidatain = serverEvent({
  name: 'aidatain',
  delivery: 'all',
  data: z.object({ data: z.string(), answerid: id, at: z.int() }),
});
export type AnswerChunk = z.output<typeof aidatain.data>;

/**
 * A chunk of a model's reasoning, sent to room 0. `at` is its offset in the reasoning. Addition to the specification.
 */
export const aithoughtin = serverEvent({
  name: 'aithoughtin',
  delivery: 'all',
  data: z.object({ data: z.string(), answerid: id, at: z.int() }),
});

/** An answer has ended; sent to room 0. */
export const aidataend = serverEvent({
  name: 'aidataend',
  delivery: 'all',
  data: z.object({ answerid: id, state, error: z.optional(z.string()) }),
});
export type AnswerEnd = z.output<typeof aidataend.data>;
