import { EventEmitter } from 'node:events';
import type { DBusCall, SessionBus } from '@homebridge/dbus-native';

/** Answers a call, as the bus does. */
export type AnswerCall = Parameters<SessionBus['invoke']>[1];

/** Creates a bus that passes calls to a test. Emit 'message' and 'end' on its connection. */
export function createFakeBus(handleCall: (call: DBusCall, answer: AnswerCall) => void): SessionBus {
  const connection = Object.assign(new EventEmitter(), { stream: {}, end: () => undefined });
  return {
    name: ':1.1',
    connection,
    addMatch: (_rule: string, done: (error: null) => void) => done(null),
    invoke: handleCall,
  } as unknown as SessionBus;
}
