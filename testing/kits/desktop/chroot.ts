import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A version of a desktop, and where it is installed. */
export interface DesktopSystem {
  readonly version: number;
  /** The folder of another Debian that has it; undefined for this machine. */
  readonly folder?: {
    /** Environment variable with its path. */
    readonly variable: string;
    /** Name of that Debian. */
    readonly suite: string;
  };
}

/** Returns the path of the folder; undefined for this machine. */
export function getRoot({ folder }: DesktopSystem): string | undefined {
  return folder && (process.env[folder.variable] || '/nonexistent');
}

/** Returns what is missing if the folder has no such program, and how to make it. */
export function getFolderSkipReason(
  system: DesktopSystem,
  program: string,
  packages: readonly string[],
): string | undefined {
  const root = getRoot(system);
  if (!system.folder || root === undefined || existsSync(join(root, 'usr/bin', program))) return undefined;
  const { variable, suite } = system.folder;
  return `needs ${variable}: mmdebstrap --variant=apt --include=${packages.join(',')} ${suite} FOLDER`;
}

/**
 * Returns the command that runs a command in the folder of another Debian, which sees our processes, our Node
 * and our temporary files.
 * @param root undefined for this machine.
 */
export function toRootCommand(root: string | undefined, command: readonly string[]): readonly string[] {
  if (root === undefined) return command;
  // GNOME 48 asks in /sys whether systemd runs. Without an answer, its X server waits forever.
  const folders = ['/proc', '/sys', '/dev', '/tmp', dirname(process.execPath)];
  const mounts = folders.map((folder) => `mkdir -p "$0${folder}" && mount --rbind ${folder} "$0${folder}"`);
  return ['unshare', '--mount', 'sh', '-c', `${mounts.join(' && ')} && exec chroot "$0" "$@"`, root, ...command];
}
