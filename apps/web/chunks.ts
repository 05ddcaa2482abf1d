import { join } from 'node:path';

/** The part of Rolldown's view of the code that is looked at here. */
interface Graph {
  getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null;
}
type Group = {
  readonly name: string | ((id: string, graph: Graph) => string | null);
  readonly debugName?: string;
  readonly test?: RegExp;
  readonly tags?: ['$initial'];
  readonly minShareCount?: number;
};

const ROOT = join(import.meta.dirname, '../..');
const isPackage = (id: string): boolean => id.includes('node_modules');

/** Of our own modules, those that stand behind the ones at `paths`; packages are left to patterns, as many of them import all of themselves. */
const behind = (...paths: readonly string[]) => {
  const starts = paths.map((path) => join(ROOT, path));
  let found: Set<string> | undefined;
  const all = (graph: Graph): ReadonlySet<string> => {
    if (found) return found;
    const seen = new Set<string>();
    const visit = (id: string): void => {
      if (seen.has(id) || isPackage(id)) return;
      seen.add(id);
      for (const next of graph.getModuleInfo(id)?.importedIds ?? []) visit(next);
    };
    for (const start of starts) visit(start);
    return (found = seen);
  };
  return (id: string, graph: Graph): boolean => !starts.includes(id) && all(graph).has(id);
};

const group = (name: string, pattern: RegExp, isBehind: ReturnType<typeof behind>): Group => ({
  name: (id, graph) => (pattern.test(id) || isBehind(id, graph) ? name : null),
  debugName: name,
});

/**
 * What pages share, in a few files. Left to itself the bundler cuts a file for each set of pages that shares something: some pages came in sixty,
 * most of them smaller than the lines that ask for them, and small files pack worse. Earlier ones take first.
 */
export const CHUNKS: Group[] = [
  { name: 'first', tags: ['$initial'] },
  group(
    'forms',
    /@mantine.core.esm.components.(?:ActionIcon|Button|Checkbox|CloseButton|InlineInput|Input|InputBase|Loader|PasswordInput|TextInput|UnstyledButton)\/|platform.web.(?:ui.(?:Dropdown|IconButton)|page.NoticeStack)\.tsx|Icon(?:AlertCircle|Check)\.mjs|react-query.build.modern.use(?:Query|Mutation)\.js/,
    behind('tools/accounts/web/LoginPage.tsx', 'tools/accounts/web/SignupPage.tsx'),
  ),
  group(
    'frame',
    /@mantine.core.esm.components.(?:Menu|Popover)\/|platform.web.(?:page.PageHeader|ui.(?:EmptyState|ConfirmButton)|app.failure)/,
    behind('apps/web/shell/ShellFrame.tsx'),
  ),
  { name: 'calls', test: /node_modules.zod|platform.contract/ },
  // Small, and on many pages each.
  {
    name: 'shared',
    test: /platform.web.(?:app.(?:drafts|draftOwner)|browser.(?:secureContext|useWakeLock|formats))\.ts|HttpsHint\.tsx/,
  },
  { name: 'icons', test: /@tabler.icons-react/, minShareCount: 2 },
];
