// node renameAt.mjs TREE file:line:col:new ... : renames symbols at positions, one snapshot
import ts from 'typescript'; import fs from 'node:fs'; import path from 'node:path';
const [tree, ...specs] = process.argv.slice(2);
const cfg = ts.getParsedCommandLineOfConfigFile(path.join(tree, 'tsconfig.json'), {}, { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => {} });
const texts = new Map(); const read = (f) => { if (!texts.has(f)) texts.set(f, fs.existsSync(f) ? fs.readFileSync(f, 'utf8') : undefined); return texts.get(f); };
const ls = ts.createLanguageService({ getScriptFileNames: () => cfg.fileNames, getScriptVersion: () => '1', getScriptSnapshot: (f) => { const t = read(f); return t === undefined ? undefined : ts.ScriptSnapshot.fromString(t); }, getCurrentDirectory: () => tree, getCompilationSettings: () => cfg.options, getDefaultLibFileName: (o) => ts.getDefaultLibFilePath(o), fileExists: ts.sys.fileExists, readFile: read, readDirectory: ts.sys.readDirectory, directoryExists: ts.sys.directoryExists, getDirectories: ts.sys.getDirectories, realpath: ts.sys.realpath });
const edits = new Map();
for (const spec of specs) {
  const [file, line, col, next] = spec.split(':'); const abs = path.join(tree, file); const sf = ls.getProgram().getSourceFile(abs);
  const pos = sf.getPositionOfLineAndCharacter(line - 1, col - 1);
  const locs = ls.findRenameLocations(abs, pos, false, false, { providePrefixAndSuffixTextForRename: true });
  if (!locs) { console.log('no', spec); continue; }
  for (const l of locs) {
    const list = edits.get(l.fileName) ?? []; edits.set(l.fileName, list);
    const suffix = l.suffixText ?? '';
    if (suffix.startsWith(' as ')) {
      // an import: rename its local uses as well
      const old = suffix.slice(4); const isf = ls.getProgram().getSourceFile(l.fileName); const checker = ls.getProgram().getTypeChecker();
      let spec2; const find = (n) => { if (ts.isImportSpecifier(n) && n.getStart(isf) === l.textSpan.start) spec2 = n; ts.forEachChild(n, find); }; find(isf);
      if (spec2) { const symbol = checker.getSymbolAtLocation(spec2.name); const visit = (n) => { if (ts.isIdentifier(n) && n.text === old && n !== spec2.name) { const p = n.parent; if (ts.isShorthandPropertyAssignment(p)) { if (checker.getShorthandAssignmentValueSymbol(p) === symbol) list.push([n.getStart(isf), n.end, `${old}: ${next}`]); } else if (checker.getSymbolAtLocation(n) === symbol) list.push([n.getStart(isf), n.end, next]); } ts.forEachChild(n, visit); }; visit(isf); list.push([l.textSpan.start, l.textSpan.start + l.textSpan.length, next]); continue; }
    }
    list.push([l.textSpan.start, l.textSpan.start + l.textSpan.length, (l.prefixText ?? '') + next + suffix]);
  }
}
for (const [f, list] of edits) { let t = read(f); const seen = new Set(); for (const [s, e, x] of list.sort((a, b) => b[0] - a[0])) { if (seen.has(s)) continue; seen.add(s); t = t.slice(0, s) + x + t.slice(e); } fs.writeFileSync(f, t); }
console.log(edits.size, 'files');
