import * as z from 'zod/mini';
import { call } from '#platform/contract/call.ts';
import { serverEvent } from '#platform/contract/event.ts';
import { requestedId, id } from '#platform/contract/fields.ts';

/** Max Unicode code points of a prompt. */
export const PROMPT_LIMIT = 8000;
/** Max UTF-16 code units of an answer. */
export const ANSWER_LIMIT = 100_000;
/** Max answers that are listed for a room. */
export const MAX_RECENT_ANSWERS = 20;
/** Longer prompts, counted as percent-encoded bytes, are sent by POST: many proxies limit addresses to 8 KiB. */
export const GET_LIMIT_BYTES = 4096;
/** Escapes make a prompt longer as JSON. */
const BODY_LIMIT_BYTES = 128 * 1024;

/** Text of the notice if `aiq` has another HTTP status than 200 (docs/specification/ai.md section 5). */
export const NOT_OK = 'Network response was not ok';

/** `done`: the model completed it; `cut`: it reached a limit; `stopped`: the user stopped it; `failed`: see `error`. */
const state = z.enum(['running', 'done', 'stopped', 'cut', 'failed']);
export type AnswerState = z.output<typeof state>;

const question = z.object({
  /** The prompt. */
  q: z.string(),
  /** Room of the answer. Always the caller's own browser, which its cookie identifies. */
  id: z.optional(z.literal('0')),
});
const promptFields = z.object({
  answerid: id,
  /** Questions that are answered before this one; 0 if it starts immediately. */
  waiting: z.int(),
});

/** Asks a question. The answer arrives over the socket, as `aidatain`. */
export const aiq = call({
  method: 'GET',
  path: '/api/aiq',
  summary: 'Sends a prompt to the AI. The answer arrives by socket in room 0 of the browser.',
  access: 'anyone',
  request: question,
  answer: promptFields,
});

/** Asks a question whose prompt is too long for an address. */
export const aiqLong = call({
  method: 'POST',
  path: '/api/aiq',
  summary: 'Sends a prompt that is too long for a URL.',
  access: 'anyone',
  bodyLimit: BODY_LIMIT_BYTES,
  request: question,
  answer: promptFields,
});

export const aistop = call({
  method: 'POST',
  path: '/api/aistop',
  summary: 'Stops an answer of this browser. The text so far is stored.',
  access: 'anyone',
  request: z.object({ answerid: requestedId }),
  answer: z.object({}),
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
  method: 'GET',
  path: '/api/aianswers',
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
export type AnswerPiece = z.output<typeof aidatain.data>;

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
