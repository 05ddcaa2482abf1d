import { createHash } from 'node:crypto';
import type { CommandAnswerOf } from '#platform/contract/command.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import type { Device } from '#platform/server/devices/link.ts';
import type { Ground } from '#platform/server/tool.ts';
import { historyChanged, pressKeys, runScript, typeText } from '../contract.ts';
import { droppedSentence, wishOf, type Wish } from '../domain/message.ts';
import { historyStore, type Message, type SentMessage } from './history.ts';
import { scriptStore } from './scripts.ts';

/** What came of a message; `isDone` where the device has done it, if not wholly. */
interface Outcome {
  readonly message: string;
  readonly isDone: boolean;
}

/**
 * Names a message to the device, which does what bears one name once. It follows from the message alone, so it is the same
 * when the message comes again after a crash that left no row.
 */
const nameOf = ({ account, device, type, text, timesent }: Message): string =>
  createHash('sha256')
    .update(JSON.stringify([account, device, type, text, timesent]))
    .digest('base64url');

/** @throws Refusal at once for what the device has said it cannot do; one that has said nothing yet is asked. */
export const checkAble = (device: Device, needed: 'keyboard' | 'scripts'): void => {
  if (device.kind === 'browser') throw new Refusal(`${device.name} is a browser, it only takes messages`);
  const ability = device.abilities[needed];
  if (ability && !ability.able)
    throw new Refusal(ability.reason ?? `${device.name} does not allow ${needed === 'scripts' ? 'scripts' : 'typing'}`);
};

const outcomeOf = (asked: Promise<Outcome>): Promise<Outcome> =>
  asked.catch((error: unknown) => {
    if (error instanceof Refusal) return { message: keepable(error.message), isDone: false };
    throw error;
  });

export interface Sending {
  /** @throws Refusal with the sentence that says why it was not done. */
  readonly send: (message: Message, device: Device) => Promise<void>;
  /** The outcome of a kept message as it is now. */
  readonly outcomeNow: (sent: SentMessage) => string;
  /** Waits for what is still being written. */
  readonly stop: () => Promise<void>;
}

/** A message between its sending and its outcome being kept. */
interface Running {
  readonly outcome: Promise<string>;
  /** '' until it is known. */
  known: string;
}

/** Replaces an outcome that said that the device did not answer. */
type Correct = (outcome: Outcome) => void;
const DONE: Outcome = { message: 'ok', isDone: true };

const LOST = 'The server stopped before the device had answered';

/**
 * Sends messages to devices, each one once: the same message at the same time is done once and answered alike, one after
 * another, at once, and after a crash.
 */
export const makeSending = ({ database, devices, realtime, log }: Ground): Sending => {
  const history = historyStore(database);
  const scripts = scriptStore(database);
  const running = new Map<string, Running>();
  const writes = new Set<Promise<void>>();

  const tell = ({ account, device, type, text, timesent }: Message, id: number, outcome: string): void =>
    realtime.send(`account:${account}`, historyChanged, {
      target: String(device),
      entry: { id, inputtype: type, inputValue: text, timesent, outcome },
    });

  /** What is to be asked of the device, as far as it can be known before. @throws Refusal for a script that there is not. */
  const prepare = async (device: Device, wish: Wish, correct: Correct): Promise<(name: string) => Promise<Outcome>> => {
    switch (wish.kind) {
      case 'type':
        return async (name) => {
          const onLate = ({ dropped }: Typed): void => correct(typedOutcome(dropped));
          const { dropped } = await devices.send(device, typeText, { text: wish.text }, { id: name, onLate });
          return typedOutcome(dropped);
        };
      case 'press':
        return async (name) => {
          await devices.send(device, pressKeys, { keys: [...wish.keys] }, { id: name, onLate: () => correct(DONE) });
          return DONE;
        };
      case 'script': {
        const text = await scripts.textOf(device.account, wish.name);
        return async (name) => {
          await devices.send(device, runScript, { name: wish.name, text }, { id: name, onLate: () => correct(DONE) });
          return DONE;
        };
      }
    }
  };

  const begin = async (message: Message, already: SentMessage | undefined): Promise<number> => {
    const id = already?.id ?? (await history.begin(message));
    tell(message, id, '');
    return id;
  };

  /** The sender need not wait for it: until it is kept, `running` knows, and after a crash the device. */
  const conclude = async (message: Message, id: number, outcome: Outcome): Promise<void> => {
    try {
      await history.conclude(message.account, id, outcome.message, outcome.isDone);
      tell(message, id, outcome.message);
    } catch (error) {
      log.error({ err: error, device: message.device }, 'outcome of a message not kept');
    }
  };

  const carryOut = async (message: Message, device: Device, name: string): Promise<string> => {
    const already = await history.find(message);
    if (already?.isDone) {
      running.delete(name);
      return already.outcome;
    }
    const wish = wishOf(message.type, message.text);
    checkAble(device, wish.kind === 'script' ? 'scripts' : 'keyboard');
    let kept: number | undefined;
    const ask = await prepare(device, wish, (outcome) => {
      if (kept === undefined) return;
      const write = conclude(message, kept, outcome).finally(() => writes.delete(write));
      writes.add(write);
    });
    // Both at once: a disk may take longer than the device. Nothing is said before both are done, and a crash between them
    // does no harm, since the device knows the name.
    const [id, outcome] = await Promise.all([begin(message, already), outcomeOf(ask(name))]);
    kept = id;
    const entry = running.get(name);
    if (entry) entry.known = outcome.message;
    const write = conclude(message, id, outcome).finally(() => {
      running.delete(name);
      writes.delete(write);
    });
    writes.add(write);
    // What was not done may be tried again at once: it must not meet its own failure, still being written.
    if (!outcome.isDone) await write;
    return outcome.message;
  };

  const start = (message: Message, device: Device, name: string): Running => {
    const outcome = carryOut(message, device, name).catch((error: unknown) => {
      running.delete(name);
      throw error;
    });
    const entry: Running = { outcome, known: '' };
    running.set(name, entry);
    return entry;
  };

  return {
    send: async (message, device) => {
      const name = nameOf(message);
      const outcome = await (running.get(name) ?? start(message, device, name)).outcome;
      if (outcome !== 'ok') throw new Refusal(outcome);
    },
    outcomeNow: (sent) => {
      const entry = running.get(nameOf(sent));
      if (entry) return entry.known;
      return sent.outcome === '' ? LOST : sent.outcome;
    },
    stop: async () => {
      await Promise.all(writes);
    },
  };
};

type Typed = CommandAnswerOf<typeof typeText>;

const typedOutcome = (dropped: readonly string[]): Outcome => ({
  message: dropped.length === 0 ? 'ok' : keepable(droppedSentence(dropped)),
  isDone: true,
});

/** A device's sentence as every database takes it. */
const keepable = (sentence: string): string => sentence.replaceAll('\0', '').slice(0, 300).toWellFormed();
