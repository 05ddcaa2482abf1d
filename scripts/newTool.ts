// `npm run new-tool NAME`: creates tools/NAME like tools/example, and adds it to the apps (docs/adding-a-tool.md).
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const EXAMPLE = 'tools/example';
const NAME_PATTERN = /^[a-z][a-z0-9]{1,29}$/;

interface Registration {
  /** A file with a list of tools. */
  readonly path: string;
  readonly createImport: (name: string) => string;
}

const REGISTRATIONS: readonly Registration[] = [
  { path: 'apps/server/tools.ts', createImport: (name) => `import { ${name} } from '#tools/${name}/server/index.ts';` },
  { path: 'apps/server/pages.ts', createImport: (name) => `import * as ${name} from '#tools/${name}/page.ts';` },
  { path: 'apps/web/tools.ts', createImport: (name) => `import { ${name} } from '#tools/${name}/web/index.ts';` },
];

/** Replaces the name of the example, also in compound names such as `ExamplePage`. */
const renameExample = (text: string, name: string): string =>
  text.replaceAll('example', name).replaceAll('Example', name.charAt(0).toUpperCase() + name.slice(1));

/** Removes what adds the example to the server and the site of its tests, because they include a shipped tool. */
const removeTestKit = (text: string): string =>
  text
    .replaceAll(/^import .*#testing\/kits\/example\/.*\n/gm, '')
    .replaceAll('...withExample, ', '')
    .replaceAll('buildSiteWithExample', '');

/** Adds the import and the last entry of the file's list. */
function addToList(text: string, { createImport }: Registration, name: string): string {
  const list = /(= \[\n(?: {2}[^\n]*\n)*)(\];)/;
  if (!list.test(text)) throw new Error('The list of tools was not found');
  return `${createImport(name)}\n${text.replace(list, `$1  ${name},\n$2`)}`;
}

/**
 * Creates a tool in the repository at `root`. Returns the paths of its files.
 * @throws {Error} if the name is invalid or taken.
 */
export function createTool(root: string, name: string): readonly string[] {
  if (!NAME_PATTERN.test(name))
    throw new Error(
      `'${name}' can't be the name of a tool. Use 2 to 30 lower-case letters and digits, such as 'habits'`,
    );
  if (existsSync(join(root, 'tools', name))) throw new Error(`tools/${name} already exists. Choose another name`);
  const entries = globSync(`${EXAMPLE}/**/*`, { cwd: root, withFileTypes: true }).filter((entry) => entry.isFile());
  const createdPaths = entries.map((entry) => {
    const source = join(entry.parentPath, entry.name);
    const path = renameExample(source.slice(join(root).length + 1), name);
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), renameExample(removeTestKit(readFileSync(source, 'utf8')), name));
    return path;
  });
  for (const registration of REGISTRATIONS) {
    const path = join(root, registration.path);
    writeFileSync(path, addToList(readFileSync(path, 'utf8'), registration, name));
  }
  const changedPaths = [...createdPaths, ...REGISTRATIONS.map(({ path }) => path)];
  // Names of other lengths change where lines break and how imports are sorted.
  const { status } = spawnSync(process.execPath, ['run.cjs', 'oxfmt', ...changedPaths], {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error('The formatter failed. Run npm ci, then npm run fix');
  return createdPaths.toSorted();
}

const print = (line: string): void => void process.stdout.write(`${line}\n`);

if (import.meta.main)
  try {
    const [, , name = ''] = process.argv;
    for (const path of createTool(join(import.meta.dirname, '..'), name)) print(path);
    print(`\nThe tool is at /${name} when you run npm run dev. Next: docs/adding-a-tool.md`);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
