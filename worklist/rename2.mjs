// node rename2.mjs TREE RENAMES.tsv REPORT : batch rename on one program snapshot
import ts from 'typescript';
import fs from 'node:fs';
import path from 'node:path';
const [tree, tsv, report] = process.argv.slice(2);
const cfg = ts.getParsedCommandLineOfConfigFile(path.join(tree, 'tsconfig.json'), {}, { ...ts.sys, onUnRecoverableConfigFileDiagnostic: (d) => { throw new Error(ts.flattenDiagnosticMessageText(d.messageText, '\n')); } });
const texts = new Map();
const read = (f) => { if (!texts.has(f)) texts.set(f, fs.existsSync(f) ? fs.readFileSync(f, 'utf8') : undefined); return texts.get(f); };
const host = {
  getScriptFileNames: () => cfg.fileNames,
  getScriptVersion: () => '1',
  getScriptSnapshot: (f) => { const t = read(f); return t === undefined ? undefined : ts.ScriptSnapshot.fromString(t); },
  getCurrentDirectory: () => tree,
  getCompilationSettings: () => ({ ...cfg.options, noEmit: true }),
  getDefaultLibFileName: (o) => ts.getDefaultLibFilePath(o),
  fileExists: ts.sys.fileExists, readFile: (f) => read(f), readDirectory: ts.sys.readDirectory, directoryExists: ts.sys.directoryExists, getDirectories: ts.sys.getDirectories, realpath: ts.sys.realpath,
};
const ls = ts.createLanguageService(host, ts.createDocumentRegistry());
const t0 = Date.now();
const program = ls.getProgram();
const checker = program.getTypeChecker();
console.log('files', cfg.fileNames.length, Date.now() - t0, 'ms');
const isOurs = (f) => f.startsWith(tree + '/') && !f.includes('/node_modules/');
// edits: file -> Map(start -> {length, value?, property?, importAs?})
const edits = new Map();
const problems = [];
const editAt = (f, start, length) => { let m = edits.get(f); if (!m) edits.set(f, (m = new Map())); let e = m.get(start); if (!e) m.set(start, (e = { length })); return e; };
const nodeAt = (sf, pos) => { let found; const visit = (n) => { if (pos >= n.getStart(sf) && pos < n.getEnd()) { found = n; ts.forEachChild(n, visit); } }; visit(sf); return found; };
const taken = (node, name, symbol) => {
  const s = checker.resolveName(name, node, ts.SymbolFlags.Value | ts.SymbolFlags.Type | ts.SymbolFlags.Alias, true);
  return s !== undefined && s !== symbol;
};
const idsByName = new Map(); // sf -> Map(name -> nodes)
const idsOf = (sf, name) => {
  let m = idsByName.get(sf);
  if (!m) { m = new Map(); const visit = (n) => { if (ts.isIdentifier(n)) { const l = m.get(n.text); l ? l.push(n) : m.set(n.text, [n]); } ts.forEachChild(n, visit); }; visit(sf); idsByName.set(sf, m); }
  return m.get(name) ?? [];
};
/** Renames a local symbol (import alias, binding) in its file. False where the new name is taken. */
const renameLocal = (sf, symbol, old, next, skipNode) => {
  const spots = [];
  for (const id of idsOf(sf, old)) {
    if (id === skipNode) continue;
    const p = id.parent;
    if (ts.isShorthandPropertyAssignment(p) && p.name === id) { if (checker.getShorthandAssignmentValueSymbol(p) === symbol) spots.push([id, 'shorthand']); continue; }
    if (ts.isExportSpecifier(p)) { if (checker.getExportSpecifierLocalTargetSymbol(p) === symbol) spots.push([id, 'export']); continue; }
    if (checker.getSymbolAtLocation(id) === symbol) spots.push([id, 'plain']);
  }
  for (const [id] of spots) if (taken(id, next, symbol)) return id;
  for (const [id, kind] of spots) {
    const e = editAt(sf.fileName, id.getStart(sf), id.getWidth(sf));
    if (kind === 'shorthand') e.value = next;
    else if (kind === 'export') e.exportAs = next;
    else e.plain = next;
    e.old = old;
  }
  return undefined;
};
const whereOf = (sf, node) => `${path.relative(tree, sf.fileName)}:${sf.getLineAndCharacterOfPosition(node.getStart(sf)).line + 1}`;
const lines = fs.readFileSync(tsv, 'utf8').split('\n').filter((l) => l && !l.startsWith('#') && !l.startsWith('file\t'));
let done = 0;
const renamedDecls = new Map();
for (const line of lines) {
  const [file, old, nextRaw, note = ''] = line.split('\t').map((s) => s.trim());
  const next = nextRaw?.split('.').pop();
  if (!file || !old || !next) continue;
  const [owner, member] = old.split('.');
  const sf = program.getSourceFile(path.join(tree, file));
  if (!sf) { problems.push(`${file}: no such file (${old})`); continue; }
  let decl;
  for (const s of sf.statements) {
    if ((ts.isInterfaceDeclaration(s) || ts.isTypeAliasDeclaration(s) || ts.isFunctionDeclaration(s) || ts.isClassDeclaration(s) || ts.isEnumDeclaration(s)) && s.name?.text === owner) { decl ??= s; }
    else if (ts.isVariableStatement(s)) for (const d of s.declarationList.declarations) {
      if (ts.isIdentifier(d.name) && d.name.text === owner) decl ??= d;
      else if (ts.isObjectBindingPattern(d.name)) for (const b of d.name.elements) if (ts.isIdentifier(b.name) && b.name.text === owner) decl ??= b;
    }
  }
  if (!decl) { problems.push(`${file}: no ${owner}`); continue; }
  let nameNode = decl.name;
  if (member) {
    let members = decl.members;
    if (ts.isTypeAliasDeclaration(decl)) { let t = decl.type; while (ts.isTypeReferenceNode(t) && t.typeArguments?.[0]) t = t.typeArguments[0]; if (ts.isIntersectionTypeNode(t)) members = t.types.flatMap((x) => [...(x.members ?? [])]); else members = t.members; }
    if (ts.isVariableDeclaration(decl)) { let i = decl.initializer; while (i && (ts.isAsExpression(i) || ts.isSatisfiesExpression(i) || (ts.isCallExpression(i) && i.arguments[0]))) i = ts.isCallExpression(i) ? i.arguments[0] : i.expression; members = i?.properties; }
    const m = [...(members ?? [])].find((x) => x.name && (ts.isIdentifier(x.name) || ts.isStringLiteral(x.name)) && x.name.text === member);
    if (!m) { problems.push(`${file}: no member ${old}`); continue; }
    if (ts.isShorthandPropertyAssignment(m)) { problems.push(`${file}: shorthand member ${old}`); continue; }
    if ([...members].some((x) => x.name?.text === next)) { problems.push(`${file}: ${next} is taken in ${owner}`); continue; }
    nameNode = m.name;
  }
  let locations;
  try { locations = ls.findRenameLocations(sf.fileName, nameNode.getStart(sf), false, false, { providePrefixAndSuffixTextForRename: true }); }
  catch (e) { problems.push(`${file}: ${old}: ${e.message.slice(0, 100)}`); continue; }
  if (!locations) { problems.push(`${file}: ${old} can't be renamed`); continue; }
  if (locations.some((l) => !isOurs(l.fileName))) { problems.push(`${file}: ${old} reaches node_modules`); continue; }
  const oldName = member ?? owner;
  // first look for conflicts of a top-level name
  const plan = [];
  let conflict;
  for (const loc of locations) {
    const lsf = program.getSourceFile(loc.fileName);
    const node = nodeAt(lsf, loc.textSpan.start);
    if (!node) { conflict = `no node at ${loc.fileName}:${loc.textSpan.start}`; break; }
    if (!member && !(ts.isImportSpecifier(node.parent) || ts.isExportSpecifier(node.parent)) && taken(node, next, undefined)) { conflict = `${next} is taken at ${whereOf(lsf, node)}`; break; }
    plan.push([loc, lsf, node]);
  }
  if (conflict) { problems.push(`${file}: ${old}: ${conflict}`); continue; }
  for (const [loc, lsf, node] of plan) {
    const { start, length } = loc.textSpan;
    const p = node.parent;
    if (loc.suffixText?.startsWith(' as ') && ts.isImportSpecifier(p)) {
      const symbol = checker.getSymbolAtLocation(node);
      const local = checker.getSymbolAtLocation(p.name);
      const bad = renameLocal(lsf, local, oldName, next, node);
      const e = editAt(loc.fileName, start, length);
      if (bad) { e.text = `${next} as ${oldName}`; problems.push(`${file}: ${old}: import stays '${oldName}' in ${whereOf(lsf, bad)}`); }
      else e.text = next;
      continue;
    }
    if (loc.suffixText?.startsWith(' as ') || loc.prefixText?.endsWith(' as ')) {
      const e = editAt(loc.fileName, start, length);
      e.text = (loc.prefixText ?? '') + next + (loc.suffixText ?? '');
      problems.push(`${file}: ${old}: alias at ${whereOf(lsf, node)}`);
      continue;
    }
    const e = editAt(loc.fileName, start, length);
    e.old = oldName;
    if (loc.suffixText?.startsWith(': ')) {
      // property of a shorthand; in a pattern the variable follows
      if (ts.isBindingElement(p)) {
        const local = checker.getSymbolAtLocation(node);
        const bad = renameLocal(lsf, local, oldName, next, node);
        if (bad) { e.property = next; } else { e.text = next; }
      } else e.property = next;
    } else if (loc.prefixText?.endsWith(': ')) e.value = next;
    else e.plain = (loc.prefixText ?? '') + next + (loc.suffixText ?? '');
  }
  if (member) renamedDecls.set(nameNode.parent, next);
  done += 1;
  if (done % 200 === 0) console.log(done, Math.round((Date.now() - t0) / 1000), 's');
}
for (const sf of program.getSourceFiles()) {
  if (!isOurs(sf.fileName)) continue;
  const visit = (n) => {
    if (ts.isTypeReferenceNode(n) && ts.isIdentifier(n.typeName) && ['Pick', 'Omit', 'SetOptional'].includes(n.typeName.text) && n.typeArguments?.length === 2) {
      const type = checker.getTypeFromTypeNode(n.typeArguments[0]);
      const look = (m) => { if (ts.isLiteralTypeNode(m) && ts.isStringLiteral(m.literal)) { const d = checker.getPropertyOfType(type, m.literal.text)?.declarations?.find((x) => renamedDecls.has(x)); if (d) editAt(sf.fileName, m.literal.getStart(sf) + 1, m.literal.text.length).text = renamedDecls.get(d); } ts.forEachChild(m, look); };
      look(n.typeArguments[1]);
    }
    if (ts.isIndexedAccessTypeNode(n) && ts.isLiteralTypeNode(n.indexType) && ts.isStringLiteral(n.indexType.literal)) {
      const l = n.indexType.literal; const d = checker.getPropertyOfType(checker.getTypeFromTypeNode(n.objectType), l.text)?.declarations?.find((x) => renamedDecls.has(x));
      if (d) { const e = editAt(sf.fileName, l.getStart(sf) + 1, l.text.length); if (e.text === undefined && e.plain === undefined) e.text = renamedDecls.get(d); }
    }
    ts.forEachChild(n, visit);
  };
  visit(sf);
}
let count = 0;
for (const [f, m] of edits) {
  let text = read(f);
  for (const [start, e] of [...m].sort((a, b) => b[0] - a[0])) {
    const was = text.slice(start, start + e.length);
    let now;
    if (e.text !== undefined) now = e.text;
    else if (e.plain !== undefined) now = e.plain;
    else if (e.exportAs !== undefined) now = `${e.exportAs} as ${was}`;
    else now = e.property !== undefined && e.property === (e.value ?? was) ? e.property : `${e.property ?? was}: ${e.value ?? was}`;
    text = text.slice(0, start) + now + text.slice(start + e.length);
    count += 1;
  }
  fs.writeFileSync(f, text);
}
fs.writeFileSync(report, problems.join('\n') + '\n');
console.log(done, 'renamed', count, 'places', edits.size, 'files', problems.length, 'problems', Math.round((Date.now() - t0) / 1000), 's');
