import { spawn } from 'node:child_process';

export interface ProgramResult {
  readonly code: number | null;
  readonly output: string;
  /** The end of what it printed about errors. */
  readonly errors: string;
}

export interface ProgramOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly input?: string;
  /** The program is ended then. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs a program of macOS in UTF-8: without LANG, pbcopy and pbpaste replace every character outside of ASCII.
 * @throws if it can't be started.
 */
export async function runProgram(
  program: string,
  args: readonly string[],
  { env, input = '', signal }: ProgramOptions,
): Promise<ProgramResult> {
  const child = spawn(program, [...args], {
    env: { ...env, LANG: 'en_US.UTF-8', LC_ALL: 'en_US.UTF-8' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const end = (): void => void child.kill();
  signal?.addEventListener('abort', end);
  const chunks: Buffer[] = [];
  let errors = '';
  child.stdout.on('data', (chunk: Buffer) => void chunks.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => {
    errors = (errors + chunk.toString('utf8')).slice(-300);
  });
  child.stdin.on('error', () => undefined); // it ended without reading
  child.stdin.end(input);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    return { code, output: Buffer.concat(chunks).toString('utf8'), errors: errors.trim() };
  } finally {
    signal?.removeEventListener('abort', end);
  }
}
