import { open, readdir, readFile, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, normalize, resolve, sep } from 'node:path';

/** What a program of the system gets of the server's environment: nothing. Six variables of our own, by their names. */
export function createProcessEnvironment(folder: string, path: string): Readonly<Record<string, string>> {
  return {
    PATH: path,
    HOME: folder,
    TMPDIR: folder,
    XDG_CONFIG_HOME: folder,
    XDG_CACHE_HOME: folder,
    LANG: 'C.UTF-8',
  };
}

/** The folder of the job, as programs in the sandbox know it. */
const SANDBOX_FOLDER = '/job';
const SANDBOX_PATH = '/usr/local/bin:/usr/bin:/bin';

const readOnly = (path: string): readonly string[] => ['--ro-bind-try', path, path];

/** What a program that uses the network reads beside its own files; without the last two each name takes seconds. */
const NETWORK = ['ssl', 'ca-certificates', 'python3', 'resolv.conf', 'passwd', 'group', 'hosts', 'nsswitch.conf'];

export interface SandboxOptions {
  /** Absolute. */
  readonly folder: string;
  readonly network?: boolean | undefined;
  /** Absolute. */
  readonly reads?: readonly string[] | undefined;
}

/** The line of bubblewrap, up to the program: sees the system's programs, its own folder and nothing else; no other process, and no network but where it is let. It is started in a session of its own, so without a terminal: a second one would stand outside what `make.ts` puts behind the server. */
export function buildBubblewrapArgs({ folder, network = false, reads = [] }: SandboxOptions): readonly string[] {
  return [
    'bwrap',
    '--unshare-all',
    ...(network ? ['--share-net', ...NETWORK.flatMap((name) => readOnly(`/etc/${name}`))] : []),
    '--die-with-parent',
    '--clearenv',
    ...Object.entries(createProcessEnvironment(SANDBOX_FOLDER, SANDBOX_PATH)).flatMap(([name, value]) => [
      '--setenv',
      name,
      value,
    ]),
    '--ro-bind',
    '/usr',
    '/usr',
    ...['lib', 'lib64', 'bin', 'sbin'].flatMap((name) => ['--symlink', `usr/${name}`, `/${name}`]),
    ...readOnly('/etc/alternatives'),
    ...readOnly('/etc/ld.so.cache'),
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    '--tmpfs',
    '/tmp',
    // Behind the rest: what is read, and the folder, may lie below one of those.
    ...reads.flatMap(readOnly),
    '--bind',
    folder,
    SANDBOX_FOLDER,
    '--chdir',
    SANDBOX_FOLDER,
    '--',
  ];
}

const wordsOf = (pid: string): Promise<readonly string[]> =>
  readFile(`/proc/${pid}/cmdline`, 'utf8').then(
    (text) => text.split('\0'),
    () => [], // gone meanwhile
  );

/**
 * Ends what an earlier server has left of its sandboxes over the folders in `folder`. Programs die with their server; but where it was killed in the
 * moment in which bubblewrap starts, the second of bubblewrap's processes waits for the word of the first one for ever.
 */
export async function killOrphanedSandboxes(folder: string): Promise<void> {
  const all = await readdir('/proc').catch(() => []); // a system without it has no bubblewrap
  for (const pid of all.filter((name) => /^\d+$/.test(name))) {
    const [program, ...words] = await wordsOf(pid);
    if (program !== 'bwrap' || !words.some((word) => word.startsWith(folder + sep))) continue;
    try {
      process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }
}

/** How a program is started, and what it reads beside the system's own files. */
export interface LaunchPlan {
  readonly command: readonly string[];
  /** Absolute. */
  readonly readablePaths: readonly string[];
}

const HEAD_BYTES = 64 * 1024;
/** Scripts that start scripts that start scripts. */
const MAX_DEPTH = 5;
const MAX_READS = 200;
/** In every sandbox already. */
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib64'];
/** Whatever lies in one of these needs other parts of it. */
const STORES = ['/nix/store', '/gnu/store', '/home/linuxbrew/.linuxbrew', '/opt/homebrew', '/snap'];
/** Never shown to a program as a whole, whatever a script names. */
const TOO_BROAD = /^\/(?:|root|home|home\/[^/]+|etc|var|tmp|opt|srv|mnt|media|run|proc|sys|dev|data)$/;

const SHELL = /^(?:.*\/)?(?:ba|da|z|k)?sh$/;

const isIn = (path: string, folder: string): boolean => path === folder || path.startsWith(folder + sep);
const isOfSystem = (path: string): boolean => SYSTEM.some((folder) => isIn(path, folder));

const kindOf = async (path: string): Promise<'file' | 'folder' | undefined> => {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() === true) return 'file';
  return found?.isDirectory() === true ? 'folder' : undefined;
};

/** A program, a Python file, or what activates a virtual environment: no other file that a script names is any program's business. */
const isRunnable = async (path: string): Promise<boolean> => {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() !== true) return false;
  return (found.mode & 0o111) !== 0 || /(?:\.pyz?|\.zip|\/bin\/activate)$/.test(path);
};

/** A folder that packages of Python lie in. */
const isForPython = async (path: string): Promise<boolean> =>
  (await kindOf(path)) === 'folder' && (await kindOf(join(path, 'yt_dlp'))) === 'folder';

const headOf = async (path: string): Promise<string> => {
  const file = await open(path, 'r').catch(() => undefined);
  if (!file) return '';
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.subarray(0, bytesRead).toString('latin1');
  } finally {
    await file.close();
  }
};

/** Of `home = /usr/local/bin` in a pyvenv.cfg. */
const homeIn = (config: string): string | undefined => /^\s*home\s*=\s*(\S.*?)\s*$/m.exec(config)?.[1];

/** The parts of a folder of Python (a prefix) that an interpreter reads. */
const partsOf = (prefix: string): readonly string[] =>
  ['bin', 'lib', 'lib64', 'pyvenv.cfg'].map((name) => join(prefix, name));

/** Paths that a shell script names, its own folder written out; `$HOME` and relative ones mean nothing in a sandbox. */
const pathsIn = (script: string, folder: string): readonly string[] => {
  const SELF = String.raw`"?\$(?:0|\{0\}|\{?BASH_SOURCE(?:\[0\])?\}?)"?`;
  const own = folder.replaceAll(/[.*+?^$()[\]{}|\\]/g, String.raw`\$&`);
  const plain = script
    .replaceAll(new RegExp(String.raw`\$\((?:readlink -f|realpath)(?: --)? ${SELF}\)`, 'g'), '$0')
    .replaceAll(new RegExp(String.raw`\$\(dirname(?: --)? ${SELF}\)|\$\{0%/\*\}`, 'g'), folder)
    .replaceAll(new RegExp(String.raw`\$\(cd "?${own}"? && pwd(?: -P)?\)`, 'g'), folder)
    .replaceAll(new RegExp(String.raw`"${own}"(/[^\s"]*)`, 'g'), `"${folder}$1"`);
  const quoted = [...plain.matchAll(/"(\/[^"$`\n]*)"|'(\/[^'\n]*)'/g)].map(([, one, other]) => one ?? other ?? '');
  const bare = [...plain.matchAll(/(?<![\w.$}~/-])(\/[^\s"'$`;|&()<>=:]+)/g)].map(([, one]) => one ?? '');
  return [...quoted, ...bare].map((path) => normalize(path).replace(/(?<=.)\/$/, ''));
};

/** Collects what a program needs, each path once. */
const createCollector = () => {
  const reads = new Set<string>();
  const seen = new Set<string>();

  /** Shown to the program, under its own name and the one that links in it lead to. */
  const add = async (path: string): Promise<void> => {
    if (isOfSystem(path) || TOO_BROAD.test(path) || reads.size >= MAX_READS) return;
    const store = STORES.find((folder) => isIn(path, folder));
    if (store !== undefined) return void reads.add(store);
    const real = await realpath(path).catch(() => undefined);
    if (real === undefined) return;
    reads.add(path);
    if (real !== path && !reads.has(real)) await add(real);
  };

  /** Packages that are installed 'editable' lie elsewhere, where a `.pth` file says. */
  const addEditable = async (prefix: string): Promise<void> => {
    const lib = join(prefix, 'lib');
    for (const version of (await readdir(lib).catch(() => [])).filter((name) => name.startsWith('python'))) {
      const site = join(lib, version, 'site-packages');
      for (const name of (await readdir(site).catch(() => [])).filter((one) => one.endsWith('.pth'))) {
        const lines = (await readFile(join(site, name), 'utf8').catch(() => '')).split(/\r?\n/);
        await Promise.all(
          lines
            .map((line) => line.trim())
            .filter((line) => isAbsolute(line))
            .map(add),
        );
      }
    }
  };

  /** An interpreter: of a virtual environment with the Python that this was made from, or of a Python outside the system's folders. */
  const addInterpreter = async (path: string): Promise<void> => {
    if (seen.has(`interpreter ${path}`)) return;
    seen.add(`interpreter ${path}`);
    const prefix = dirname(dirname(path));
    await add(path);
    if (!isOfSystem(prefix)) {
      for (const part of partsOf(prefix)) await add(part);
      await addEditable(prefix);
    }
    const config = await readFile(join(prefix, 'pyvenv.cfg'), 'utf8').catch(() => '');
    const home = homeIn(config);
    if (home !== undefined && !isOfSystem(home)) {
      for (const part of partsOf(dirname(home))) await add(part);
      await addInterpreter(join(home, basename(path)));
    }
    // One link after the other: each lies in a folder that has to be there too.
    const target = await readlink(path).catch(() => undefined);
    if (target !== undefined) await addInterpreter(resolve(dirname(path), target));
    const real = await realpath(path).catch(() => path);
    if (real !== path) await addInterpreter(real);
  };

  const addScript = async (path: string, head: string, depth: number): Promise<void> => {
    for (const named of pathsIn(head, dirname(path))) {
      if (isOfSystem(named) || named === path) continue;
      if (await isForPython(named)) await add(named);
      else if (await isRunnable(named)) await addProgram(named, depth + 1);
    }
    // pyenv puts scripts of its own in front of every program.
    const root = /^(\/.+)\/shims\/[^/]+$/.exec(path)?.[1];
    if (root !== undefined && head.includes('pyenv')) await add(root);
  };

  /** What the first line names. */
  const addStarter = async (path: string, depth: number): Promise<void> => {
    const head = await headOf(path);
    const [, interpreter = '', rest = ''] = /^#![ \t]*(\S+)[ \t]*([^\r\n]*)/.exec(head) ?? [];
    const isShell =
      SHELL.test(interpreter) || (basename(interpreter) === 'env' && SHELL.test(rest.split(' ').at(-1) ?? ''));
    if (isShell) await addScript(path, head, depth);
    else if (interpreter !== '' && !isOfSystem(interpreter)) await addInterpreter(interpreter);
  };

  const addProgram = async (path: string, depth: number): Promise<void> => {
    if (depth > MAX_DEPTH || seen.has(path)) return;
    seen.add(path);
    await add(path);
    const real = await realpath(path).catch(() => path);
    if (real !== path) await addProgram(real, depth);
    if (await kindOf(join(dirname(dirname(path)), 'pyvenv.cfg'))) await addInterpreter(join(dirname(path), 'python'));
    // A module of a package is started by its file.
    if (path.endsWith('.py') && (await kindOf(join(dirname(path), '__init__.py')))) await add(dirname(path));
    await addStarter(path, depth);
  };
  return { reads, addProgram };
};

/** Without what lies in another of them: the sandbox can lay nothing over a link in a folder that it shows. */
const outermost = (paths: ReadonlySet<string>): readonly string[] =>
  [...paths].filter((path) => ![...paths].some((other) => other !== path && isIn(path, other))).toSorted();

/** Where `pip install --user` has put what a script in `<base>/bin` imports: it looks there by its home, which is another one for a job. */
const userBaseOf = async (path: string): Promise<string | undefined> => {
  const base = dirname(dirname(path));
  if (isOfSystem(base) || basename(dirname(path)) !== 'bin' || (await kindOf(join(base, 'pyvenv.cfg'))))
    return undefined;
  if (!/^#![ \t]*\/usr\/\S*python/.test(await headOf(path))) return undefined;
  const versions = await readdir(join(base, 'lib')).catch(() => []);
  return versions.some((name) => name.startsWith('python')) ? base : undefined;
};

/**
 * What stands behind a program outside the system's folders, as far as its first lines say: links, the interpreter of a virtual environment (pip,
 * pipx, uv) with its packages, pyenv, and what a shell script starts by an absolute path.
 */
export async function planLaunch(program: string): Promise<LaunchPlan> {
  if (isOfSystem(program)) {
    const target = await realpath(program).catch(() => program);
    if (isOfSystem(target) && !target.startsWith('/usr/local/')) return { command: [program], readablePaths: [] };
  }
  const { reads, addProgram } = createCollector();
  await addProgram(program, 0);
  const base = await userBaseOf(await realpath(program).catch(() => program));
  if (base === undefined) return { command: [program], readablePaths: outermost(reads) };
  reads.add(join(base, 'lib'));
  return { command: ['/usr/bin/env', `PYTHONUSERBASE=${base}`, program], readablePaths: outermost(reads) };
}
