import { createHash } from 'node:crypto';
import { NO_ANSWER_MESSAGE, type CommandAnswerOf } from '#platform/contract/command.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import type { Device } from '#platform/server/devices/deviceLink.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import { historyChanged, pressKeys, runScript, typeText } from '../contract.ts';
import {
  droppedCountSentence,
  droppedSentence,
  parseMessageAction,
  type MessageAction,
} from '../domain/outgoingMessage.ts';
import { historyStore, type Message, type SentMessage } from './historyStore.ts';
import { scriptStore } from './scriptStore.ts';

/** The outcome of a message. `isDone` means that the device has done it, at least partly. */
interface Outcome {
  readonly message: string;
  readonly isDone: boolean;
}

/**
 * Returns an idempotency key for the device, which runs each key only once. It is derived from the message alone, so it
 * is the same if the message is sent again after a crash that left no row.
 */
const getIdempotencyKey = ({ account, device, type, text, timesent, unstoredKey }: Message): string =>
  createHash('sha256')
    // The device stores the key, so it must not be derived from a text that must not be stored.
    .update(JSON.stringify([account, device, type, unstoredKey === undefined ? text : [unstoredKey], timesent]))
    .digest('base64url');

/**
 * Refuses immediately what the device has reported as impossible; a device that has not reported is tried.
 * @throws Refusal
 */
export function checkAble(device: Device, needed: 'keyboard' | 'scripts'): void {
  if (device.kind === 'browser')
    throw new Refusal(
      'device.is_browser',
      `${device.name} is a browser, so it only receives messages. Choose a computer`,
    );
  const ability = device.abilities[needed];
  if (ability && !ability.able)
    throw new Refusal(
      'device.feature_off',
      ability.reason ?? `${device.name} does not allow ${needed === 'scripts' ? 'scripts' : 'typing'}`,
    );
}

const toOutcome = (command: Promise<Outcome>): Promise<Outcome> =>
  command.catch((error: unknown) => {
    if (error instanceof Refusal) return { message: toStorable(error.message), isDone: false };
    throw error;
  });

export interface MessageSender {
  /**
   * Sends a message once.
   * @throws Refusal with the reason if it was not done.
   */
  readonly send: (message: Message, device: Device) => Promise<void>;
  /** Returns the current outcome of a stored message. */
  readonly outcomeNow: (sent: SentMessage) => string;
  /** Waits for pending writes. */
  readonly stop: () => Promise<void>;
}

/** A message whose outcome is not stored yet. */
interface RunningMessage {
  readonly outcome: Promise<string>;
  /** '' until the outcome is known. */
  known: string;
}

/** Replaces the outcome of a device that answered too late. */
type Correct = (outcome: Outcome) => void;
const DONE: Outcome = { message: 'ok', isDone: true };

const LOST = 'The server stopped before the device responded. Check the computer before you send this again';
/** Stored for a message that is not kept, because the device's own sentence may name keys of it. */
const NOT_DONE = 'The computer did not do this. Try again';

/** Converts a message to a history entry of the contract. */
export function toHistoryEntry(sent: SentMessage, outcome: string) {
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

/** Returns the outcome to store and to publish. The sender alone gets the full one. */
const storedOutcome = ({ type, unstoredKey }: Message, { message }: Outcome): string =>
  unstoredKey === undefined || type === 1 || message === 'ok' || message === NO_ANSWER_MESSAGE ? message : NOT_DONE;

/**
 * Creates the service that sends each message once: repeated requests with the same message and time get the same
 * answer, whether they come later, concurrently or after a crash.
 */
export function createMessageSender(
  { database, devices, realtime, log, now }: ServerContext,
  onStored: (account: number) => void,
): MessageSender {
  const history = historyStore(database);
  const scripts = scriptStore(database);
  const running = new Map<string, RunningMessage>();
  const writes = new Set<Promise<void>>();

  const publish = (sent: SentMessage, outcome: string): void =>
    realtime.send(`account:${sent.account}`, historyChanged, {
      target: String(sent.device),
      entry: toHistoryEntry(sent, outcome),
    });

  /**
   * Prepares the device command as far as possible before the message is stored.
   * @throws Refusal for an unknown script.
   */
  const prepare = async (
    device: Device,
    action: MessageAction,
    isSecret: boolean,
    correct: Correct,
  ): Promise<(name: string) => Promise<Outcome>> => {
    switch (action.kind) {
      case 'type':
        return async (idempotencyKey) => {
          const onLate = (lateAnswer: TypeTextAnswer): void => correct(toTypeOutcome(lateAnswer, isSecret));
          const typing = { text: action.text, ...(isSecret ? { isSecret } : {}) };
          return toTypeOutcome(
            await devices.send(device, typeText, typing, { id: idempotencyKey, onLateAnswer: onLate }),
            isSecret,
          );
        };
      case 'press':
        return async (idempotencyKey) => {
          await devices.send(
            device,
            pressKeys,
            { keys: [...action.keys] },
            { id: idempotencyKey, onLateAnswer: () => correct(DONE) },
          );
          return DONE;
        };
      case 'script': {
        const text = await scripts.getText(device.account, action.name);
        return async (idempotencyKey) => {
          await devices.send(
            device,
            runScript,
            { name: action.name, text },
            { id: idempotencyKey, onLateAnswer: () => correct(DONE) },
          );
          return DONE;
        };
      }
    }
  };

  const begin = async (message: Message, existing: SentMessage | undefined): Promise<SentMessage> => {
    const received = now().epochMilliseconds;
    const sent = existing ?? {
      ...message,
      id: await history.begin(message, received),
      received,
      outcome: '',
      isDone: false,
    };
    publish(sent, '');
    onStored(message.account);
    return sent;
  };

  /**
   * The sender does not wait for this. Until the outcome is stored, `running` knows it, and after a crash the device
   * does.
   */
  const conclude = async (sent: SentMessage, outcome: Outcome): Promise<void> => {
    try {
      const stored = storedOutcome(sent, outcome);
      // A message that the user deleted meanwhile must not reappear.
      if (await history.saveOutcome(sent.account, sent.id, stored, outcome.isDone)) publish(sent, stored);
    } catch (error) {
      log.error({ err: error, device: sent.device }, 'remote.message.outcome_unsaved');
    }
  };

  const execute = async (message: Message, device: Device, idempotencyKey: string): Promise<string> => {
    const existing = await history.find(message);
    if (existing?.isDone) {
      running.delete(idempotencyKey);
      return existing.outcome;
    }
    const action = parseMessageAction(message.type, message.text);
    checkAble(device, action.kind === 'script' ? 'scripts' : 'keyboard');
    let storedMessage: SentMessage | undefined;
    const sendCommand = await prepare(device, action, message.unstoredKey !== undefined, (outcome) => {
      if (storedMessage === undefined) return;
      const write = conclude(storedMessage, outcome).finally(() => writes.delete(write));
      writes.add(write);
    });
    // Runs in parallel, because a disk may be slower than the device. Nothing is reported before both are done, and a
    // crash in between does no harm, since the device knows the key.
    const [sent, outcome] = await Promise.all([begin(message, existing), toOutcome(sendCommand(idempotencyKey))]);
    storedMessage = sent;
    const entry = running.get(idempotencyKey);
    if (entry) entry.known = storedOutcome(sent, outcome);
    const write = conclude(sent, outcome).finally(() => {
      running.delete(idempotencyKey);
      writes.delete(write);
    });
    writes.add(write);
    // A failed message may be retried immediately, so its failure must be stored before the answer.
    if (!outcome.isDone) await write;
    return outcome.message;
  };

  const start = (message: Message, device: Device, idempotencyKey: string): RunningMessage => {
    const outcome = execute(message, device, idempotencyKey).catch((error: unknown) => {
      running.delete(idempotencyKey);
      throw error;
    });
    const entry: RunningMessage = { outcome, known: '' };
    running.set(idempotencyKey, entry);
    return entry;
  };

  return {
    send: async (message, device) => {
      const idempotencyKey = getIdempotencyKey(message);
      const outcome = await (running.get(idempotencyKey) ?? start(message, device, idempotencyKey)).outcome;
      if (outcome !== 'ok')
        throw new Refusal(outcome === NO_ANSWER_MESSAGE ? 'device.no_response' : 'remote.not_done', outcome);
    },
    outcomeNow: (sent) => {
      const entry = running.get(getIdempotencyKey(sent));
      if (entry) return entry.known;
      return sent.outcome === '' ? LOST : sent.outcome;
    },
    stop: async () => {
      await Promise.all(writes);
    },
  };
}

type TypeTextAnswer = CommandAnswerOf<typeof typeText>;

const toTypeOutcome = ({ dropped, droppedCount = dropped.length }: TypeTextAnswer, isSecret: boolean): Outcome => {
  const sentence = isSecret ? droppedCountSentence(droppedCount) : toStorable(droppedSentence(dropped));
  return { message: droppedCount === 0 ? 'ok' : sentence, isDone: true };
};

/** Makes a device's sentence storable in every database. */
const toStorable = (sentence: string): string => sentence.replaceAll('\0', '').slice(0, 300).toWellFormed();
