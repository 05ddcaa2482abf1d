import { parseArgs } from 'node:util';
import type { AllowedAbilities } from '#platform/agent/tool.ts';
import type { AbilityName } from '#platform/contract/device.ts';
import { Refusal } from '#platform/contract/refusal.ts';

export const USAGE = `Pegboard agent: lets your own Pegboard type on this computer.

  pair <address>       pair this computer with the server there, then run
  run                  run, once the computer is paired
  status               what the running agent says of itself
  pause, resume        stop at once, and go on
  pause usage [15]     measure no use for so many minutes; \`resume usage\` goes on before
  exclude <name>       leave an application out of what is measured
  include <name>       measure it again
  titles on|off        keep what windows are called, or no longer
  release              let go of every key and button
  send "text"          send a message from this computer
  approve <script>     let a script run (with --confirm)
  activitywatch on|off answer the watchers of ActivityWatch on this computer, or no longer
  capture start|stop   record this screen for the gallery (with --allow-capture)
  capture hotkey <keys>|off   which keys do so; Ctrl+Alt+R where nothing else is said
  install, uninstall   start with the desktop, or no longer

  --no-keyboard --no-mouse --no-sound --no-usage --no-messages --no-notifications   switch off what is on
  --allow-scripts --allow-capture --allow-clipboard   switch on what is off
  --confirm            ask on this computer before a script runs for the first time, and before the clipboard is read
  --origin <extension> let this browser extension in, such as chrome-extension://… (activitywatch on)
  --region X,Y,WxH     a part of the screen (capture start, capture hotkey)
  --name <name>        what this computer is called (pair)
  --insecure           plain http also to addresses that are not private
  --no-update          stay at this version
`;

const subcommands = [
  'pair',
  'run',
  'status',
  'pause',
  'resume',
  'release',
  'send',
  'approve',
  'exclude',
  'include',
  'titles',
  'activitywatch',
  'capture',
  'install',
  'uninstall',
] as const;
export type Subcommand = (typeof subcommands)[number];

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

const boolean = { type: 'boolean' } as const;
const off = { type: 'boolean', default: false } as const;
const switchable = ['keyboard', 'mouse', 'sound', 'usage', 'messages', 'notifications'] as const;
const options = {
  keyboard: boolean,
  mouse: boolean,
  sound: boolean,
  usage: boolean,
  messages: boolean,
  notifications: boolean,
  'allow-scripts': boolean,
  'allow-capture': boolean,
  'allow-clipboard': boolean,
  confirm: off,
  insecure: off,
  update: { type: 'boolean', default: true },
  service: off,
  autostart: off,
  help: off,
  name: { type: 'string' },
  region: { type: 'string' },
  origin: { type: 'string', multiple: true, default: [] as string[] },
} as const;

const parseFlagValues = (args: readonly string[]) => {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, allowNegative: true });
  } catch (cause) {
    throw new Refusal(cause instanceof Error ? cause.message : 'The flags were not understood', { cause });
  }
};

type Values = ReturnType<typeof parseFlagValues>['values'];

const getAllowed = (values: Values): Partial<AllowedAbilities> => {
  const allow: { [name in AbilityName]?: boolean } = {};
  for (const name of switchable) if (values[name] !== undefined) allow[name] = values[name];
  if (values['allow-scripts'] !== undefined) allow.scripts = values['allow-scripts'];
  if (values['allow-clipboard'] !== undefined) allow.clipboard = values['allow-clipboard'];
  if (values['allow-capture'] !== undefined) allow.capture = values['allow-capture'];
  return allow;
};

/**
 * Parses the command line.
 * @throws Refusal for an unknown subcommand or flag.
 */
export function parseFlags(args: readonly string[]): Flags {
  const { values, positionals } = parseFlagValues(args);
  const [first, ...rest] = positionals;
  const subcommand = subcommands.find((name) => name === first);
  if (first !== undefined && subcommand === undefined) throw new Refusal(`There is no word '${first}'`);
  const transientFlags = ['--service', '--autostart', '--name', values.name, '--region', values.region];
  return {
    subcommand: values.help ? undefined : subcommand,
    subcommandArgs: rest,
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
