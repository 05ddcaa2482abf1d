// node functions.mjs TREE : exported arrow functions become function declarations
import ts from 'typescript'; import fs from 'node:fs'; import { execFileSync } from 'node:child_process';
const tree = process.argv[2]; process.chdir(tree);
const files = execFileSync('git', ['ls-files', '*.ts', '*.tsx'], { encoding: 'utf8' }).split('\n').filter(Boolean);
let n = 0, left = 0;
for (const f of files) {
  const text = fs.readFileSync(f, 'utf8');
  if (!/^export const \w+ = /m.test(text)) continue;
  const sf = ts.createSourceFile(f, text, ts.ScriptTarget.Latest, true, f.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS);
  const edits = [];
  // A const that runs at the module's start before its declaration would work differently only by being hoisted: that is harmless.
  for (const s of sf.statements) {
    if (!ts.isVariableStatement(s) || !s.modifiers?.some((m) => m.kind === ts.SyntaxKind.ExportKeyword)) continue;
    if (s.declarationList.declarations.length !== 1) continue;
    const d = s.declarationList.declarations[0];
    const a = d.initializer;
    if (!ts.isIdentifier(d.name) || d.type || !a || !ts.isArrowFunction(a)) { if (a && ts.isArrowFunction(a)) left += 1; continue; }
    // type predicates and generics carry over as they are written
    const async = a.modifiers?.some((m) => m.kind === ts.SyntaxKind.AsyncKeyword) ? 'async ' : '';
    const tp = a.typeParameters ? `<${text.slice(a.typeParameters.pos, a.typeParameters.end).replace(/,\s*$/, '')}>` : '';
    const params = text.slice(a.parameters.pos, a.parameters.end);
    const paramText = a.parameters.length === 1 && !text.slice(a.getStart(sf), a.parameters.pos).includes('(') ? params : params;
    const rt = a.type ? `: ${text.slice(a.type.getStart(sf), a.type.end)}` : '';
    let body;
    if (ts.isBlock(a.body)) body = text.slice(a.body.getStart(sf), a.body.end);
    else {
      const lead = text.slice(a.equalsGreaterThanToken.end, a.body.getStart(sf));
      const comment = lead.trim();
      let b = text.slice(a.body.getStart(sf), a.body.end);
      body = `{\n${comment ? comment + '\n' : ''}return ${b};\n}`;
    }
    edits.push([s.getStart(sf), s.end, `export ${async}function ${d.name.text}${tp}(${paramText})${rt} ${body}`]);
    n += 1;
  }
  if (edits.length === 0) continue;
  let out = text;
  for (const [st, e, t] of edits.reverse()) out = out.slice(0, st) + t + out.slice(e);
  fs.writeFileSync(f, out);
}
console.log(n, 'functions;', left, 'typed consts left');
