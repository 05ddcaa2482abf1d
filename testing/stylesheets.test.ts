import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

interface StyleImport {
  readonly component: string;
  readonly sheet: string;
  /** Classes named by a literal. */
  readonly used: readonly string[];
  /** The component also computes names, from literals somewhere in its file. */
  readonly text: string | undefined;
}

const SHEETS = globSync('{apps,platform,tools}/**/*.css').filter((path) => !path.includes('/dist/'));
const MODULES = SHEETS.filter((path) => path.endsWith('.module.css'));
const COMPONENTS = globSync('{apps,platform,tools}/**/web/**/*.{ts,tsx}').filter((path) => !path.includes('/dist/'));

const read = (path: string): string => readFileSync(path, 'utf8');
const withoutComments = (css: string): string => css.replaceAll(/\/\*.*?\*\//gs, '');

const STYLE_IMPORT = /^import (\w+) from '([^']+\.module\.css)';$/gm;

const styleImports: readonly StyleImport[] = COMPONENTS.flatMap((component) => {
  const text = read(component);
  return [...text.matchAll(STYLE_IMPORT)].map(([, name = '', path = '']) => {
    const uses = [...text.matchAll(new RegExp(String.raw`(?<![\w'./])${name}\[([^\]]+)\]`, 'g'))].map(
      ([, key = '']) => /^'([\w-]+)'$/.exec(key)?.[1],
    );
    return {
      component,
      sheet: path.startsWith('#') ? path.slice(1) : join(dirname(component), path),
      used: uses.filter((used) => used !== undefined),
      text: uses.includes(undefined) ? text : undefined,
    };
  });
});

const listImports = (sheet: string): readonly StyleImport[] => styleImports.filter((each) => each.sheet === sheet);

function listClasses(path: string): ReadonlySet<string> {
  const selectors = withoutComments(read(path))
    .replaceAll(/:global\((?:[^()]|\([^()]*\))*\)/g, '')
    .replaceAll(/\{[^{}]*\}/g, '{}');
  return new Set([...selectors.matchAll(/\.([A-Za-z][\w-]*)/g)].map(([, name = '']) => name));
}

test('each class that a component uses is in its style sheet', () => {
  const missing = styleImports.flatMap(({ component, sheet, used }) => {
    const classes = listClasses(sheet);
    return used.filter((name) => !classes.has(name)).map((name) => `${component}: ${name}`);
  });
  expect(missing).toEqual([]);
});

test('each class of a style sheet is used', () => {
  const unused = MODULES.flatMap((sheet) => {
    const imports = listImports(sheet);
    return [...listClasses(sheet)]
      .filter((name) => !imports.some(({ used, text }) => used.includes(name) || text?.includes(`'${name}'`)))
      .map((name) => `${sheet}: ${name}`);
  });
  expect(unused).toEqual([]);
});

test('the styles of a component that no other component uses are in one file', () => {
  const own = styleImports.filter(({ sheet }) => listImports(sheet).length === 1).map(({ component }) => component);
  expect(own.filter((component, index) => own.indexOf(component) !== index)).toEqual([]);
});

/** Files with colours that are data or that a library requires as text. */
const COLOURS_ALLOWED: ReadonlyMap<string, string> = new Map([
  ['platform/web/theme/tokens.css', 'the colours'],
  ['tools/calendar/web/month/weekdays.module.css', 'one colour per weekday and scheme'],
  ['platform/web/theme/Theme.tsx', 'shades from which Mantine computes its variables'],
  ['platform/web/ui/Dialog.tsx', 'Mantine mixes the backdrop from a hex colour'],
  ['apps/web/shell/Palette.tsx', 'the same backdrop'],
  ['tools/messages/web/senderInfo.ts', 'one colour per device'],
  ['tools/timetable/web/slotDrafts.ts', 'colours that a slot can be given'],
  ['tools/screentime/web/activitySource.ts', 'colours of applications, from the server'],
  ['tools/screentime/reading/web/useUsage.ts', 'colours of applications, from the server'],
  ['tools/screentime/sorting/web/categoryBoxes.ts', 'colours of applications, from the server'],
  ['tools/shopping/lists/web/edit/TypeRow.tsx', 'first value of a colour field'],
]);
const CSS_COLOUR = /#[\da-f]{3,8}\b|\b(?:rgb|hsl)a?\(|:\s*(?:black|white)\b/i;
const CODE_COLOUR = /['"`]#[\da-f]{3,8}\b|\b(?:rgb|hsl)a?\(/i;

test('colours are tokens', () => {
  const code = COMPONENTS.filter((path) => !/\.(?:test|e2e|desktop)\.tsx?$/.test(path) && CODE_COLOUR.test(read(path)));
  const css = SHEETS.filter((path) => CSS_COLOUR.test(withoutComments(read(path))));
  expect([...css, ...code].filter((path) => !COLOURS_ALLOWED.has(path))).toEqual([]);
});

const SPACE =
  /^\s*(?:(?:row-|column-)?gap|padding|margin)(?:-\w+)*:(?: (?:0|auto|4px|8px|12px|16px|24px|32px|48px))+;$/gm;

test('distances on the scale are tokens', () => {
  const literals = SHEETS.flatMap((path) =>
    (read(path).match(SPACE) ?? []).filter((line) => line.includes('px')).map((line) => `${path}: ${line.trim()}`),
  );
  expect(literals).toEqual([]);
});

test('parts of form controls that only one browser names have their own rules', () => {
  // A browser drops the whole rule if it does not know one selector of the list.
  const lists = SHEETS.flatMap((path) =>
    [...withoutComments(read(path)).matchAll(/[^{}]*::-moz-[^{}]*(?=\{)/g)]
      .filter(([selectors]) => selectors.includes(','))
      .map(([selectors]) => `${path}: ${selectors.trim()}`),
  );
  expect(lists).toEqual([]);
});
