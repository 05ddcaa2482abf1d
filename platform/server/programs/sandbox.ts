/** What a program of the system gets of the server's environment: nothing. Six variables of our own, by their names. */
export const createProcessEnvironment = (folder: string, path: string): Readonly<Record<string, string>> => ({
  PATH: path,
  HOME: folder,
  TMPDIR: folder,
  XDG_CONFIG_HOME: folder,
  XDG_CACHE_HOME: folder,
  LANG: 'C.UTF-8',
});

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
export const buildBubblewrapArgs = ({ folder, network = false, reads = [] }: SandboxOptions): readonly string[] => [
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
