import { createHash } from 'node:crypto';
import { NO_ANSWER_MESSAGE, type CommandAnswerOf } from '#platform/contract/command.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import type { Device } from '#platform/server/devices/deviceLink.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import { historyChanged, pressKeys, runScript, typeText } from '../contract.ts';
import { droppedCountSentence, droppedSentence, wishOf, type MessageAction } from '../domain/outgoingMessage.ts';
import { historyStore, type Message, type SentMessage } from './historyStore.ts';
import { scriptStore } from './scriptStore.ts';

/** What came of a message; `isDone` where the device has done it, if not wholly. */
interface Outcome {
  readonly message: string;
  readonly isDone: boolean;
}

/**
 * Names a message to the device, which does what bears one name once. It follows from the message alone, so it is the same
 * when the message comes again after a crash that left no row.
 */
const nameOf = ({ account, device, type, text, timesent, unstoredKey }: Message): string =>
  createHash('sha256')
    // The device stores the name: nothing in it may follow from a text that must not be stored.
    .update(JSON.stringify([account, device, type, unstoredKey === undefined ? text : [unstoredKey], timesent]))
    .digest('base64url');

/** @throws Refusal at once for what the device has said it cannot do; one that has said nothing yet is asked. */
export function checkAble(device: Device, needed: 'keyboard' | 'scripts'): void {
  if (device.kind === 'browser') throw new Refusal(`${device.name} is a browser, it only takes messages`);
  const ability = device.abilities[needed];
  if (ability && !ability.able)
    throw new Refusal(ability.reason ?? `${device.name} does not allow ${needed === 'scripts' ? 'scripts' : 'typing'}`);
}

const outcomeOf = (asked: Promise<Outcome>): Promise<Outcome> =>
  asked.catch((error: unknown) => {
    if (error instanceof Refusal) return { message: keepable(error.message), isDone: false };
    throw error;
  });

export interface MessageSender {
  /** @throws Refusal with the sentence that says why it was not done. */
  readonly send: (message: Message, device: Device) => Promise<void>;
  /** The outcome of a kept message as it is now. */
  readonly outcomeNow: (sent: SentMessage) => string;
  /** Waits for what is still being written. */
  readonly stop: () => Promise<void>;
}

/** A message between its sending and its outcome being kept. */
interface RunningMessage {
  readonly outcome: Promise<string>;
  /** '' until it is known. */
  known: string;
}

/** Replaces an outcome that said that the device did not answer. */
type Correct = (outcome: Outcome) => void;
const DONE: Outcome = { message: 'ok', isDone: true };

const LOST = 'The server stopped before the device had answered';
/** Stored in place of a device's own sentence, which may name keys, about a message that is not kept. */
const NOT_DONE = 'The computer did not do it';

/** A history entry as the wire has it. */
export function entryOf(sent: SentMessage, outcome: string) {
  return {
    id: sent.id,
    inputtype: sent.type,
    inputValue: sent.unstoredKey === undefined ? sent.text : '',
    timesent: sent.timesent,
    received: sent.received / 1000,
    outcome,
    ...(sent.unstoredKey === undefined ? {} : { kept: false }),
  };
}

/** The outcome as it is stored and told to all pages; the sender is told all of it. */
const storedOutcome = ({ type, unstoredKey }: Message, { message }: Outcome): string =>
  unstoredKey === undefined || type === 1 || message === 'ok' || message === NO_ANSWER_MESSAGE ? message : NOT_DONE;

/**
 * Sends messages to devices, each one once: the same message at the same time is done once and answered alike, one after
 * another, at once, and after a crash.
 */
export function createMessageSender(
  { database, devices, realtime, log, now }: ServerContext,
  onStored: (account: number) => void,
): MessageSender {
  const history = historyStore(database);
  const scripts = scriptStore(database);
  const running = new Map<string, RunningMessage>();
  const writes = new Set<Promise<void>>();

  const tell = (sent: SentMessage, outcome: string): void =>
    realtime.send(`account:${sent.account}`, historyChanged, {
      target: String(sent.device),
      entry: entryOf(sent, outcome),
    });

  /** What is to be asked of the device, as far as it can be known before. @throws Refusal for a script that there is not. */
  const prepare = async (
    device: Device,
    wish: MessageAction,
    isSecret: boolean,
    correct: Correct,
  ): Promise<(name: string) => Promise<Outcome>> => {
    switch (wish.kind) {
      case 'type':
        return async (name) => {
          const onLate = (typed: TypeTextAnswer): void => correct(typedOutcome(typed, isSecret));
          const typing = { text: wish.text, ...(isSecret ? { isSecret } : {}) };
          return typedOutcome(
            await devices.send(device, typeText, typing, { id: name, onLateAnswer: onLate }),
            isSecret,
          );
        };
      case 'press':
        return async (name) => {
          await devices.send(
            device,
            pressKeys,
            { keys: [...wish.keys] },
            { id: name, onLateAnswer: () => correct(DONE) },
          );
          return DONE;
        };
      case 'script': {
        const text = await scripts.textOf(device.account, wish.name);
        return async (name) => {
          await devices.send(
            device,
            runScript,
            { name: wish.name, text },
            { id: name, onLateAnswer: () => correct(DONE) },
          );
          return DONE;
        };
      }
    }
  };

  const begin = async (message: Message, already: SentMessage | undefined): Promise<SentMessage> => {
    const received = now().epochMilliseconds;
    const sent = already ?? {
      ...message,
      id: await history.begin(message, received),
      received,
      outcome: '',
      isDone: false,
    };
    tell(sent, '');
    onStored(message.account);
    return sent;
  };

  /** The sender need not wait for it: until it is kept, `running` knows, and after a crash the device. */
  const conclude = async (sent: SentMessage, outcome: Outcome): Promise<void> => {
    try {
      const told = storedOutcome(sent, outcome);
      // Whoever deleted it meanwhile does not want to see it again.
      if (await history.conclude(sent.account, sent.id, told, outcome.isDone)) tell(sent, told);
    } catch (error) {
      log.error({ err: error, device: sent.device }, 'outcome of a message not kept');
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
    let kept: SentMessage | undefined;
    const ask = await prepare(device, wish, message.unstoredKey !== undefined, (outcome) => {
      if (kept === undefined) return;
      const write = conclude(kept, outcome).finally(() => writes.delete(write));
      writes.add(write);
    });
    // Both at once: a disk may take longer than the device. Nothing is said before both are done, and a crash between them
    // does no harm, since the device knows the name.
    const [sent, outcome] = await Promise.all([begin(message, already), outcomeOf(ask(name))]);
    kept = sent;
    const entry = running.get(name);
    if (entry) entry.known = storedOutcome(sent, outcome);
    const write = conclude(sent, outcome).finally(() => {
      running.delete(name);
      writes.delete(write);
    });
    writes.add(write);
    // What was not done may be tried again at once: it must not meet its own failure, still being written.
    if (!outcome.isDone) await write;
    return outcome.message;
  };

  const start = (message: Message, device: Device, name: string): RunningMessage => {
    const outcome = carryOut(message, device, name).catch((error: unknown) => {
      running.delete(name);
      throw error;
    });
    const entry: RunningMessage = { outcome, known: '' };
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
}

type TypeTextAnswer = CommandAnswerOf<typeof typeText>;

const typedOutcome = ({ dropped, droppedCount = dropped.length }: TypeTextAnswer, isSecret: boolean): Outcome => {
  const sentence = isSecret ? droppedCountSentence(droppedCount) : keepable(droppedSentence(dropped));
  return { message: droppedCount === 0 ? 'ok' : sentence, isDone: true };
};

/** A device's sentence as every database takes it. */
const keepable = (sentence: string): string => sentence.replaceAll('\0', '').slice(0, 300).toWellFormed();
