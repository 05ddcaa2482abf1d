#!/usr/bin/env python3
"""move.py TREE MOVES.tsv [--dry]: git mv's files and mends imports.
Relative specifiers become '#platform|#tools|#testing' where they would climb more than one folder."""
import os, re, subprocess, sys
tree, tsv = sys.argv[1], sys.argv[2]
dry = '--dry' in sys.argv
os.chdir(tree)
moves = {}
for line in open(tsv):
    line = line.rstrip('\n')
    if not line or line.startswith('#') : continue
    old, new = line.split('\t')[:2]
    old, new = old.strip(), new.strip()
    if old == new: continue
    if not os.path.exists(old): print('missing', old); continue
    if new in moves.values(): print('twice', new); continue
    moves[old] = new
for old, new in moves.items():
    if os.path.exists(new) and new not in moves: print('exists', new)
files = [f for f in subprocess.check_output(['git', 'ls-files'], text=True).split('\n')
         if re.search(r'\.(ts|tsx|js|mjs|cjs|css)$', f)]
existing = set(subprocess.check_output(['git', 'ls-files'], text=True).split('\n'))
ALIAS = {'#platform/': 'platform/', '#tools/': 'tools/', '#testing/': 'testing/'}
def resolve(spec, fromfile):
    bare = spec.split('?')[0]
    for a, d in ALIAS.items():
        if bare.startswith(a): return d + bare[len(a):]
    if bare.startswith('.'): return os.path.normpath(os.path.join(os.path.dirname(fromfile), bare))
    return None
def specifier(target, fromfile, old, was):
    query = '?' + was.split('?', 1)[1] if '?' in was else ''
    rel = os.path.relpath(target, os.path.dirname(fromfile))
    if not rel.startswith('.'): rel = './' + rel
    room = lambda p: '/'.join(p.split('/')[:2])
    if was.startswith('#'):
        # An alias stays an alias, unless the file is a neighbour now.
        top = target.split('/')[0]
        if '#'+top+'/' in ALIAS and not (rel.startswith('./') or (rel.startswith('../') and not rel.startswith('../../') and room(target) == room(fromfile))):
            return '#' + target + query
        if '#'+top+'/' in ALIAS and os.path.dirname(old) != os.path.dirname(fromfile) and rel.startswith('./') is False:
            return '#' + target + query
        return rel + query
    if rel.startswith('../../') :
        top = target.split('/')[0]
        if '#'+top+'/' in ALIAS and (rel.startswith('../../../') or room(target) != room(fromfile)): return '#' + target + query
    return rel + query
PATTERN = re.compile(r"""(\bfrom\s*|\bimport\s*\(\s*|\bimport\s+|\bnew URL\(\s*|\bimport\.meta\.resolve\(\s*|\bvi\.(?:mock|doMock|importActual)\(\s*|@import\s+|composes:[^;]*?from\s+)(['"])([^'"\n]+)\2""")
changed = 0
contents = {}
for f in files:
    text = open(f).read()
    newfile = moves.get(f, f)
    def sub(m):
        head, q, spec = m.groups()
        target = resolve(spec, f)
        if target is None: return m.group(0)
        if target not in existing:
            return m.group(0)
        newtarget = moves.get(target, target)
        if newtarget == target and newfile == f: return m.group(0)
        new = specifier(newtarget, newfile, f, spec)
        return m.group(0) if new == spec else head + q + new + q
    out = PATTERN.sub(sub, text)
    if out != text: contents[newfile] = out; changed += 1
print(len(moves), 'moves;', changed, 'files with changed imports')
if dry: sys.exit()
# two steps, so that chains a->b, b->c work
for old, new in moves.items():
    os.makedirs(os.path.dirname(new) or '.', exist_ok=True)
    subprocess.check_call(['git', 'mv', old, new + '.moving~' if os.path.exists(new) else new])
for old, new in moves.items():
    if os.path.exists(new + '.moving~'): subprocess.check_call(['git', 'mv', new + '.moving~', new])
for f, text in contents.items(): open(f, 'w').write(text)
