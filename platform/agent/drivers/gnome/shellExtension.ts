// The source of our extension for GNOME Shell. It runs inside of the shell, and answers the agent over D-Bus.

/** Name of the extension, of its bus name and of its interface. */
export const EXTENSION_UUID = 'pegboard@pegboard.local';
export const EXTENSION_SERVICE = {
  destination: 'org.pegboard.Shell',
  path: '/org/pegboard/Shell',
  interface: 'org.pegboard.Shell',
} as const;

/** First version of GNOME Shell with extensions as JavaScript modules. */
const FIRST_MODULE_VERSION = 45;
const LEGACY_VERSIONS = ['43', '44'];
const MODULE_VERSIONS = ['45', '46', '47', '48', '49', '50', '51'];

const LEGACY_HEADER = `const { Clutter, Gio, GLib, Meta, Shell } = imports.gi;
const Main = imports.ui.main;
const { getInputSourceManager } = imports.ui.status.keyboard;
`;
const MODULE_HEADER = `import Clutter from 'gi://Clutter';
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import Meta from 'gi://Meta';
import Shell from 'gi://Shell';
import * as Main from 'resource:///org/gnome/shell/ui/main.js';
import { getInputSourceManager } from 'resource:///org/gnome/shell/ui/status/keyboard.js';
import { Extension } from 'resource:///org/gnome/shell/extensions/extension.js';
`;
const LEGACY_FOOTER = `
function init() {
  return new PegboardService();
}
`;
const MODULE_FOOTER = `
export default class PegboardExtension extends Extension {
  enable() {
    this.service = new PegboardService();
    this.service.enable();
  }
  disable() {
    this.service.disable();
    this.service = null;
  }
}
`;

/** Both forms share this. Hotkeys belong to the program on the bus that set them, and end with it. */
const SERVICE = `
const XML = \`<node><interface name="${EXTENSION_SERVICE.interface}">
  <method name="GetState"><arg type="s" direction="out"/></method>
  <method name="SetHotkeys"><arg type="as" direction="in"/><arg type="ab" direction="out"/></method>
  <signal name="StateChanged"><arg type="s"/></signal>
  <signal name="HotkeyPressed"><arg type="u"/><arg type="b"/></signal>
</interface></node>\`;

class PegboardService {
  enable() {
    this._actions = [];
    this._owner = '';
    this._watch = 0;
    this._connections = [];
    this._windowConnections = new Map();
    this._object = Gio.DBusExportedObject.wrapJSObject(XML, this);
    this._object.export(Gio.DBus.session, '${EXTENSION_SERVICE.path}');
    const sources = getInputSourceManager();
    const notify = () => this._notify();
    this._connect(global.display, 'notify::focus-window', notify);
    this._connect(global.display, 'window-created', (_display, window) => {
      this._follow(window);
      notify();
    });
    this._connect(global.display, 'accelerator-activated', (_display, action) => this._press(action));
    this._connect(sources, 'current-source-changed', notify);
    // The window behind the overview keeps the focus.
    for (const signal of ['showing', 'shown', 'hiding', 'hidden']) this._connect(Main.overview, signal, notify);
    for (const window of this._listWindows()) this._follow(window);
    this._name = Gio.bus_own_name(Gio.BusType.SESSION, '${EXTENSION_SERVICE.destination}', 0, null, null, null);
  }

  disable() {
    this._release();
    for (const [object, id] of this._connections) object.disconnect(id);
    for (const [window, ids] of this._windowConnections) for (const id of ids) window.disconnect(id);
    this._windowConnections.clear();
    if (this._idle) GLib.source_remove(this._idle);
    this._idle = 0;
    this._object.unexport();
    Gio.bus_unown_name(this._name);
  }

  _connect(object, signal, handler) {
    this._connections.push([object, object.connect(signal, handler)]);
  }

  _follow(window) {
    if (this._windowConnections.has(window)) return;
    const ids = ['notify::title', 'notify::wm-class', 'notify::skip-taskbar'].map((signal) =>
      window.connect(signal, () => this._notify()));
    ids.push(window.connect('unmanaged', () => {
      this._windowConnections.delete(window);
      this._notify();
    }));
    this._windowConnections.set(window, ids);
  }

  _listWindows() {
    return global.get_window_actors().map((actor) => actor.meta_window).filter((window) => window);
  }

  /** Changes that happen together are sent once. */
  _notify() {
    if (this._idle) return;
    this._idle = GLib.idle_add(GLib.PRIORITY_DEFAULT, () => {
      this._idle = 0;
      this._object.emit_signal('StateChanged', new GLib.Variant('(s)', [this.GetState()]));
      return GLib.SOURCE_REMOVE;
    });
  }

  /** The shell puts three layouts into each keymap, and a fourth one for shortcuts. */
  _getLayoutGroup() {
    const { inputSources, currentSource } = getInputSourceManager();
    const ids = [...new Set(Object.values(inputSources).map((source) => source.xkbId))];
    return currentSource ? Math.max(0, ids.indexOf(currentSource.xkbId)) % 3 : 0;
  }

  GetState() {
    const focused = global.display.focus_window;
    const windows = this._listWindows()
      .filter((window) => !window.is_skip_taskbar() || window === focused)
      .map((window) => ({
        id: window.get_stable_sequence(),
        application: window.get_wm_class() || window.get_gtk_application_id() || '',
        pid: window.get_pid(),
        title: window.get_title() || '',
        isX11: window.get_client_type() === Meta.WindowClientType.X11,
        isFocused: window === focused && !Main.overview.visible,
      }));
    return JSON.stringify({ windows, isOverviewOpen: Main.overview.visible, layoutGroup: this._getLayoutGroup() });
  }

  _release() {
    for (const action of this._actions) {
      if (action === Meta.KeyBindingAction.NONE) continue;
      Main.wm.allowKeybinding(Meta.external_binding_name_for_action(action), Shell.ActionMode.NONE);
      global.display.ungrab_accelerator(action);
    }
    this._actions = [];
    if (this._watch) Gio.bus_unwatch_name(this._watch);
    this._watch = 0;
  }

  _grab(accelerator) {
    const action = global.display.grab_accelerator(accelerator, Meta.KeyBindingFlags.NONE);
    if (action !== Meta.KeyBindingAction.NONE)
      Main.wm.allowKeybinding(Meta.external_binding_name_for_action(action), Shell.ActionMode.ALL);
    return action;
  }

  SetHotkeysAsync([accelerators], invocation) {
    this._release();
    this._owner = invocation.get_sender();
    this._actions = accelerators.map((accelerator) => this._grab(accelerator));
    if (accelerators.length > 0)
      this._watch = Gio.bus_watch_name_on_connection(
        Gio.DBus.session, this._owner, Gio.BusNameWatcherFlags.NONE, null, () => this._release());
    const isGrabbed = this._actions.map((action) => action !== Meta.KeyBindingAction.NONE);
    invocation.return_value(new GLib.Variant('(ab)', [isGrabbed]));
  }

  _press(action) {
    const index = this._actions.indexOf(action);
    if (index < 0) return;
    const event = Clutter.get_current_event();
    const isRepeated = event ? (event.get_flags() & Clutter.EventFlags.FLAG_REPEATED) !== 0 : false;
    Gio.DBus.session.emit_signal(this._owner, '${EXTENSION_SERVICE.path}', '${EXTENSION_SERVICE.interface}',
      'HotkeyPressed', new GLib.Variant('(ub)', [index, isRepeated]));
  }
}
`;

/** Returns the files of the extension for a version of GNOME Shell, such as 43, by name. */
export function createExtensionFiles(majorVersion: number): ReadonlyMap<string, string> {
  const isModule = majorVersion >= FIRST_MODULE_VERSION;
  const versions = isModule ? MODULE_VERSIONS : LEGACY_VERSIONS;
  const metadata = {
    uuid: EXTENSION_UUID,
    name: 'Pegboard',
    description: 'Tells the Pegboard agent which windows are open, and listens for its hotkeys',
    'shell-version': [...new Set([...versions, String(majorVersion)])],
  };
  return new Map([
    ['metadata.json', `${JSON.stringify(metadata, undefined, 2)}\n`],
    [
      'extension.js',
      isModule ? `${MODULE_HEADER}${SERVICE}${MODULE_FOOTER}` : `${LEGACY_HEADER}${SERVICE}${LEGACY_FOOTER}`,
    ],
  ]);
}
