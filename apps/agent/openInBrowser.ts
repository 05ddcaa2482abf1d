import { spawn } from 'node:child_process';

/** How long we wait for the program to report that there is no browser. */
const TIMEOUT_MS = 5000;
const NOT_OPENED_MESSAGE = 'No browser was opened. Copy the address into a browser on this computer';

interface OpenCommand {
  readonly program: string;
  readonly args: readonly string[];
}

/** Returns the command that opens an address in the default browser. */
export function getOpenCommand(platform: NodeJS.Platform, address: string): OpenCommand {
  if (platform === 'darwin') return { program: 'open', args: [address] };
  // `start` takes the first quoted text as a title. The quotes keep `&` from ending the command.
  if (platform === 'win32') return { program: 'cmd', args: ['/d', '/s', '/c', `"start "" "${address}""`] };
  return { program: 'xdg-open', args: [address] };
}

/** Opens an address in the default browser. Returns a sentence if that failed. */
export function openInBrowser(
  address: string,
  { platform, env }: { readonly platform: NodeJS.Platform; readonly env: NodeJS.ProcessEnv } = process,
): Promise<string | undefined> {
  const { program, args } = getOpenCommand(platform, address);
  return new Promise((resolve) => {
    const child = spawn(program, [...args], {
      env,
      stdio: 'ignore',
      // The browser may be the child of this program, and outlives the terminal.
      detached: platform !== 'win32',
      windowsVerbatimArguments: true,
    });
    child.unref();
    const timeout = setTimeout(() => resolve(undefined), TIMEOUT_MS);
    function finish(problem: string | undefined): void {
      clearTimeout(timeout);
      resolve(problem);
    }
    child.once('error', () => finish(NOT_OPENED_MESSAGE));
    child.once('exit', (code) => finish(code === 0 ? undefined : NOT_OPENED_MESSAGE));
  });
}
