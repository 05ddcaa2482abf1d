import * as z from 'zod/mini';
import { call } from '#platform/contract/call.ts';
import { command } from '#platform/contract/command.ts';
import { MINUTE_SECONDS } from '#platform/contract/duration.ts';
import { id, requestedId } from '#platform/contract/fields.ts';

/** Maximum length of a text that is typed or copied in one step, in UTF-16 units. */
const MAX_TEXT_LENGTH = 2000;
/** Maximum distance that the pointer is moved in one step, in pixels. */
const MAX_DISTANCE = 500;

/** Random name of one self-check, which the agent creates when `agent try` is run. */
const run = z.string().check(z.regex(/^[\w-]{16,64}$/));
const text = z.string().check(z.maxLength(MAX_TEXT_LENGTH));
const distance = z.int().check(z.minimum(-MAX_DISTANCE), z.maximum(MAX_DISTANCE));

/** One thing that the computer does, or reports, for the page. */
const step = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('type'), text }),
  z.object({
    kind: z.literal('press'),
    keys: z.array(z.string().check(z.maxLength(20))).check(z.minLength(1), z.maxLength(5)),
  }),
  z.object({ kind: z.literal('centre') }),
  z.object({ kind: z.literal('move'), dx: distance, dy: distance }),
  z.object({ kind: z.literal('click'), button: z.enum(['left', 'right']) }),
  /** Turns the wheel; down is positive. */
  z.object({ kind: z.literal('wheel'), steps: z.int().check(z.minimum(-5), z.maximum(5)) }),
  /** Sets the clipboard of the computer. */
  z.object({ kind: z.literal('copy'), text }),
  /** Compares the clipboard with a text. Other texts never leave the computer. */
  z.object({ kind: z.literal('compare'), text }),
  /** Compares the title of the window in front with a text. */
  z.object({ kind: z.literal('window'), title: text }),
  /** Changes the master volume, and sets it back. */
  z.object({ kind: z.literal('sound') }),
  /** Ends the check: restores the clipboard. */
  z.object({ kind: z.literal('finish') }),
]);
export type CheckStep = z.output<typeof step>;

const stepAnswer = z.object({
  /** Characters that the computer named as impossible to type. */
  dropped: z.array(z.string()),
  /** Set if the computer itself compared something. */
  compared: z.optional(z.object({ expected: z.string(), received: z.string() })),
  /** Why the computer did nothing. */
  unavailable: z.optional(z.string()),
});
export type CheckStepAnswer = z.output<typeof stepAnswer>;

export const startselfcheck = call({
  route: 'POST /api/startselfcheck',
  summary: 'Returns the id of the computer, for the address of its self-check.',
  access: 'device',
  answer: z.object({ device: id }),
});

const rates = [{ times: 600, seconds: 10 * MINUTE_SECONDS }];

export const openselfcheck = call({
  route: 'POST /api/openselfcheck',
  summary: 'Returns what a computer says about itself, if its self-check was started there.',
  access: 'account',
  request: z.object({ device: requestedId, run }),
  answer: z.object({
    name: z.string(),
    /** Operating system and desktop. */
    system: z.string(),
    /** Version of the agent. */
    version: z.string(),
    /** Version of Node, operating system kernel and processor. */
    runtime: z.string(),
  }),
  rates,
});
export type CheckedComputer = z.output<(typeof openselfcheck)['answer']>;

export const runselfcheckstep = call({
  route: 'POST /api/runselfcheckstep',
  summary: 'Makes a computer do one step of its self-check.',
  access: 'account',
  request: z.object({ device: requestedId, run, step }),
  answer: stepAnswer,
  rates,
});

export const describeRuntime = command({
  name: 'selfcheck/describe',
  request: z.object({ run }),
  answer: z.object({ runtime: z.string().check(z.maxLength(200)) }),
  isRepeatable: true,
});

export const performStep = command({
  name: 'selfcheck/step',
  request: z.object({ run, step }),
  answer: stepAnswer,
});
