import { EventEmitter } from 'node:events';
import { createContext, runInContext } from 'node:vm';
import { expect, test } from 'vitest';
import type { ExtensionState } from './extensionClient.ts';
import { createExtensionFiles } from './shellExtension.ts';
import { findFocused } from './windows.ts';

/** An object of the shell with its signals. Returns the function that emits them. */
function createObject<T extends object>(properties: T) {
  const emitter = new EventEmitter();
  let nextId = 1;
  const object = Object.assign(properties, {
    connect: (signal: string, handler: () => void) => {
      emitter.on(signal, handler);
      return nextId++;
    },
    disconnect: () => undefined,
  });
  return { object, emit: (signal: string) => emitter.emit(signal) };
}

/** Runs the extension in a shell of objects, and collects the states that it sends. */
function startExtension() {
  const window = {
    is_skip_taskbar: () => false,
    get_stable_sequence: () => 1,
    get_wm_class: () => 'Editor',
    get_pid: () => 2,
    get_title: () => 'text',
    get_client_type: () => 0,
    connect: () => 1,
    disconnect: () => undefined,
  };
  const overview = createObject({ visible: false });
  const display = createObject({ focus_window: window });
  const sources = createObject({ inputSources: {}, currentSource: undefined });
  const states: string[] = [];
  const tasks: (() => void)[] = [];
  const context = createContext({
    global: { display: display.object, get_window_actors: () => [{ meta_window: window }] },
    imports: {
      gi: {
        Clutter: {},
        Meta: { WindowClientType: { X11: 1 } },
        Shell: {},
        Gio: {
          DBus: {},
          BusType: {},
          bus_own_name: () => 1,
          bus_unown_name: () => undefined,
          DBusExportedObject: {
            wrapJSObject: () => ({
              export: () => undefined,
              unexport: () => undefined,
              emit_signal: (_name: string, value: readonly string[]) => void states.push(String(value[0])),
            }),
          },
        },
        GLib: {
          idle_add: (_priority: number, task: () => void) => tasks.push(task),
          source_remove: () => undefined,
          Variant: class extends Array<string> {
            constructor(_signature: string, values: readonly string[]) {
              super();
              this.push(...values);
            }
          },
        },
      },
      ui: {
        main: { overview: overview.object, wm: {} },
        status: { keyboard: { getInputSourceManager: () => sources.object } },
      },
    },
  });
  runInContext(`${createExtensionFiles(43).get('extension.js') ?? ''}\ninit().enable();`, context);
  /** Returns the last state that was sent; undefined if none was sent. */
  function takeState(): ExtensionState | undefined {
    for (const task of tasks.splice(0)) task();
    const state = states.splice(0).at(-1);
    return state === undefined ? undefined : JSON.parse(state);
  }
  return { overview, takeState };
}

test('while the overview is open, no window is active and its search gets the text', () => {
  const { overview, takeState } = startExtension();
  overview.object.visible = true;
  overview.emit('showing');
  const opened = takeState();
  expect(opened?.windows[0]?.isFocused).toBe(false);
  expect(findFocused(opened)).toEqual({ id: 0, application: '', isX11: false });
  overview.object.visible = false;
  overview.emit('hidden');
  const closed = takeState();
  expect(closed?.windows[0]?.isFocused).toBe(true);
  expect(findFocused(closed)).toMatchObject({ id: 1, application: 'Editor' });
});
