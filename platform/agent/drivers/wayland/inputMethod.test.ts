import { expect, test } from 'vitest';
import type { WaylandConnection, WaylandObject } from './connection.ts';
import { openTextField, type TextField } from './inputMethod.ts';
import type { EventListeners } from './protocol.ts';

interface FakeField {
  readonly field: TextField;
  readonly getText: () => string;
  readonly loseFocus: () => void;
  /** The program itself adds '!' just before the next text or key. */
  readonly changeAfterSync: () => void;
  /** Presses a key that the program handles late. */
  readonly typeLate: (delayMs: number) => Promise<void>;
}

/** Opens a field of a program that reports each change twice. Its compositor drops commits with an old serial. */
async function openFakeField(): Promise<FakeField> {
  let text = '';
  let insertedText = '';
  let doneCount = 0;
  let listeners: EventListeners<'zwp_input_method_v2'> = {};
  const eventsOnTheWay: (() => void)[] = [];
  let onSynced: (() => void) | undefined;
  function report(): void {
    const reported = text;
    doneCount += 1;
    eventsOnTheWay.push(() => {
      listeners.surrounding_text?.(reported, reported.length, reported.length);
      listeners.done?.();
    });
  }
  function deliver(): void {
    for (const event of eventsOnTheWay.splice(0)) event();
  }
  /** The second report arrives when the compositor answers again. */
  const reportTwice = (): void =>
    void setImmediate(() => {
      report();
      deliver();
      report();
    });
  function handleRequest(request: string, argument: unknown): void {
    if (request === 'commit_string') insertedText = String(argument);
    if (request !== 'commit' || argument !== doneCount) return;
    text += insertedText;
    reportTwice();
  }
  const inputMethod = { send: handleRequest } as unknown as WaylandObject<'zwp_input_method_v2'>;
  const connection = {
    create: (_name: string, given: typeof listeners) => {
      listeners = given;
      return inputMethod;
    },
    sync: async (onHandled?: () => void) => {
      deliver();
      onHandled?.();
      onSynced?.();
      onSynced = undefined;
    },
  } as unknown as Pick<WaylandConnection, 'create' | 'sync'>;
  const manager = {
    send: () => {
      listeners.activate?.();
      reportTwice();
    },
  } as unknown as WaylandObject<'zwp_input_method_manager_v2'>;
  const field = await openTextField(connection, {} as WaylandObject<'wl_seat'>, manager);
  if (!field) throw new Error('the field was not found');
  return {
    field,
    getText: () => text,
    changeAfterSync: () => {
      onSynced = () => {
        text += '!';
        report();
      };
    },
    typeLate: (delayMs) => {
      setTimeout(() => {
        text += '\n';
        reportTwice();
      }, delayMs);
      return connection.sync();
    },
    loseFocus: () => {
      eventsOnTheWay.push(() => listeners.deactivate?.());
      report();
    },
  };
}

test('no part of a text is lost while the program still reports the one before', async () => {
  const { field, getText } = await openFakeField();
  for (const part of ['Grüße ', '👋', ' мир']) await field.insert(part);
  expect(getText()).toBe('Grüße 👋 мир');
});

test('nothing is inserted after the field has lost the focus', async () => {
  const { field, getText, loseFocus } = await openFakeField();
  await field.insert('👋');
  loseFocus();
  await expect(field.insert('🎉')).rejects.toThrow('Another window took the focus');
  expect(getText()).toBe('👋');
});

test('a text that the compositor drops, because the program has just reported a change, is inserted again', async () => {
  const { field, getText, changeAfterSync } = await openFakeField();
  await field.insert('👋');
  changeAfterSync();
  await field.insert('🎉');
  expect(getText()).toBe('👋!🎉');
});

test('a change that the program reports before it gets a key is not taken for the change by the key', async () => {
  const { field, changeAfterSync, typeLate } = await openFakeField();
  await field.insert('👋');
  changeAfterSync();
  const startedAt = performance.now();
  await field.pressKeys(() => typeLate(300));
  expect(performance.now() - startedAt).toBeGreaterThan(250);
});
