import ts from 'typescript'; import fs from 'node:fs'; import path from 'node:path';
const tree = process.argv[2];
const old = new Map();
for (const l of fs.readFileSync('r.tsv', 'utf8').split('\n')) { const [, a, b] = l.split('\t'); if (a?.includes('.')) { const k = a.split('.')[1]; old.set(k, (old.get(k) ?? new Set()).add(b.trim().split('.').pop())); } }
const cfg = ts.getParsedCommandLineOfConfigFile(path.join(tree, 'tsconfig.json'), {}, { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => {} });
const program = ts.createProgram(cfg.fileNames, { ...cfg.options, noEmit: true }); const checker = program.getTypeChecker();
const NAMES = new Set(['toMatchObject', 'toEqual', 'toStrictEqual', 'toContainEqual', 'toHaveBeenCalledWith']);
for (const sf of program.getSourceFiles()) {
  if (!sf.fileName.startsWith(tree + '/') || sf.fileName.includes('node_modules')) continue;
  const report = (node, key, why) => console.log(`${path.relative(tree, sf.fileName)}:${sf.getLineAndCharacterOfPosition(node.getStart(sf)).line + 1} ${key} -> ${[...old.get(key)].join('|')} ${why}`);
  const check = (obj, type) => {
    if (ts.isArrayLiteralExpression(obj)) { const el = type && (checker.getIndexTypeOfType(type, ts.IndexKind.Number)); for (const e of obj.elements) check(e, el); return; }
    if (ts.isCallExpression(obj) && /objectContaining|arrayContaining/.test(obj.expression.getText(sf))) { if (obj.arguments[0]) check(obj.arguments[0], type); return; }
    if (!ts.isObjectLiteralExpression(obj)) return;
    for (const p of obj.properties) {
      const key = p.name && (ts.isIdentifier(p.name) || ts.isStringLiteral(p.name)) ? p.name.text : undefined; if (key === undefined) continue;
      const has = type && checker.getPropertyOfType(checker.getNonNullableType(type), key);
      const any = !type || (type.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown));
      if (old.has(key)) { if (any) report(p, key, 'untyped'); else if (!has && [...old.get(key)].some((n) => checker.getPropertyOfType(checker.getNonNullableType(type), n))) report(p, key, 'MISSING'); }
      if (ts.isPropertyAssignment(p)) check(p.initializer, has && !any ? checker.getTypeOfSymbol(has) : undefined);
    }
  };
  const visit = (n) => {
    if (ts.isCallExpression(n) && ts.isPropertyAccessExpression(n.expression) && NAMES.has(n.expression.name.text) && n.arguments[0]) {
      let e = n.expression.expression; let rejects = false, resolves = false;
      while (ts.isPropertyAccessExpression(e)) { if (e.name.text === 'rejects') rejects = true; if (e.name.text === 'resolves') resolves = true; e = e.expression; }
      if (ts.isCallExpression(e) && /^expect/.test(e.expression.getText(sf)) && e.arguments[0]) {
        let type = checker.getTypeAtLocation(e.arguments[0]);
        if (/poll/.test(e.expression.getText(sf))) { const s = type.getCallSignatures()[0]; type = s && s.getReturnType(); }
        if (type) type = checker.getAwaitedType?.(type) ?? type;
        if (rejects) type = undefined;
        for (const a of n.arguments) check(a, type);
      }
    }
    if (ts.isCallExpression(n) && /toHaveProperty$/.test(n.expression.getText(sf)) && n.arguments[0] && ts.isStringLiteral(n.arguments[0]) && old.has(n.arguments[0].text)) report(n, n.arguments[0].text, 'property');
    ts.forEachChild(n, visit);
  };
  if (/\.(test|e2e)\.|\/testing\//.test(sf.fileName)) visit(sf);
}
