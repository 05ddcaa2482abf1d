import { createHash } from 'node:crypto';
import { NO_ANSWER_MESSAGE, type CommandAnswerOf } from '#platform/contract/command.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import type { Device } from '#platform/server/devices/deviceLink.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import { historyChanged, pressKeys, runScript, typeText } from '../contract.ts';
import {
  formatDroppedCount,
  formatDroppedCharacters,
  parseMessageAction,
  type MessageAction,
} from '../domain/outgoingMessage.ts';
import { createHistoryStore, type Message, type SentMessage } from './historyStore.ts';
import { createScriptStore } from './scriptStore.ts';

/** The outcome of a message. `isDone` means that the device has done it, at least partly. */
interface Outcome {
  readonly message: string;
  readonly isDone: boolean;
}

/**
 * Returns an idempotency key for the device, which runs each key only once. The key depends only on the message, so it
 * is the same after a crash that left no row.
 */
const getIdempotencyKey = ({ account, device, type, text, timesent, unstoredKey }: Message): string =>
  createHash('sha256')
    // The device stores the key, so it must not be derived from a text that must not be stored.
    .update(JSON.stringify([account, device, type, unstoredKey === undefined ? text : [unstoredKey], timesent]))
    .digest('base64url');

const featureByAbility = { keyboard: 'typing', scripts: 'scripts', mouse: 'mouse control' };

/**
 * Returns the device.
 * @throws Refusal if the device has reported that it lacks the ability, or is a browser.
 */
export function requireAbility(device: Device, abilityName: keyof typeof featureByAbility): Device {
  if (device.kind === 'browser')
    throw new Refusal(
      'device.is_browser',
      `${device.name} is a browser, so it only receives messages. Choose a computer`,
    );
  const ability = device.abilities[abilityName];
  if (ability && !ability.able)
    throw new Refusal(
      'device.feature_off',
      ability.reason ?? `${device.name} does not allow ${featureByAbility[abilityName]}`,
    );
  return device;
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
  readonly getOutcome: (sent: SentMessage) => string;
  /** Waits for pending writes. */
  readonly stop: () => Promise<void>;
}

/** A message whose outcome is not stored yet. */
interface RunningMessage {
  readonly outcome: Promise<string>;
  /** '' until the outcome is known. */
  knownOutcome: string;
}

const DONE: Outcome = { message: 'ok', isDone: true };

const INTERRUPTED_MESSAGE =
  'The server stopped before the device responded. Check the computer before you send this again';
/** Stored instead of the device's sentence, which may name keys of a message that must not be stored. */
const NOT_DONE_MESSAGE = 'The computer did not do this. Try again';

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

/** Returns the outcome to store and to publish. Only the sender gets the full one. */
const toStoredOutcome = ({ type, unstoredKey }: Message, { message }: Outcome): string =>
  unstoredKey === undefined || type === 1 || message === 'ok' || message === NO_ANSWER_MESSAGE
    ? message
    : NOT_DONE_MESSAGE;

/**
 * Creates the service that sends each message once: requests with the same message and time get the same answer,
 * whether they are sent later, concurrently or after a crash.
 */
export function createMessageSender(
  { database, devices, realtime, log, now }: ServerContext,
  onStored: (account: number) => void,
): MessageSender {
  const history = createHistoryStore(database);
  const scripts = createScriptStore(database);
  const runningMessages = new Map<string, RunningMessage>();
  const pendingWrites = new Set<Promise<void>>();

  const publish = (sent: SentMessage, outcome: string): void =>
    realtime.send(`account:${sent.account}`, historyChanged, {
      target: String(sent.device),
      entry: toHistoryEntry(sent, outcome),
    });

  /**
   * Prepares the device command before the message is stored.
   * @param onLateOutcome is called if the device answers after the timeout
   * @throws Refusal for an unknown script.
   */
  async function prepareCommand(
    device: Device,
    action: MessageAction,
    isSecret: boolean,
    onLateOutcome: (outcome: Outcome) => void,
  ): Promise<(idempotencyKey: string) => Promise<Outcome>> {
    const onLateAnswer = (): void => onLateOutcome(DONE);
    switch (action.kind) {
      case 'type':
        return async (id) => {
          const request = { text: action.text, ...(isSecret ? { isSecret } : {}) };
          const answer = await devices.send(device, typeText, request, {
            id,
            onLateAnswer: (lateAnswer) => onLateOutcome(toTypeOutcome(lateAnswer, isSecret)),
          });
          return toTypeOutcome(answer, isSecret);
        };
      case 'press':
        return async (id) => {
          await devices.send(device, pressKeys, { keys: [...action.keys] }, { id, onLateAnswer });
          return DONE;
        };
      case 'script': {
        const text = await scripts.getText(device.account, action.name);
        return async (id) => {
          await devices.send(device, runScript, { name: action.name, text }, { id, onLateAnswer });
          return DONE;
        };
      }
    }
  }

  async function insertMessage(message: Message, existing: SentMessage | undefined): Promise<SentMessage> {
    const received = now().epochMilliseconds;
    const sent = existing ?? {
      ...message,
      id: await history.insert(message, received),
      received,
      outcome: '',
      isDone: false,
    };
    publish(sent, '');
    onStored(message.account);
    return sent;
  }

  /** Runs after the answer to the sender. Until it is done, `runningMessages` has the outcome, or else the device. */
  async function saveOutcome(sent: SentMessage, outcome: Outcome): Promise<void> {
    try {
      const stored = toStoredOutcome(sent, outcome);
      // A message that the user deleted meanwhile must not reappear.
      if (await history.saveOutcome(sent.account, sent.id, stored, outcome.isDone)) publish(sent, stored);
    } catch (error) {
      log.error({ err: error, device: sent.device }, 'remote.message.outcome_unsaved');
    }
  }

  async function execute(message: Message, device: Device, idempotencyKey: string): Promise<string> {
    const existing = await history.find(message);
    if (existing?.isDone) {
      runningMessages.delete(idempotencyKey);
      return existing.outcome;
    }
    const action = parseMessageAction(message.type, message.text);
    requireAbility(device, action.kind === 'script' ? 'scripts' : 'keyboard');
    let storedMessage: SentMessage | undefined;
    const sendCommand = await prepareCommand(device, action, message.unstoredKey !== undefined, (outcome) => {
      if (storedMessage === undefined) return;
      const write = saveOutcome(storedMessage, outcome).finally(() => pendingWrites.delete(write));
      pendingWrites.add(write);
    });
    // Runs in parallel, because a disk may be slower than the device. A crash in between does no harm: the device knows
    // the key.
    const [sent, outcome] = await Promise.all([
      insertMessage(message, existing),
      toOutcome(sendCommand(idempotencyKey)),
    ]);
    storedMessage = sent;
    const runningMessage = runningMessages.get(idempotencyKey);
    if (runningMessage) runningMessage.knownOutcome = toStoredOutcome(sent, outcome);
    const write = saveOutcome(sent, outcome).finally(() => {
      runningMessages.delete(idempotencyKey);
      pendingWrites.delete(write);
    });
    pendingWrites.add(write);
    // A failed message may be retried immediately, so its failure must be stored before the answer.
    if (!outcome.isDone) await write;
    return outcome.message;
  }

  function start(message: Message, device: Device, idempotencyKey: string): RunningMessage {
    const outcome = execute(message, device, idempotencyKey).catch((error: unknown) => {
      runningMessages.delete(idempotencyKey);
      throw error;
    });
    const runningMessage: RunningMessage = { outcome, knownOutcome: '' };
    runningMessages.set(idempotencyKey, runningMessage);
    return runningMessage;
  }

  return {
    send: async (message, device) => {
      const idempotencyKey = getIdempotencyKey(message);
      const outcome = await (runningMessages.get(idempotencyKey) ?? start(message, device, idempotencyKey)).outcome;
      if (outcome !== 'ok')
        throw new Refusal(outcome === NO_ANSWER_MESSAGE ? 'device.no_response' : 'remote.not_done', outcome);
    },
    getOutcome: (sent) => {
      const runningMessage = runningMessages.get(getIdempotencyKey(sent));
      if (runningMessage) return runningMessage.knownOutcome;
      return sent.outcome === '' ? INTERRUPTED_MESSAGE : sent.outcome;
    },
    stop: async () => {
      await Promise.all(pendingWrites);
    },
  };
}

function toTypeOutcome(
  { dropped, droppedCount = dropped.length }: CommandAnswerOf<typeof typeText>,
  isSecret: boolean,
): Outcome {
  const sentence = isSecret ? formatDroppedCount(droppedCount) : toStorable(formatDroppedCharacters(dropped));
  return { message: droppedCount === 0 ? 'ok' : sentence, isDone: true };
}

/** Makes a device's sentence storable in every database. */
const toStorable = (sentence: string): string => sentence.replaceAll('\0', '').slice(0, 300).toWellFormed();
