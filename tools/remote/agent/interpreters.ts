import { accessSync, constants } from 'node:fs';
import { extname, posix, win32 } from 'node:path';
import { Refusal } from '#platform/contract/refusal.ts';

/** Limit of file systems. */
const MAX_NAME_BYTES = 255;

/** How one kind of script is run. Programs are in order of preference; `node` is the agent's own. */
interface Interpreter {
  readonly programs: readonly string[];
  readonly listArgs: (file: string) => readonly string[];
}

const listFile = (file: string): readonly string[] => [file];
const SHELL: Interpreter = { programs: ['bash', 'sh'], listArgs: listFile };
const NODE: Interpreter = { programs: ['node'], listArgs: listFile };
const COMMAND_PROMPT: Interpreter = { programs: ['cmd.exe'], listArgs: (file) => [`"${file}"`] };

const UNIX_INTERPRETERS: Readonly<Record<string, Interpreter>> = {
  '.sh': SHELL,
  '.bash': SHELL,
  '.py': { programs: ['python3'], listArgs: listFile },
  '.js': NODE,
  '.mjs': NODE,
};
const WINDOWS_INTERPRETERS: Readonly<Record<string, Interpreter>> = {
  '.ps1': {
    programs: ['cmd.exe'],
    listArgs: (file) => [`powershell.exe -NoLogo -NoProfile -NonInteractive -ExecutionPolicy Bypass -File "${file}"`],
  },
  '.cmd': COMMAND_PROMPT,
  '.bat': COMMAND_PROMPT,
  '.py': { programs: ['py.exe', 'python.exe'], listArgs: listFile },
  '.js': NODE,
  '.mjs': NODE,
};

/** The system that runs scripts. */
export interface ScriptSystem {
  readonly platform: NodeJS.Platform;
  readonly env: NodeJS.ProcessEnv;
}

/** A script gets the environment variables of the user's desktop, and none of the agent's. */
const UNIX_VARIABLES =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|DISPLAY|XAUTHORITY|WAYLAND_DISPLAY|DBUS_SESSION_BUS_ADDRESS|XDG_\w+)$/;
const WINDOWS_VARIABLES =
  /^(PATH|PATHEXT|COMSPEC|SYSTEMROOT|SYSTEMDRIVE|WINDIR|OS|TEMP|TMP|USERNAME|USERPROFILE|USERDOMAIN|HOMEDRIVE|HOMEPATH|PUBLIC|APPDATA|LOCALAPPDATA|ALLUSERSPROFILE|PROGRAMDATA|(COMMON)?PROGRAMFILES(\(X86\))?|(COMMON)?PROGRAMW6432|COMPUTERNAME|NUMBER_OF_PROCESSORS|PROCESSOR_\w+|PSMODULEPATH)$/i;

/** Returns the environment variables of scripts. */
export function getScriptEnvironment({ platform, env }: ScriptSystem): NodeJS.ProcessEnv {
  const pattern = platform === 'win32' ? WINDOWS_VARIABLES : UNIX_VARIABLES;
  return Object.fromEntries(Object.entries(env).filter(([name]) => pattern.test(name)));
}

/** Characters with a meaning in file names or on command lines of Windows, and names of its devices. */
const INVALID_WINDOWS_NAME = /[<>:"|?*%]|[. ]$|^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/**
 * Checks names again, as this computer does not trust the server.
 * @throws Refusal if a file can't have the name.
 */
export function validateScriptName(name: string, { platform }: ScriptSystem): void {
  if (
    /[/\\\p{Cc}]/u.test(name) ||
    ['', '.', '..'].includes(name) ||
    (platform === 'win32' && INVALID_WINDOWS_NAME.test(name))
  )
    throw new Refusal('remote.invalid_script_name', 'This is not a valid script name');
  if (Buffer.byteLength(name) > MAX_NAME_BYTES)
    throw new Refusal(
      'remote.script_name_too_long',
      'This script name is too long for that computer. Enter a shorter one',
    );
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function findProgram(programs: readonly string[], { platform, env }: ScriptSystem): string | undefined {
  const { delimiter, isAbsolute, join } = platform === 'win32' ? win32 : posix;
  // Windows calls this variable Path.
  const path = Object.entries(env).find(([name]) => name.toUpperCase() === 'PATH')?.[1] ?? '';
  const folders = path.split(delimiter).filter((folder) => isAbsolute(folder));
  return programs.flatMap((program) => folders.map((folder) => join(folder, program))).find(isProgram);
}

/** How to run a script. */
export interface ScriptCommand {
  readonly program: string;
  readonly listArgs: (file: string) => readonly string[];
  /** Whether the arguments are quoted already. */
  readonly isVerbatim: boolean;
}

/**
 * Finds the program that runs a script.
 * @throws Refusal if this computer can't run scripts with this ending.
 */
export function findScriptCommand(name: string, system: ScriptSystem): ScriptCommand {
  const extension = extname(name).toLowerCase();
  const interpreters = system.platform === 'win32' ? WINDOWS_INTERPRETERS : UNIX_INTERPRETERS;
  const interpreter = Object.hasOwn(interpreters, extension) ? interpreters[extension] : undefined;
  if (!interpreter && extension === '.exe' && system.platform === 'win32')
    throw new Refusal(
      'remote.program_not_text',
      `'${name}' is a program, and only text can be sent. Add a .cmd file with the line: start "" "C:\\path to the program\\${name}"`,
    );
  if (!interpreter)
    throw new Refusal(
      'remote.unsupported_script',
      `That computer can't run '${name}'. Script names must end in ${Object.keys(interpreters).join(', ')}`,
    );
  const { programs, listArgs } = interpreter;
  if (programs.includes('node')) return { program: process.execPath, listArgs, isVerbatim: false };
  const program = findProgram(programs, system);
  if (program === undefined)
    throw new Refusal(
      'remote.interpreter_missing',
      `That computer has no ${programs.join(' or ')}, which '${name}' needs. Install it there`,
    );
  if (!programs.includes('cmd.exe')) return { program, listArgs, isVerbatim: false };
  return {
    program,
    // Code page 65001 is UTF-8, for the script itself and for what it prints.
    listArgs: (file) => ['/d', '/s', '/c', `"chcp 65001 >nul & ${listArgs(file).join(' ')}"`],
    isVerbatim: true,
  };
}

/** Returns the content of a script's file, as its interpreter expects it. */
export function formatScriptFile(name: string, text: string): string {
  const extension = extname(name).toLowerCase();
  // Windows PowerShell takes a file without this mark for the old encoding of the country.
  if (extension === '.ps1') return text.startsWith('\uFEFF') ? text : `\uFEFF${text}`;
  // The command prompt misses labels after other line ends.
  return ['.cmd', '.bat'].includes(extension) ? text.replaceAll(/\r?\n/g, '\r\n') : text;
}
