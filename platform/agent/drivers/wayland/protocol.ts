/** Messages of an interface: their names with the kinds of their arguments, such as `key:uuuu`. */
export interface InterfaceDefinition {
  readonly requests: readonly string[];
  readonly events: readonly string[];
  /** The interface of objects that events create. */
  readonly child?: string;
}

/**
 * The parts of Wayland's protocols that the agent uses, in the order of their protocol files. Messages at the end that
 * are not used are left out. The kinds of arguments are:
 *
 * - `i`, `u`: a whole number, with or without a sign
 * - `f`: a number, sent in steps of 1/256
 * - `s`: a text
 * - `a`: bytes
 * - `h`: a file descriptor
 * - `o`: an object, or undefined
 * - `n`: a new object
 */
export const interfaces = {
  wl_display: { requests: ['sync:n', 'get_registry:n'], events: ['error:ous', 'delete_id:u'] },
  // The new object of `bind` comes with the name and the version of its interface.
  wl_registry: { requests: ['bind:usun'], events: ['global:usu', 'global_remove:u'] },
  wl_callback: { requests: [], events: ['done:u'] },
  wl_seat: {
    requests: ['get_pointer:n', 'get_keyboard:n', 'get_touch:n', 'release:'],
    events: ['capabilities:u', 'name:s'],
  },
  wl_keyboard: {
    requests: ['release:'],
    events: ['keymap:uhu', 'enter:uoa', 'leave:uo', 'key:uuuu', 'modifiers:uuuuu', 'repeat_info:ii'],
  },
  wl_output: {
    requests: ['release:'],
    events: ['geometry:iiiiissi', 'mode:uiii', 'done:', 'scale:i', 'name:s', 'description:s'],
  },
  zwp_virtual_keyboard_manager_v1: { requests: ['create_virtual_keyboard:on'], events: [] },
  zwp_virtual_keyboard_v1: { requests: ['keymap:uhu', 'key:uuu', 'modifiers:uuuu', 'destroy:'], events: [] },
  zwp_input_method_manager_v2: { requests: ['get_input_method:on', 'destroy:'], events: [] },
  zwp_input_method_v2: {
    requests: [
      'commit_string:s',
      'set_preedit_string:sii',
      'delete_surrounding_text:uu',
      'commit:u',
      'get_input_popup_surface:no',
      'grab_keyboard:n',
      'destroy:',
    ],
    events: [
      'activate:',
      'deactivate:',
      'surrounding_text:suu',
      'text_change_cause:u',
      'content_type:uu',
      'done:',
      'unavailable:',
    ],
  },
  zwlr_virtual_pointer_manager_v1: { requests: ['create_virtual_pointer:on', 'destroy:'], events: [] },
  zwlr_virtual_pointer_v1: {
    requests: [
      'motion:uff',
      'motion_absolute:uuuuu',
      'button:uuu',
      'axis:uuf',
      'frame:',
      'axis_source:u',
      'axis_stop:uu',
      'axis_discrete:uufi',
      'destroy:',
    ],
    events: [],
  },
  zwlr_data_control_manager_v1: {
    requests: ['create_data_source:n', 'get_data_device:no', 'destroy:'],
    events: [],
  },
  zwlr_data_control_device_v1: {
    requests: ['set_selection:o', 'destroy:', 'set_primary_selection:o'],
    events: ['data_offer:n', 'selection:o', 'finished:', 'primary_selection:o'],
    child: 'zwlr_data_control_offer_v1',
  },
  zwlr_data_control_source_v1: { requests: ['offer:s', 'destroy:'], events: ['send:sh', 'cancelled:'] },
  zwlr_data_control_offer_v1: { requests: ['receive:sh', 'destroy:'], events: ['offer:s'] },
  ext_data_control_manager_v1: {
    requests: ['create_data_source:n', 'get_data_device:no', 'destroy:'],
    events: [],
  },
  ext_data_control_device_v1: {
    requests: ['set_selection:o', 'destroy:', 'set_primary_selection:o'],
    events: ['data_offer:n', 'selection:o', 'finished:', 'primary_selection:o'],
    child: 'ext_data_control_offer_v1',
  },
  ext_data_control_source_v1: { requests: ['offer:s', 'destroy:'], events: ['send:sh', 'cancelled:'] },
  ext_data_control_offer_v1: { requests: ['receive:sh', 'destroy:'], events: ['offer:s'] },
  zwlr_foreign_toplevel_manager_v1: {
    requests: ['stop:'],
    events: ['toplevel:n', 'finished:'],
    child: 'zwlr_foreign_toplevel_handle_v1',
  },
  zwlr_foreign_toplevel_handle_v1: {
    requests: [
      'set_maximized:',
      'unset_maximized:',
      'set_minimized:',
      'unset_minimized:',
      'activate:o',
      'close:',
      'set_rectangle:oiiii',
      'destroy:',
    ],
    events: ['title:s', 'app_id:s', 'output_enter:o', 'output_leave:o', 'state:a', 'done:', 'closed:', 'parent:o'],
  },
  ext_idle_notifier_v1: { requests: ['destroy:', 'get_idle_notification:nuo'], events: [] },
  ext_idle_notification_v1: { requests: ['destroy:'], events: ['idled:', 'resumed:'] },
  org_kde_kwin_idle: { requests: ['get_idle_timeout:nou'], events: [] },
  org_kde_kwin_idle_timeout: { requests: ['release:', 'simulate_user_activity:'], events: ['idle:', 'resumed:'] },
  wl_shm: { requests: ['create_pool:nhi'], events: ['format:u'] },
  wl_shm_pool: { requests: ['create_buffer:niiiiu', 'destroy:', 'resize:i'], events: [] },
  wl_buffer: { requests: ['destroy:'], events: ['release:'] },
  zwlr_screencopy_manager_v1: {
    requests: ['capture_output:nio', 'capture_output_region:nioiiii', 'destroy:'],
    events: [],
  },
  zwlr_screencopy_frame_v1: {
    requests: ['copy:o', 'destroy:', 'copy_with_damage:o'],
    events: ['buffer:uuuu', 'flags:u', 'ready:uuu', 'failed:', 'damage:uuuu', 'linux_dmabuf:uuu', 'buffer_done:'],
  },
  org_kde_kwin_fake_input: {
    requests: [
      'authenticate:ss',
      'pointer_motion:ff',
      'button:uu',
      'axis:uf',
      'touch_down:uff',
      'touch_motion:uff',
      'touch_up:u',
      'touch_cancel:',
      'touch_frame:',
      'pointer_motion_absolute:ff',
      'keyboard_key:uu',
      'destroy:',
      'keyboard_keysym:uu',
    ],
    events: [],
  },
  org_kde_kwin_keystate: { requests: ['fetchStates:'], events: ['stateChanged:uu'] },
  // Only KWin offers it. Nothing of it is used.
  org_kde_plasma_shell: { requests: [], events: [] },
} as const satisfies Readonly<Record<string, InterfaceDefinition>>;

export type InterfaceName = keyof typeof interfaces;

/** An object of a connection. */
export interface ObjectId {
  readonly id: number;
}

interface ArgumentByKind {
  readonly i: number;
  readonly u: number;
  readonly f: number;
  readonly s: string;
  readonly a: Buffer;
  readonly h: number;
  readonly o: ObjectId | undefined;
  readonly n: ObjectId;
}
type ArgumentsOf<Kinds extends string, Kind = ArgumentByKind> = Kinds extends `${infer First}${infer Rest}`
  ? [First extends keyof Kind ? Kind[First] : never, ...ArgumentsOf<Rest, Kind>]
  : [];
type KindsOf<Messages extends readonly string[], Name extends string> =
  Extract<Messages[number], `${Name}:${string}`> extends `${Name}:${infer Kinds}` ? Kinds : never;
type NameOf<Text extends string> = Text extends `${infer Name}:${string}` ? Name : never;

/** Names of the requests of an interface. */
export type RequestName<I extends InterfaceName> = NameOf<(typeof interfaces)[I]['requests'][number]>;
/** Arguments of a request. */
export type RequestArguments<I extends InterfaceName, Name extends string> = ArgumentsOf<
  KindsOf<(typeof interfaces)[I]['requests'], Name>
>;

/** The interface of objects that events of an interface create. */
export type ChildOf<I extends InterfaceName> = (typeof interfaces)[I] extends { readonly child: infer Child }
  ? Child
  : never;
/** What events deliver: new objects are of the interface's `child`. */
interface EventArgumentByKind<New> extends Omit<ArgumentByKind, 'n'> {
  readonly n: New;
}
/** Listeners for the events of an interface, by event name. */
export type EventListeners<I extends InterfaceName, New = unknown> = {
  readonly [Event in (typeof interfaces)[I]['events'][number] as NameOf<Event>]?: (
    ...args: ArgumentsOf<KindsOf<(typeof interfaces)[I]['events'], NameOf<Event>>, EventArgumentByKind<New>>
  ) => void;
};

export interface Message {
  readonly name: string;
  readonly kinds: string;
}

/** Splits `key:uuuu` into its name and the kinds of its arguments. */
export function parseMessage(text: string): Message {
  const [name = '', kinds = ''] = text.split(':');
  return { name, kinds };
}
