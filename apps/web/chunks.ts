import { join } from 'node:path';

/** The part of Rolldown's module graph that is used here. */
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

/**
 * Returns a function that matches our modules that the ones at `paths` import. Packages are matched by patterns,
 * because many of them import all of their own code.
 */
function createImportMatcher(...paths: readonly string[]) {
  const entryIds = paths.map((path) => join(ROOT, path));
  let cachedIds: Set<string> | undefined;
  function listImportedIds(graph: Graph): ReadonlySet<string> {
    if (cachedIds) return cachedIds;
    const ids = new Set<string>();
    function visit(id: string): void {
      if (ids.has(id) || isPackage(id)) return;
      ids.add(id);
      for (const importedId of graph.getModuleInfo(id)?.importedIds ?? []) visit(importedId);
    }
    for (const id of entryIds) visit(id);
    return (cachedIds = ids);
  }
  return (id: string, graph: Graph): boolean => !entryIds.includes(id) && listImportedIds(graph).has(id);
}

const createGroup = (name: string, pattern: RegExp, isImported: ReturnType<typeof createImportMatcher>): Group => ({
  name: (id, graph) => (pattern.test(id) || isImported(id, graph) ? name : null),
  debugName: name,
});

/**
 * Groups shared modules into a few files; earlier groups win. Without groups, the bundler creates one file for each set
 * of pages that share code: some pages loaded sixty small files, which compress badly.
 */
export const CHUNKS: Group[] = [
  { name: 'first', tags: ['$initial'] },
  { name: 'parts', test: /theme.parts\.css/ },
  createGroup(
    'forms',
    /@mantine.core.esm.components.(?:ActionIcon|Button|Checkbox|CloseButton|InlineInput|Input|InputBase|Loader|PasswordInput|TextInput|UnstyledButton)\/|platform.web.(?:ui.(?:Dropdown|IconButton)|page.NoticeStack)\.tsx|Icon(?:AlertCircle|Check)\.mjs|react-query.build.modern.use(?:Query|Mutation)\.js/,
    createImportMatcher('tools/accounts/web/LoginPage.tsx', 'tools/accounts/web/SignupPage.tsx'),
  ),
  createGroup(
    'frame',
    /@mantine.core.esm.components.(?:Menu|Popover)\/|platform.web.(?:page.PageHeader|ui.(?:EmptyState|ConfirmButton)|app.failure)/,
    createImportMatcher('apps/web/shell/ShellFrame.tsx'),
  ),
  { name: 'calls', test: /node_modules.zod|platform.contract/ },
  // Small modules of many pages.
  {
    name: 'shared',
    test: /platform.web.(?:app.(?:drafts|draftOwner)|browser.(?:secureContext|useNow|useWakeLock|formats)|windowing.(?:frameQueue|nearViewport))\.ts|HttpsHint\.tsx/,
  },
  { name: 'icons', test: /@tabler.icons-react/, minShareCount: 2 },
];
