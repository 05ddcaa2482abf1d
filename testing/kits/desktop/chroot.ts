import { dirname } from 'node:path';

/**
 * Returns the command that runs a command in the folder of another Debian, which sees our processes, our Node
 * and our temporary files.
 * @param root undefined for this machine.
 */
export function inRoot(root: string | undefined, command: readonly string[]): readonly string[] {
  if (root === undefined) return command;
  const folders = ['/proc', '/dev', '/tmp', dirname(process.execPath)];
  const mounts = folders.map((folder) => `mkdir -p "$0${folder}" && mount --rbind ${folder} "$0${folder}"`);
  return ['unshare', '--mount', 'sh', '-c', `${mounts.join(' && ')} && exec chroot "$0" "$@"`, root, ...command];
}
