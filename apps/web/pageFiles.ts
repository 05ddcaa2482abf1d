import { type Manifest, readManifest, listChunks } from './siteManifest.ts';
import { webTools } from './tools.ts';

const FRAME = 'shell/ShellFrame.tsx';

/** The part of the manifest that an `import('./…')` of a tool leads to. @throws Error where that is not one */
const partOf = (manifest: Manifest, imported: string): string => {
  const found = Object.keys(manifest).filter((name) => name.endsWith(`/${imported}`));
  if (found.length !== 1) throw new Error(`${imported} leads to ${found.length} parts of the site, not to one`);
  return found[0] ?? '';
};

/**
 * The files of each page, by its path, beside those of the entry: addresses of scripts and styles. A browser told of them with the page takes them
 * side by side with the entry, and not only once that has run. Which they are stands in the pages' `load`, word by word.
 */
export async function listPageFiles(dist: string): Promise<Readonly<Record<string, readonly string[]>>> {
  const manifest = await readManifest(dist);
  const first = listChunks(manifest, 'index.html');
  const filesOf = (load: string, isBare: boolean): readonly string[] => {
    const parts = [...load.matchAll(/import\('\.{1,2}\/([^']+)'\)/g)].map(([, imported = '']) =>
      partOf(manifest, imported),
    );
    const taken = listChunks(manifest, ...(isBare ? [] : [FRAME]), ...parts);
    const files = [...taken].filter((chunk) => !first.has(chunk)).flatMap(({ file, css = [] }) => [file, ...css]);
    return [...new Set(files)].map((file) => `/${file}`);
  };
  const pages = webTools.flatMap((tool) => tool.pages);
  return Object.fromEntries(pages.map(({ path, load, frame }) => [path, filesOf(String(load), frame === 'bare')]));
}
