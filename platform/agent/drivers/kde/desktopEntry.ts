// KWin offers its interface for input only to programs that a desktop entry names.
import { readFileSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Restricted interfaces that the agent uses. */
const INTERFACES = ['org_kde_kwin_fake_input', 'org_kde_kwin_keystate'] as const;

/** Returns the path of the entry. */
export function getKdeEntryPath(env: NodeJS.ProcessEnv): string {
  const data = env['XDG_DATA_HOME'] || join(env['HOME'] ?? homedir(), '.local', 'share');
  return join(data, 'applications', 'pegboard-agent.desktop');
}

/** @param exec the program's path, quoted for an Exec line. Every script that this program runs may type. */
export function formatKdeEntry(exec: string): string {
  return `[Desktop Entry]
Type=Application
Name=Pegboard agent
Comment=Lets your own pages type on this computer
Exec=${exec}
NoDisplay=true
X-KDE-Wayland-Interfaces=${INTERFACES.join(',')}
`;
}

/** Returns whether the entry names the program of this process. */
export function isNamedInKdeEntry(env: NodeJS.ProcessEnv): boolean {
  try {
    const program = /^Exec="?([^"\n]*)"?$/m.exec(readFileSync(getKdeEntryPath(env), 'utf8'))?.[1] ?? '';
    return realpathSync(program) === realpathSync(process.execPath);
  } catch {
    return false; // the entry or its program is missing
  }
}
