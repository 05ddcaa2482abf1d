// node fold.mjs TREE MERGES.tsv REPORT [filter] : folds files into others, and mends all importers
import ts from 'typescript';
import fs from 'node:fs';
import path from 'node:path';
import { execFileSync } from 'node:child_process';
const [tree, tsv, report, filter] = process.argv.slice(2);
process.chdir(tree);
const problems = [];
const say = (x) => problems.push(x);
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { encoding: 'utf8' }).split('\n').filter((f) => f && fs.existsSync(f));
const codeFiles = files.filter((f) => /\.(ts|tsx|js|mjs|cjs)$/.test(f));
const ALIAS = { '#platform/': 'platform/', '#tools/': 'tools/', '#testing/': 'testing/' };
const resolveSpec = (spec, from) => {
  const bare = spec.split('?')[0];
  for (const [a, d] of Object.entries(ALIAS)) if (bare.startsWith(a)) return d + bare.slice(a.length);
  if (bare.startsWith('.')) return path.normalize(path.join(path.dirname(from), bare));
  return undefined;
};
const specTo = (target, from) => {
  let rel = path.relative(path.dirname(from), target);
  if (!rel.startsWith('.')) rel = './' + rel;
  const room = (p) => p.split('/').slice(0, 2).join('/');
  const top = target.split('/')[0] + '/';
  if (rel.startsWith('../') && ('#' + top) in ALIAS && (rel.startsWith('../../../') || room(target) !== room(from))) return '#' + target;
  return rel;
};
const folds = fs.readFileSync(tsv, 'utf8').split('\n').filter((l) => l && !l.startsWith('#')).map((l) => l.split('\t').slice(0, 2).map((s) => s.trim()))
  .filter(([a, b]) => a && b && /\.(ts|tsx)$/.test(b) && (!filter || a.startsWith(filter)));
const into = new Map();
for (const [a, b] of folds) {
  if (!fs.existsSync(a)) { say(`missing ${a}`); continue; }
  if (!fs.existsSync(b)) { say(`missing target ${b} (of ${a})`); continue; }
  if (a.endsWith('.tsx') && b.endsWith('.ts')) { say(`tsx into ts: ${a} into ${b}`); continue; }
  into.set(a, b);
}
for (const f of codeFiles) {
  if (/\.(test|e2e)\./.test(f)) continue;
  const text = fs.readFileSync(f, 'utf8');
  for (const m of text.matchAll(/(?:\bimport\s*\(|new URL\()\s*'([^'\n]+)'/g)) { const r = resolveSpec(m[1], f); if (r && into.has(r) && !/typeof\s+$/.test(text.slice(0, m.index))) { say(`lazy: ${r} (by ${f})`); into.delete(r); } }
}
// chains
for (const [a, b] of into) { let t = b; while (into.has(t)) t = into.get(t); into.set(a, t); }
const groups = new Map();
for (const [a, b] of into) groups.set(b, [...(groups.get(b) ?? []), a]);
const cfg = ts.getParsedCommandLineOfConfigFile(path.join(tree, 'tsconfig.json'), {}, { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => {} });
const program = ts.createProgram(cfg.fileNames, { ...cfg.options, noEmit: true });
const checker = program.getTypeChecker();
const abs = (f) => path.join(tree, f);
const sourceOf = (f) => program.getSourceFile(abs(f));

/** Top-level names of a file: name -> {kind:'import', key} | {kind:'decl', exported} */
const topNames = (f) => {
  const sf = sourceOf(f); const names = new Map();
  const add = (n, v) => { const list = names.get(n); if (list) list.push(v); else names.set(n, [v]); };
  for (const s of sf.statements) {
    if (ts.isImportDeclaration(s)) {
      const from = resolveSpec(s.moduleSpecifier.text, f) ?? s.moduleSpecifier.text;
      const c = s.importClause; if (!c) continue;
      if (c.name) add(c.name.text, { kind: 'import', key: `${from} default`, node: c.name });
      const b = c.namedBindings;
      if (b && ts.isNamespaceImport(b)) add(b.name.text, { kind: 'import', key: `${from} *`, node: b.name });
      else if (b) for (const e of b.elements) add(e.name.text, { kind: 'import', key: `${from} ${(e.propertyName ?? e.name).text}`, node: e.name, from });
      continue;
    }
    const exported = ts.canHaveModifiers(s) && ts.getModifiers(s)?.some((m) => m.kind === ts.SyntaxKind.ExportKeyword);
    if (ts.isVariableStatement(s)) { const visit = (n) => { if (ts.isIdentifier(n)) add(n.text, { kind: 'decl', exported, node: n }); else for (const e of n.elements) if (!ts.isOmittedExpression(e)) visit(e.name); }; for (const d of s.declarationList.declarations) visit(d.name); }
    else if (s.name && ts.isIdentifier(s.name)) add(s.name.text, { kind: 'decl', exported, node: s.name });
  }
  return names;
};
const identifiers = (sf) => { const out = []; const visit = (n) => { if (ts.isIdentifier(n)) out.push(n); ts.forEachChild(n, visit); }; visit(sf); return out; };
/** Edits [start,end,text] that rename a local symbol inside one file. */
const renameEdits = (f, old, next, node) => {
  const sf = sourceOf(f); const symbol = checker.getSymbolAtLocation(node); const edits = [];
  for (const id of identifiers(sf)) {
    if (id.text !== old) continue;
    const p = id.parent;
    if (ts.isShorthandPropertyAssignment(p) && p.name === id) { if (checker.getShorthandAssignmentValueSymbol(p) === symbol) edits.push([id.getStart(sf), id.end, `${old}: ${next}`]); continue; }
    if (ts.isImportSpecifier(p) && p.name === id) { if (checker.getSymbolAtLocation(id) === symbol) edits.push([id.getStart(sf), id.end, p.propertyName ? next : `${old} as ${next}`]); continue; }
    if (ts.isImportSpecifier(p) && p.propertyName === id) continue;
    if (ts.isBindingElement(p) && p.name === id && !p.propertyName && p.parent.kind === ts.SyntaxKind.ObjectBindingPattern && checker.getSymbolAtLocation(id) === symbol) { edits.push([id.getStart(sf), id.end, `${old}: ${next}`]); continue; }
    if (checker.getSymbolAtLocation(id) === symbol) edits.push([id.getStart(sf), id.end, next]);
  }
  return edits;
};
const camel = (f) => { const b = path.basename(f).replace(/\.(ts|tsx)$/, '').replace(/[^A-Za-z0-9]+(.)/g, (_, c) => c.toUpperCase()); return b[0].toLowerCase() + b.slice(1); };
const fresh = (f, old, used) => {
  const base = camel(f);
  let n;
  if (/^[A-Z0-9_]+$/.test(old)) n = `${base.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toUpperCase()}_${old}`;
  else if (/^[A-Z]/.test(old)) n = base[0].toUpperCase() + base.slice(1) + old;
  else n = base + old[0].toUpperCase() + old.slice(1);
  while (used.has(n)) n += '2';
  return n;
};
// 1. decide groups, order, renames
const edits = new Map(); // file -> edits
const done = new Map(); // folded -> target, after checks
const order = new Map();
for (const [target, members] of groups) {
  const all = [...members, target];
  if (all.some((f) => !sourceOf(f))) { say(`not in program: ${all.filter((f) => !sourceOf(f))}`); continue; }
  // dependency order among members
  const set = new Set(all); const sorted = []; const seen = new Set();
  const visit = (f) => { if (seen.has(f)) return; seen.add(f); for (const s of sourceOf(f).statements) if (ts.isImportDeclaration(s)) { const t = resolveSpec(s.moduleSpecifier.text, f); const typeOnly = s.importClause?.isTypeOnly; if (!typeOnly && t && set.has(t) && t !== target) visit(t); } sorted.push(f); };
  for (const m of members) visit(m);
  if (!seen.has(target)) sorted.push(target);
  // collisions
  const used = new Map(); // name -> {file, infos}
  let bad = false; const pending = [];
  for (const f of [target, ...sorted.filter((x) => x !== target)]) {
    for (const [name, infos] of topNames(f)) {
      const real = infos.filter((i) => !(i.kind === 'import' && set.has(i.from)));
      // an import of a group member under another name
      for (const i of infos) if (i.kind === 'import' && set.has(i.from)) { const imported = i.key.split(' ')[1]; if (imported !== name) pending.push([f, name, imported, i.node]); }
      if (real.length === 0) continue;
      const before = used.get(name);
      if (!before) { used.set(name, { file: f, infos: real }); continue; }
      if (real.every((i) => i.kind === 'import') && before.infos.every((i) => i.kind === 'import') && real[0].key === before.infos[0].key) continue;
      // a default import of a style sheet, or a local declaration: rename in f; else in the file before
      if (real.some((i) => i.exported)) {
        if (before.infos.some((i) => i.exported)) { say(`both export ${name}: ${f} and ${before.file}`); bad = true; continue; }
        pending.push([before.file, name, undefined, before.infos[0].node]); used.set(name, { file: f, infos: real }); continue;
      }
      pending.push([f, name, undefined, real[0].node]);
    }
  }
  if (bad) continue;
  const names = new Set(used.keys());
  for (const [f, old, next, node] of pending) {
    const n = next ?? fresh(f, old, names); names.add(n);
    edits.set(f, [...(edits.get(f) ?? []), ...renameEdits(f, old, n, node)]);
    if (!next) say(`renamed ${old} -> ${n} in ${f} (into ${target})`);
  }
  for (const m of members) done.set(m, target);
  // What needs the target's values, and is not needed by it, comes after it.
  const values = (f) => new Set(sourceOf(f).statements.filter((s) => ts.isImportDeclaration(s) && s.importClause && !s.importClause.isTypeOnly && (s.importClause.name || !s.importClause.namedBindings?.elements?.every((e) => e.isTypeOnly))).map((s) => resolveSpec(s.moduleSpecifier.text, f)));
  const ofTarget = new Set(); const reach = (f) => { for (const t of values(f)) if (set.has(t) && !ofTarget.has(t)) { ofTarget.add(t); reach(t); } }; reach(target);
  const after = new Set(); for (const f of sorted) if (f !== target && !ofTarget.has(f) && [...values(f)].some((t) => t === target || after.has(t))) after.add(f);
  order.set(target, { before: sorted.filter((f) => f !== target && !after.has(f)), after: sorted.filter((f) => after.has(f)) });
}
// 2. write
const apply = (text, list) => { const seen = new Set(); for (const [s, e, t] of [...list].sort((a, b) => b[0] - a[0])) { if (seen.has(s)) continue; seen.add(s); text = text.slice(0, s) + t + text.slice(e); } return text; };
const parse = (f, text) => ts.createSourceFile(f, text, ts.ScriptTarget.Latest, true, f.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS);
/** Splits a file into imports and the rest. */
const split = (f, text, own) => {
  const sf = parse(f, text); const imports = []; let rest = ''; let pos = 0; let lead = '';
  for (const s of sf.statements) {
    if (ts.isExportDeclaration(s) && s.moduleSpecifier && own && own.has(resolveSpec(s.moduleSpecifier.text, f))) { rest += text.slice(pos, s.pos); pos = s.end; continue; }
    if (!ts.isImportDeclaration(s)) continue;
    const start = s.getStart(sf); const comments = text.slice(s.pos, start);
    imports.push({ node: s, sf, comments });
    rest += text.slice(pos, s.pos); if (comments.trim() !== '') { rest += comments; }
    pos = s.end;
  }
  rest += text.slice(pos);
  return { imports, rest: rest.replace(/^\s*\n/, '').replace(/\n{3,}/g, '\n\n') };
};
const printImports = (map) => [...map.values()].map(({ spec, def, ns, named, bare, attr }) => {
  const out = [];
  if (bare) out.push(`import '${spec}';`);
  if (ns) out.push(`import ${ns.type ? 'type ' : ''}* as ${ns.name} from '${spec}';`);
  const list = [...named.values()];
  if (list.length > 0 || def) {
    const allType = list.length > 0 && list.every((x) => x.type) && !def;
    const members = list.map((x) => `${x.type && !allType ? 'type ' : ''}${x.text}`).join(', ');
    out.push(`import ${allType ? 'type ' : ''}${def ? def : ''}${def && list.length ? ', ' : ''}${list.length ? `{ ${members} }` : ''} from '${spec}'${attr ?? ''};`);
  }
  return out.join('\n');
}).join('\n');
const collectImports = (map, f, outFile, imports, targetOf) => {
  for (const { node } of imports) {
    const raw = node.moduleSpecifier.text;
    const resolved = resolveSpec(raw, f);
    const query = raw.includes('?') ? '?' + raw.split('?')[1] : '';
    const moved = resolved === undefined ? undefined : (targetOf(resolved) ?? resolved);
    if (moved !== undefined && moved === outFile) continue;
    const spec = resolved === undefined ? raw : (moved === resolved && f === outFile ? raw : specTo(moved, outFile) + query);
    const key = spec;
    const e = map.get(key) ?? { spec, named: new Map() };
    map.set(key, e);
    const c = node.importClause;
    if (!c) { e.bare = true; continue; }
    if (node.attributes) e.attr = ' ' + node.attributes.getText();
    if (c.name && c.isTypeOnly && e.def === c.name.text) continue;
    if (c.name && !c.isTypeOnly && e.def !== undefined && e.def !== c.name.text) { e.named.set(`default as ${c.name.text}`, { text: `default as ${c.name.text}` }); continue; }
    if (c.name) { if (c.isTypeOnly) e.named.set(`default as ${c.name.text}`, { type: true, text: `default as ${c.name.text}` }); else e.def = c.name.text; }
    const b = c.namedBindings;
    if (b && ts.isNamespaceImport(b)) e.ns = { name: b.name.text, type: c.isTypeOnly };
    else if (b) for (const x of b.elements) { const text = x.propertyName ? `${x.propertyName.text} as ${x.name.text}` : x.name.text; const type = c.isTypeOnly || x.isTypeOnly; const old = e.named.get(text); e.named.set(text, { text, type: type && (old ? old.type : true) }); }
  }
};
const targetOf = (f) => done.get(f);
const attributesIn = (imports) => imports.some(({ node }) => node.attributes);
const contents = new Map();
const textOf = (f) => { const t = fs.readFileSync(f, 'utf8'); return edits.has(f) ? apply(t, edits.get(f)) : t; };
const otherSpecs = (text, f, outFile) => text.replace(/(\bimport\s*\(\s*|\bnew URL\(\s*|\bvi\.(?:mock|doMock|importActual)\(\s*|\bfrom\s+|\bimport\.meta\.resolve\(\s*|typeof import\(\s*)(['"])([^'"\n]+)\2/g, (m, h, q, spec) => {
  const r = resolveSpec(spec, f); if (!r || !fs.existsSync(r)) return m;
  const t = targetOf(r) ?? r; if (t === r && f === outFile) return m;
  return h + q + specTo(t, outFile) + q;
});
for (const [target, { before, after }] of order) {
  const members = [...before, ...after];
  const map = new Map(); let body = '';
  const parts = [...before, target, ...after].map((f) => { const text = textOf(f); const s = split(f, text, new Set([...members, target])); return { f, ...s }; });
  for (const p of parts) if (p.f === target) collectImports(map, p.f, target, p.imports, targetOf);
  for (const p of parts) if (p.f !== target) collectImports(map, p.f, target, p.imports, targetOf);
  for (const p of parts) body += otherSpecs(p.rest, p.f, target).trim() + '\n\n';
  contents.set(target, `${printImports(map)}\n\n${body.trim()}\n`);
}
for (const f of codeFiles) {
  if (done.has(f) || contents.has(f)) continue;
  const text = fs.readFileSync(f, 'utf8');
  if (!/from |import/.test(text)) continue;
  let touched = false;
  const sf = parse(f, text);
  const mods = sf.statements.filter((s) => ts.isImportDeclaration(s));
  if (mods.some((s) => { const r = resolveSpec(s.moduleSpecifier.text, f); return r && done.has(r); })) {
    // rewrite those imports, joined with one of the target that is there already
    const byTarget = new Map();
    for (const s of mods) { const r = resolveSpec(s.moduleSpecifier.text, f); const t = r && (done.get(r) ?? r); if (t && [...done.values()].includes(t)) byTarget.set(t, [...(byTarget.get(t) ?? []), s]); }
    const ed = [];
    for (const [t, list] of byTarget) {
      if (!list.some((s) => done.has(resolveSpec(s.moduleSpecifier.text, f)))) continue;
      const map = new Map(); collectImports(map, f, ' ', list.map((node) => ({ node })), (x) => t);
      const e = [...map.values()]; for (const x of e) x.spec = specTo(t, f);
      const joined = new Map(); for (const x of e) { const j = joined.get('x') ?? { spec: x.spec, named: new Map() }; for (const [k, v] of x.named) { const o = j.named.get(k); j.named.set(k, o ? { text: v.text, type: o.type && v.type } : v); } j.def ??= x.def; j.ns ??= x.ns; j.bare ||= x.bare; joined.set('x', j); }
      ed.push([list[0].getStart(sf), list[0].end, printImports(joined)]);
      for (const s of list.slice(1)) ed.push([s.getStart(sf), s.end + (text[s.end] === '\n' ? 1 : 0), '']);
    }
    let out = apply(text, ed); out = otherSpecs(out, f, f);
    contents.set(f, out); touched = true;
  } else { const out = otherSpecs(text, f, f); if (out !== text) { contents.set(f, out); touched = true; } }
}
for (const [f, t] of contents) fs.writeFileSync(f, t);
for (const [m] of done) execFileSync('git', ['rm', '-q', '-f', m]);
fs.writeFileSync(report, problems.join('\n') + '\n');
console.log(done.size, 'folded into', order.size, 'files;', contents.size, 'written;', problems.length, 'notes');
