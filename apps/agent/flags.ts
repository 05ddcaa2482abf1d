import { parseArgs } from 'node:util';
import type { AllowedAbilities } from '#platform/agent/tool.ts';
import type { AbilityName } from '#platform/contract/device.ts';
import { Refusal } from '#platform/contract/refusal.ts';

export const USAGE = `Pegboard agent: lets your Pegboard server control this computer

  pair <address>       pair this computer with a server, then run
  run                  run on a paired computer
  status               show the state of the running agent
  pause, resume        pause everything, and resume
  pause usage [15]     stop tracking for that many minutes; \`resume usage\` ends the pause early
  exclude <name>       stop tracking an application
  include <name>       track it again
  titles on|off        record window titles, or stop recording them
  release              release every key and button
  try                  check what works on this computer, on a page that opens in your browser
  send "text"          send a message from this computer
  approve <script>     allow a script to run (with --confirm)
  activitywatch on|off accept data from ActivityWatch watchers on this computer, or stop
  capture start|stop   record this screen for the gallery (with --allow-capture)
  capture hotkey <keys>|off   set the keys for that (default: Ctrl+Alt+R)
  gnome-extension install|uninstall   let GNOME tell the agent about windows and hotkeys, or stop
  install, uninstall   start with the desktop, or stop doing so

  --no-keyboard --no-mouse --no-sound --no-usage --no-messages --no-notifications   turn off a feature
  --allow-scripts --allow-capture --allow-clipboard   turn on a feature
  --confirm            ask here before a script runs for the first time, and before the clipboard is read
  --origin <extension> allow this browser extension, such as chrome-extension://… (activitywatch on)
  --region X,Y,WxH     record this part of the screen (capture start, capture hotkey)
  --name <name>        name of this computer (pair)
  --insecure           allow plain http to public addresses
  --no-update          don't update the agent
`;

const SUBCOMMANDS = [
  'pair',
  'run',
  'status',
  'pause',
  'resume',
  'release',
  'try',
  'send',
  'approve',
  'exclude',
  'include',
  'titles',
  'activitywatch',
  'capture',
  'gnome-extension',
  'install',
  'uninstall',
] as const;
export type Subcommand = (typeof SUBCOMMANDS)[number];

export interface Flags {
  readonly subcommand: Subcommand | undefined;
  /** The arguments after the subcommand. */
  readonly subcommandArgs: readonly string[];
  readonly allow: Partial<AllowedAbilities>;
  readonly isConfirmationRequired: boolean;
  readonly insecure: boolean;
  readonly update: boolean;
  readonly name: string | undefined;
  /** Part of the screen, as the user typed it. */
  readonly region: string | undefined;
  /** Origins of browser extensions. */
  readonly origins: readonly string[];
  /** Started by systemd, which also restarts it. */
  readonly service: boolean;
  /** Started by the desktop's autostart, which does not restart it. */
  readonly autostart: boolean;
  /** Flags that `install` stores, so that they apply at each start. */
  readonly persistentFlags: readonly string[];
}

const OPTIONAL_BOOLEAN = { type: 'boolean' } as const;
const FALSE_BY_DEFAULT = { type: 'boolean', default: false } as const;
/** Abilities that are on unless a flag such as `--no-mouse` turns them off. */
const ABILITIES_ON_BY_DEFAULT = ['keyboard', 'mouse', 'sound', 'usage', 'messages', 'notifications'] as const;
const OPTIONS = {
  keyboard: OPTIONAL_BOOLEAN,
  mouse: OPTIONAL_BOOLEAN,
  sound: OPTIONAL_BOOLEAN,
  usage: OPTIONAL_BOOLEAN,
  messages: OPTIONAL_BOOLEAN,
  notifications: OPTIONAL_BOOLEAN,
  'allow-scripts': OPTIONAL_BOOLEAN,
  'allow-capture': OPTIONAL_BOOLEAN,
  'allow-clipboard': OPTIONAL_BOOLEAN,
  confirm: FALSE_BY_DEFAULT,
  insecure: FALSE_BY_DEFAULT,
  update: { type: 'boolean', default: true },
  service: FALSE_BY_DEFAULT,
  autostart: FALSE_BY_DEFAULT,
  help: FALSE_BY_DEFAULT,
  name: { type: 'string' },
  region: { type: 'string' },
  origin: { type: 'string', multiple: true, default: [] as string[] },
} as const;

function parseFlagValues(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true, allowNegative: true });
  } catch (cause) {
    throw new Refusal(
      'agent.invalid_flags',
      cause instanceof Error
        ? cause.message
        : 'The options are not valid. Run the agent without arguments to list them',
      { cause },
    );
  }
}

type FlagValues = ReturnType<typeof parseFlagValues>['values'];

function getAllowed(values: FlagValues): Partial<AllowedAbilities> {
  const allow: { [name in AbilityName]?: boolean } = {};
  for (const name of ABILITIES_ON_BY_DEFAULT) if (values[name] !== undefined) allow[name] = values[name];
  if (values['allow-scripts'] !== undefined) allow.scripts = values['allow-scripts'];
  if (values['allow-clipboard'] !== undefined) allow.clipboard = values['allow-clipboard'];
  if (values['allow-capture'] !== undefined) allow.capture = values['allow-capture'];
  return allow;
}

/**
 * Parses the command line.
 * @throws Refusal for an unknown subcommand or flag.
 */
export function parseFlags(args: readonly string[]): Flags {
  const { values, positionals } = parseFlagValues(args);
  const [word, ...subcommandArgs] = positionals;
  const subcommand = SUBCOMMANDS.find((name) => name === word);
  if (word !== undefined && subcommand === undefined)
    throw new Refusal(
      'agent.unknown_command',
      `There is no command '${word}'. Run the agent without arguments to list the commands`,
    );
  const transientFlags = ['--service', '--autostart', '--name', values.name, '--region', values.region];
  return {
    subcommand: values.help ? undefined : subcommand,
    subcommandArgs,
    allow: getAllowed(values),
    isConfirmationRequired: values.confirm,
    insecure: values.insecure,
    update: values.update,
    name: values.name,
    region: values.region,
    origins: values.origin,
    service: values.service,
    autostart: values.autostart,
    persistentFlags: args.filter(
      (arg) => arg.startsWith('--') && !transientFlags.includes(arg) && !/^--(name|region)=/.test(arg),
    ),
  };
}
