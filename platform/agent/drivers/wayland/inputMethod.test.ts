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
  /** The same, but the focus moves to another field of the program. */
  readonly moveAfterSync: () => void;
  /** The program itself adds '!' later. */
  readonly changeLater: (delayMs: number) => void;
  /** Presses a key that the program handles late. */
  readonly typeLate: (delayMs: number) => Promise<void>;
}

interface FakeFieldOptions {
  /** Whether the compositor drops commits with an old serial: wlroots does from 0.17.1 on. */
  readonly dropsStale?: boolean;
  readonly reportDelayMs?: number;
  readonly reportsText?: boolean;
}

/** Opens a field of a program that reports each change twice. */
async function openFakeField(options: FakeFieldOptions = {}): Promise<FakeField> {
  const { dropsStale = true, reportDelayMs = 0, reportsText = true } = options;
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
      const cursor = Buffer.byteLength(reported);
      if (reportsText) listeners.surrounding_text?.(reported, cursor, cursor);
      listeners.done?.();
    });
  }
  function deliver(): void {
    for (const event of eventsOnTheWay.splice(0)) event();
  }
  /** The second report arrives when the compositor answers again. */
  const reportTwice = (delayMs = 0): void =>
    void setTimeout(() => {
      report();
      deliver();
      report();
    }, delayMs);
  function handleRequest(request: string, argument: unknown): void {
    if (request === 'commit_string') insertedText = String(argument);
    if (request !== 'commit' || (dropsStale && argument !== doneCount)) return;
    text += insertedText;
    reportTwice(reportDelayMs);
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
    moveAfterSync: () => {
      onSynced = () => {
        text = '';
        eventsOnTheWay.push(
          () => listeners.deactivate?.(),
          () => listeners.activate?.(),
        );
        report();
      };
    },
    changeLater: (delayMs) =>
      void setTimeout(() => {
        text += '!';
        reportTwice();
      }, delayMs),
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

test('a text that the compositor has dropped is inserted again as soon as a later report lacks it', async () => {
  const { field, getText, changeAfterSync, changeLater } = await openFakeField();
  await field.insert('👋');
  changeAfterSync();
  changeLater(100);
  await field.insert('🎉');
  expect(getText()).toBe('👋!!🎉');
});

test.each([
  { dropsStale: true, text: '!' },
  { dropsStale: false, reportDelayMs: 1500, text: '!🎉' },
])('a text is not inserted again while no report shows whether it is there: $text', async ({ text, ...options }) => {
  const { field, getText, changeAfterSync } = await openFakeField(options);
  changeAfterSync();
  await expect(field.insert('🎉')).rejects.toThrow('may be missing. Check the text there');
  expect(getText()).toBe(text);
});

test.each([
  { reportDelayMs: 500, expected: '👋!🎉' },
  { reportsText: false, expected: '👋!🎉' },
])('a compositor that applies each text inserts it once: $reportDelayMs', async ({ expected, ...options }) => {
  const { field, getText, changeAfterSync } = await openFakeField({ ...options, dropsStale: false });
  await field.insert('👋');
  changeAfterSync();
  await field.insert('🎉');
  expect(getText()).toBe(expected);
});

test.each([true, false])('no text is inserted again in the next field (if it is dropped: %j)', async (dropsStale) => {
  const { field, getText, moveAfterSync } = await openFakeField({ dropsStale });
  await field.insert('👋');
  moveAfterSync();
  await expect(field.insert('🎉')).rejects.toThrow('Another window took the focus');
  expect(getText()).toBe(dropsStale ? '' : '🎉');
});

test('a change that the program reports before it gets a key is not taken for the change by the key', async () => {
  const { field, changeAfterSync, typeLate } = await openFakeField();
  await field.insert('👋');
  changeAfterSync();
  const startedAt = performance.now();
  await field.pressKeys(() => typeLate(300));
  expect(performance.now() - startedAt).toBeGreaterThan(250);
});
