import { open, readdir, readFile, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, normalize, resolve, sep } from 'node:path';

/** Returns the environment of a program: six variables of our own, and nothing of the server's. */
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

/** Path of the job's folder inside the sandbox. */
const SANDBOX_FOLDER = '/job';
const SANDBOX_PATH = '/usr/local/bin:/usr/bin:/bin';

const toReadOnlyBind = (path: string): readonly string[] => ['--ro-bind-try', path, path];

/** Files in /etc that programs with network access read. Without the last two, each lookup takes seconds. */
const NETWORK_FILES = ['ssl', 'ca-certificates', 'python3', 'resolv.conf', 'passwd', 'group', 'hosts', 'nsswitch.conf'];

/** What a program in the sandbox can access. */
export interface SandboxOptions {
  /** Absolute path of the folder that it can write to. */
  readonly folder: string;
  readonly network?: boolean | undefined;
  /** Absolute paths that it can read in addition to the system's own files. */
  readonly reads?: readonly string[] | undefined;
}

/**
 * Builds the bubblewrap arguments before the program: it sees the system's programs and its own folder, but no other
 * process. It already runs in a session of its own; another one would escape the priority that `processRunner.ts` sets.
 */
export function buildBubblewrapArgs({ folder, network = false, reads = [] }: SandboxOptions): readonly string[] {
  return [
    'bwrap',
    '--unshare-all',
    ...(network ? ['--share-net', ...NETWORK_FILES.flatMap((name) => toReadOnlyBind(`/etc/${name}`))] : []),
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
    ...toReadOnlyBind('/etc/alternatives'),
    ...toReadOnlyBind('/etc/ld.so.cache'),
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    '--tmpfs',
    '/tmp',
    // These paths may be below one of the others, so they are mounted last.
    ...reads.flatMap(toReadOnlyBind),
    '--bind',
    folder,
    SANDBOX_FOLDER,
    '--chdir',
    SANDBOX_FOLDER,
    '--',
  ];
}

/** Returns the arguments of a process; an empty list if it has ended. */
const readCommandLine = (pid: string): Promise<readonly string[]> =>
  readFile(`/proc/${pid}/cmdline`, 'utf8').then(
    (text) => text.split('\0'),
    () => [], // the process has ended
  );

/**
 * Kills orphaned sandboxes over the folders in `folder`. Programs normally end with the server, but if it was killed
 * while bubblewrap started, the second bubblewrap process waits indefinitely.
 */
export async function killOrphanedSandboxes(folder: string): Promise<void> {
  const names = await readdir('/proc').catch(() => []); // systems without it have no bubblewrap
  for (const pid of names.filter((name) => /^\d+$/.test(name))) {
    const [program, ...args] = await readCommandLine(pid);
    if (program !== 'bwrap' || !args.some((arg) => arg.startsWith(folder + sep))) continue;
    try {
      process.kill(Number(pid), 'SIGKILL');
    } catch {
      // The process has already ended.
    }
  }
}

/** How a program is started, and what it reads besides the system's own files. */
export interface LaunchPlan {
  readonly command: readonly string[];
  /** Absolute paths that it must be able to read. */
  readonly readablePaths: readonly string[];
}

const HEAD_BYTES = 64 * 1024;
/** Maximum depth of scripts that start other scripts. */
const MAX_SCRIPT_DEPTH = 5;
const MAX_READABLE_PATHS = 200;
/** Folders that each sandbox contains. */
const SYSTEM_FOLDERS = ['/usr', '/bin', '/sbin', '/lib', '/lib64'];
/** Package stores. Their packages need each other, so the whole store is readable. */
const PACKAGE_STORES = ['/nix/store', '/gnu/store', '/home/linuxbrew/.linuxbrew', '/opt/homebrew', '/snap'];
/** Folders that are too broad to be readable in a sandbox, even if a script mentions them. */
const TOO_BROAD_PATTERN = /^\/(?:|root|home|home\/[^/]+|etc|var|tmp|opt|srv|mnt|media|run|proc|sys|dev|data)$/;

const SHELL_PATTERN = /^(?:.*\/)?(?:ba|da|z|k)?sh$/;

const isInside = (path: string, folder: string): boolean => path === folder || path.startsWith(folder + sep);
const isSystemPath = (path: string): boolean => SYSTEM_FOLDERS.some((folder) => isInside(path, folder));

async function getFileKind(path: string): Promise<'file' | 'folder' | undefined> {
  const stats = await stat(path).catch(() => undefined);
  if (stats?.isFile() === true) return 'file';
  return stats?.isDirectory() === true ? 'folder' : undefined;
}

/** Returns whether a file is a program, a Python file or an activation script, which scripts may need. */
async function isRunnable(path: string): Promise<boolean> {
  const stats = await stat(path).catch(() => undefined);
  if (stats?.isFile() !== true) return false;
  return (stats.mode & 0o111) !== 0 || /(?:\.pyz?|\.zip|\/bin\/activate)$/.test(path);
}

/** Returns whether a folder contains Python packages. */
const hasPythonPackages = async (path: string): Promise<boolean> =>
  (await getFileKind(path)) === 'folder' && (await getFileKind(join(path, 'yt_dlp'))) === 'folder';

async function readHead(path: string): Promise<string> {
  await using file = await open(path, 'r').catch(() => undefined);
  if (!file) return '';
  const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
  return buffer.subarray(0, bytesRead).toString('latin1');
}

/** Returns the folder in `home = /usr/local/bin` of a pyvenv.cfg. */
const parseHome = (config: string): string | undefined => /^\s*home\s*=\s*(\S.*?)\s*$/m.exec(config)?.[1];

/** Lists the parts of a Python prefix that an interpreter reads. */
const listPrefixParts = (prefix: string): readonly string[] =>
  ['bin', 'lib', 'lib64', 'pyvenv.cfg'].map((name) => join(prefix, name));

/**
 * Returns the absolute paths in a shell script, after resolving the folder of the script.
 * `$HOME` and relative paths are meaningless in a sandbox.
 */
function findPaths(script: string, folder: string): readonly string[] {
  const SELF = String.raw`"?\$(?:0|\{0\}|\{?BASH_SOURCE(?:\[0\])?\}?)"?`;
  const escapedFolder = folder.replaceAll(/[.*+?^$()[\]{}|\\]/g, String.raw`\$&`);
  const resolvedScript = script
    .replaceAll(new RegExp(String.raw`\$\((?:readlink -f|realpath)(?: --)? ${SELF}\)`, 'g'), '$0')
    .replaceAll(new RegExp(String.raw`\$\(dirname(?: --)? ${SELF}\)|\$\{0%/\*\}`, 'g'), folder)
    .replaceAll(new RegExp(String.raw`\$\(cd "?${escapedFolder}"? && pwd(?: -P)?\)`, 'g'), folder)
    .replaceAll(new RegExp(String.raw`"${escapedFolder}"(/[^\s"]*)`, 'g'), `"${folder}$1"`);
  const quoted = [...resolvedScript.matchAll(/"(\/[^"$`\n]*)"|'(\/[^'\n]*)'/g)].map(
    ([, doubleQuoted, singleQuoted]) => doubleQuoted ?? singleQuoted ?? '',
  );
  const unquoted = [...resolvedScript.matchAll(/(?<![\w.$}~/-])(\/[^\s"'$`;|&()<>=:]+)/g)].map(
    ([, path]) => path ?? '',
  );
  return [...quoted, ...unquoted].map((path) => normalize(path).replace(/(?<=.)\/$/, ''));
}

/** Creates a collector of paths that a program must be able to read. */
function createPathCollector() {
  const readablePaths = new Set<string>();
  const visited = new Set<string>();

  /** Adds a path, and the real path that it links to. */
  async function addPath(path: string): Promise<void> {
    if (isSystemPath(path) || TOO_BROAD_PATTERN.test(path) || readablePaths.size >= MAX_READABLE_PATHS) return;
    const store = PACKAGE_STORES.find((folder) => isInside(path, folder));
    if (store !== undefined) return void readablePaths.add(store);
    const realPath = await realpath(path).catch(() => undefined);
    if (realPath === undefined) return;
    readablePaths.add(path);
    if (realPath !== path && !readablePaths.has(realPath)) await addPath(realPath);
  }

  /** Adds packages that are installed as editable, whose location is in a `.pth` file. */
  async function addEditable(prefix: string): Promise<void> {
    const lib = join(prefix, 'lib');
    for (const version of (await readdir(lib).catch(() => [])).filter((name) => name.startsWith('python'))) {
      const site = join(lib, version, 'site-packages');
      for (const name of (await readdir(site).catch(() => [])).filter((file) => file.endsWith('.pth'))) {
        const lines = (await readFile(join(site, name), 'utf8').catch(() => '')).split(/\r?\n/);
        await Promise.all(
          lines
            .map((line) => line.trim())
            .filter((line) => isAbsolute(line))
            .map(addPath),
        );
      }
    }
  }

  /** Adds a Python outside the system's folders, or that of a virtual environment with its base Python. */
  async function addInterpreter(path: string): Promise<void> {
    if (visited.has(`interpreter ${path}`)) return;
    visited.add(`interpreter ${path}`);
    const prefix = dirname(dirname(path));
    await addPath(path);
    if (!isSystemPath(prefix)) {
      for (const part of listPrefixParts(prefix)) await addPath(part);
      await addEditable(prefix);
    }
    const config = await readFile(join(prefix, 'pyvenv.cfg'), 'utf8').catch(() => '');
    const home = parseHome(config);
    if (home !== undefined && !isSystemPath(home)) {
      for (const part of listPrefixParts(dirname(home))) await addPath(part);
      await addInterpreter(join(home, basename(path)));
    }
    // Links are followed step by step, because the folder of each must exist in the sandbox.
    const target = await readlink(path).catch(() => undefined);
    if (target !== undefined) await addInterpreter(resolve(dirname(path), target));
    const realPath = await realpath(path).catch(() => path);
    if (realPath !== path) await addInterpreter(realPath);
  }

  async function addScript(path: string, head: string, depth: number): Promise<void> {
    for (const mentionedPath of findPaths(head, dirname(path))) {
      if (isSystemPath(mentionedPath) || mentionedPath === path) continue;
      if (await hasPythonPackages(mentionedPath)) await addPath(mentionedPath);
      else if (await isRunnable(mentionedPath)) await addProgram(mentionedPath, depth + 1);
    }
    // pyenv puts shims in front of each program.
    const root = /^(\/.+)\/shims\/[^/]+$/.exec(path)?.[1];
    if (root !== undefined && head.includes('pyenv')) await addPath(root);
  }

  /** Adds the interpreter in the first line of a script (`#!`), or what a shell script starts. */
  async function addShebangTarget(path: string, depth: number): Promise<void> {
    const head = await readHead(path);
    const [, interpreter = '', rest = ''] = /^#![ \t]*(\S+)[ \t]*([^\r\n]*)/.exec(head) ?? [];
    const isShell =
      SHELL_PATTERN.test(interpreter) ||
      (basename(interpreter) === 'env' && SHELL_PATTERN.test(rest.split(' ').at(-1) ?? ''));
    if (isShell) await addScript(path, head, depth);
    else if (interpreter !== '' && !isSystemPath(interpreter)) await addInterpreter(interpreter);
  }

  async function addProgram(path: string, depth: number): Promise<void> {
    if (depth > MAX_SCRIPT_DEPTH || visited.has(path)) return;
    visited.add(path);
    await addPath(path);
    const realPath = await realpath(path).catch(() => path);
    if (realPath !== path) await addProgram(realPath, depth);
    if (await getFileKind(join(dirname(dirname(path)), 'pyvenv.cfg')))
      await addInterpreter(join(dirname(path), 'python'));
    // Files of a package are modules that import the rest of it.
    if (path.endsWith('.py') && (await getFileKind(join(dirname(path), '__init__.py')))) await addPath(dirname(path));
    await addShebangTarget(path, depth);
  }
  return { readablePaths, addProgram };
}

/** Returns paths without those below others, because bubblewrap cannot mount over a link in a mounted folder. */
const removeNested = (paths: ReadonlySet<string>): readonly string[] =>
  [...paths].filter((path) => ![...paths].some((other) => other !== path && isInside(path, other))).toSorted();

/** Returns the base of `pip install --user`. Scripts find it by their home, but a job has another home. */
async function findUserBase(path: string): Promise<string | undefined> {
  const base = dirname(dirname(path));
  if (isSystemPath(base) || basename(dirname(path)) !== 'bin' || (await getFileKind(join(base, 'pyvenv.cfg'))))
    return undefined;
  if (!/^#![ \t]*\/usr\/\S*python/.test(await readHead(path))) return undefined;
  const versions = await readdir(join(base, 'lib')).catch(() => []);
  return versions.some((name) => name.startsWith('python')) ? base : undefined;
}

/**
 * Finds everything that a program outside the system's folders needs, as its first lines show: links, virtual
 * environments (pip, pipx, uv), pyenv, and absolute paths in shell scripts.
 */
export async function planLaunch(program: string): Promise<LaunchPlan> {
  if (isSystemPath(program)) {
    const target = await realpath(program).catch(() => program);
    if (isSystemPath(target) && !target.startsWith('/usr/local/')) return { command: [program], readablePaths: [] };
  }
  const { readablePaths, addProgram } = createPathCollector();
  await addProgram(program, 0);
  const base = await findUserBase(await realpath(program).catch(() => program));
  if (base === undefined) return { command: [program], readablePaths: removeNested(readablePaths) };
  readablePaths.add(join(base, 'lib'));
  return { command: ['/usr/bin/env', `PYTHONUSERBASE=${base}`, program], readablePaths: removeNested(readablePaths) };
}
