import * as z from 'zod/mini';
import { call } from '#platform/contract/call.ts';
import { serverEvent } from '#platform/contract/event.ts';
import { requestedId, id } from '#platform/contract/fields.ts';

/** Unicode code points of a prompt. */
export const PROMPT_LIMIT = 8000;
/** UTF-16 code units of an answer. */
export const ANSWER_LIMIT = 100_000;
/** Answers that a room is told of. */
export const MAX_RECENT_ANSWERS = 20;
/** A longer prompt, counted as an address writes it, goes as a POST: many proxies take 8 KiB of address and no more. */
export const GET_LIMIT_BYTES = 4096;
/** As JSON a prompt grows by its escapes. */
const BODY_LIMIT_BYTES = 128 * 1024;

/** Text of the notice when `aiq` is answered with another HTTP status than 200 (specification 1, section 8). */
export const NOT_OK = 'Network response was not ok';

/** `done` as the model ended it; `cut` at a limit of length or time; `stopped` by the person; `failed` with the reason in `error`. */
const state = z.enum(['running', 'done', 'stopped', 'cut', 'failed']);
export type AnswerState = z.output<typeof state>;

const question = z.object({
  /** The prompt. */
  q: z.string(),
  /** The room of the answer: the asking browser's own, told by its cookie. */
  id: z.optional(z.literal('0')),
});
const asked = z.object({
  answerid: id,
  /** Questions that are answered before this one; 0 is answered now. */
  waiting: z.int(),
});

/** The answer arrives by socket, as `aidatain`. */
export const aiq = call({
  method: 'GET',
  path: '/api/aiq',
  summary: 'Asks the AI; the answer comes by socket into room 0 of the asking browser.',
  access: 'anyone',
  request: question,
  answer: asked,
});

/** The same for a prompt that is too long for an address. */
export const aiqLong = call({
  method: 'POST',
  path: '/api/aiq',
  summary: 'Asks the AI with a prompt that is too long for an address.',
  access: 'anyone',
  bodyLimit: BODY_LIMIT_BYTES,
  request: question,
  answer: asked,
});

export const aistop = call({
  method: 'POST',
  path: '/api/aistop',
  summary: 'Stops an answer of the own browser; what was written so far is kept.',
  access: 'anyone',
  request: z.object({ answerid: requestedId }),
  answer: z.object({}),
});

const answer = z.object({
  answerid: id,
  prompt: z.string(),
  text: z.string(),
  /** What a reasoning model thought before it answered, where the AI server tells it apart from the answer. */
  thoughts: z.optional(z.string()),
  state,
  /** One sentence: why it failed or was cut. */
  error: z.optional(z.string()),
  /** Running, and not begun: others are answered first. */
  waiting: z.boolean(),
  /** ISO 8601, UTC. */
  created: z.string(),
});
export type Answer = z.output<typeof answer>;

export const aianswers = call({
  method: 'GET',
  path: '/api/aianswers',
  summary: 'The last answers of the own browser, oldest first, with what was written so far.',
  access: 'anyone',
  request: z.object({ only: z.optional(z.literal('running')) }),
  answer: z.object({
    /** False where the server has no AI to ask. */
    configured: z.boolean(),
    answers: z.array(answer),
  }),
});

/** A piece of an answer, into room 0. `at` is how much of the answer stands before it, in UTF-16 code units. */
export const aidatain = serverEvent({
  name: 'aidatain',
  delivery: 'all',
  data: z.object({ data: z.string(), answerid: id, at: z.int() }),
});
export type AnswerPiece = z.output<typeof aidatain.data>;

/** A piece of what a reasoning model thinks, into room 0; `at` counts within the thoughts of the answer. Ours. */
export const aithoughtin = serverEvent({
  name: 'aithoughtin',
  delivery: 'all',
  data: z.object({ data: z.string(), answerid: id, at: z.int() }),
});

/** An answer has ended, into room 0. */
export const aidataend = serverEvent({
  name: 'aidataend',
  delivery: 'all',
  data: z.object({ answerid: id, state, error: z.optional(z.string()) }),
});
export type AnswerEnd = z.output<typeof aidataend.data>;
