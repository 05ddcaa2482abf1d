import * as z from 'zod/mini';
import type { OpenWindow, WindowsDriver } from '../drivers.ts';
import { getProgramName } from '../processes.ts';
import { NO_IDLE_TIME_MESSAGE, type IdleTime } from '../wayland/idleTime.ts';
import type { FocusedWindow } from '../wayland/keyboard.ts';
import type { SwayIpc } from './ipc.ts';

const UNNAMED_APPLICATION = 'Unnamed';

/** A node of sway's tree. Only windows have a process. */
const treeNode = z.object({
  id: z.number(),
  focused: z.boolean(),
  name: z.optional(z.nullable(z.string())),
  pid: z.optional(z.number()),
  app_id: z.optional(z.nullable(z.string())),
  shell: z.optional(z.string()),
  window_properties: z.optional(z.object({ class: z.optional(z.nullable(z.string())) })),
  get nodes() {
    return z.optional(z.array(treeNode));
  },
  get floating_nodes() {
    return z.optional(z.array(treeNode));
  },
});
type TreeNode = z.output<typeof treeNode>;

interface SwayWindow extends OpenWindow {
  readonly title: string;
  readonly isFocused: boolean;
  readonly isX11: boolean;
}

/** Lists the windows of a tree. */
export function listWindows(tree: unknown): readonly SwayWindow[] {
  const windows: SwayWindow[] = [];
  function visit({ id, focused, name, pid, app_id, shell, window_properties, nodes, floating_nodes }: TreeNode): void {
    if (pid !== undefined)
      windows.push({
        id,
        pid,
        application: app_id || window_properties?.class || getProgramName(pid) || UNNAMED_APPLICATION,
        title: name ?? '',
        isFocused: focused,
        isX11: shell === 'xwayland',
      });
    for (const node of [...(nodes ?? []), ...(floating_nodes ?? [])]) visit(node);
  }
  visit(treeNode.parse(tree));
  return windows;
}

/** Outside of the tree: launchers, panels and lock screens. */
const SURFACE_OUTSIDE_TREE: FocusedWindow = { id: 0, isX11: false };

/** Returns what gets the keys. A workspace that has the focus drops them. */
export function findFocused(tree: unknown): FocusedWindow | undefined {
  const hasFocus = ({ focused, nodes = [], floating_nodes = [] }: TreeNode): boolean =>
    focused || nodes.some(hasFocus) || floating_nodes.some(hasFocus);
  if (!hasFocus(treeNode.parse(tree))) return SURFACE_OUTSIDE_TREE;
  return listWindows(tree).find(({ isFocused }) => isFocused);
}

export interface SwayWindows extends WindowsDriver {
  /** Asks sway, as its events may be on the way. */
  readonly readFocused: () => Promise<FocusedWindow | undefined>;
}

/** Follows the windows of sway. */
export async function openSwayWindows(ipc: SwayIpc, idleTime: IdleTime): Promise<SwayWindows> {
  const listeners: (() => void)[] = [];
  let windows: readonly SwayWindow[] = [];
  let isReading = false;
  let isStale = false;
  async function read(): Promise<void> {
    isStale = true;
    if (isReading) return;
    isReading = true;
    try {
      while (isStale) {
        isStale = false;
        windows = listWindows(await ipc.request('get_tree'));
        // Immediately: the loop continues while windows keep changing.
        for (const listener of listeners) listener();
      }
    } finally {
      isReading = false;
    }
  }
  ipc.onEvent((event) => {
    // A workspace without windows has the focus itself.
    if (event === 'window' || event === 'workspace') read().catch(() => undefined); // sway has ended
  });
  await ipc.request('subscribe', JSON.stringify(['window', 'workspace', 'binding', 'mode']));
  await read();
  const toOpenWindow = ({ id, application, pid }: SwayWindow): OpenWindow => ({ id, application, pid });
  return {
    ability: idleTime.isAvailable ? { able: true } : { able: false, reason: NO_IDLE_TIME_MESSAGE },
    getActive: () => windows.filter(({ isFocused }) => isFocused).map(toOpenWindow)[0],
    readFocused: async () => findFocused(await ipc.request('get_tree')),
    listOpen: () => windows.map(toOpenWindow),
    onChange: (listener) => void listeners.push(listener),
    getTitle: async (id) => windows.find((window) => window.id === id)?.title ?? '',
    getIdleMs: async () => idleTime.getIdleMs(),
  };
}
