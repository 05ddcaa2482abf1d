import { globSync, readFileSync } from 'node:fs';

/** A variable in which the server keeps state in memory. */
export interface StatePlace {
  readonly file: string;
  /** Such as `createPresence.entries`. */
  readonly name: string;
}

const FILES = ['platform/server/**/*.ts', 'apps/server/*.ts', 'tools/*/server/**/*.ts', 'tools/*/*/server/**/*.ts'];
const isProduct = (path: string): boolean => !/\.(test|e2e)\.ts$|\/migrations?[/.]|^tools\/example\//.test(path);

/** Functions whose variables live as long as the server, a job, a connection or a request. */
const FACTORY =
  /^(?:export )?(?:default )?(?:async )?(?:function|const) ((?:create|start|open|register|assemble|join)\w*)/;
/** What changes after it was declared: `let`, and collections that start empty. */
const MUTABLE =
  /^(?:let (\w+)\b|const (\w+)(?::[^=]+)? = (?:new (?:Map|Set|WeakMap|WeakSet|LRUCache)\b(?:<.*>)?\((?:\)|$|\{)|\[\];|create(?:ReplicatedMap|SerialQueue|KeyedQueue|Tally)\b))/;
const EMPTY_COLLECTION = /^const (\w+)(?::[^=]+)? = new (?:Map|Set|WeakMap|WeakSet)(?:<.*>)?\(\);/;

const findModuleVariable = (line: string): string | undefined =>
  EMPTY_COLLECTION.exec(line)?.[1] ?? /^let (\w+)/.exec(line)?.[1];

/** Returns the function after a line that is not indented. `}: Options) {` continues the head of a function. */
function findFactory(line: string, current: string | undefined): string | undefined {
  if (/^[)}\]]/.test(line)) return /^(\}|\};|\);)$/.test(line) ? undefined : current;
  return FACTORY.exec(line)?.[1];
}
function findFactoryVariable(line: string): string | undefined {
  const match = MUTABLE.exec(/^ {2}(\S.*)$/.exec(line)?.[1] ?? '');
  return match?.[1] ?? match?.[2];
}

/** Lists the variables in one source: of the module, and of the outermost level of factories. */
export function listStateVariables(source: string): readonly string[] {
  const names: (string | undefined)[] = [];
  let factory: string | undefined;
  for (const line of source.split('\n')) {
    if (/^\S/.test(line)) {
      factory = findFactory(line, factory);
      names.push(findModuleVariable(line));
    } else if (factory !== undefined) {
      const variable = findFactoryVariable(line);
      names.push(variable && `${factory}.${variable}`);
    }
  }
  return names.filter((name) => name !== undefined);
}

/** Lists where the server keeps state in memory, in the order of the files. */
export function listServerState(): readonly StatePlace[] {
  return globSync(FILES)
    .filter(isProduct)
    .toSorted()
    .flatMap((file) => listStateVariables(readFileSync(file, 'utf8')).map((name) => ({ file, name })));
}
