/** Other names of keys, by our name: symbols on keyboards, short forms, and other languages. */
const ALIASES_BY_KEY: Readonly<Record<string, string>> = {
  Ctrl: '⌃ ⎈ ctrltaste steuerung primary crtl cntrl cntl ctrlkey controlkey',
  Gui: '⌘ ⊞ ❖ mod4 windowskey windowstaste winkey windowskey superkey logo befehl commande comando wintaste start startkey startmenu apple applekey cmdkey commandkey metakey',
  Alt: '⌥ ⎇ mod1 altkey wahl optionkey alttaste',
  Shift: '⇧ umschalt umsch umschalttaste hochstell maj mayús mayus maiusc shft shiftkey majuscule umschalten mayúscula',
  AltGr: 'altgraph rightalt ralt isolevel3shift mod5 altright altgrkey',
  CapsLock:
    '⇪ caps capital capslk feststell feststelltaste umschaltsperre verrmaj bloqmayús bloqmayus verrouillagemaj shiftlock capslockkey',
  NumLock: '⇭ numlk numlck verrnum bloqnum',
  ScrollLock: 'scroll scrlk scrlck rollen arrêtdéfil arretdefil bloqdespl',
  Tab: '⇥ ↹ ⭾ tabulator tabkey tabtaste tabulatortaste tabulador tabulation',
  Enter:
    '↩ ↵ ⏎ ⌤ ⮐ eingabe eingabetaste entrée intro invio enterkey returnkey newline linefeed entertaste retour cr entrar isoenter',
  Esc: '⎋ échap echap esckey esctaste escapekey',
  Backspace: '⌫ ⟵ rück rücktaste rückschritt retourarrière retroceso backsp bs bksp backspacekey effacer',
  Del: '⌦ entf entfernen suppr supr canc deletekey fwddel löschen entftaste suprimir supprimer',
  Insert: '⎀ einfg einfügen inser insertar insertkey insérer',
  Space:
    '␣ ⎵ ␠ space spacekey leertaste leer leerzeichen espace espacio spazio blank spc spacebarkey barreespace barraespaciadora',
  Up: '↑ ▲ ⬆ 🔼 cursorup pfeilhoch pfeiloben pfeilauf pfeilnachoben oben hoch flèchehaut upkey haut arriba pfeilrauf hochpfeil nachoben flechaarriba uparrowkey',
  Down: '↓ ▼ ⬇ 🔽 cursordown pfeilrunter pfeilunten pfeilab pfeilnachunten unten runter flèchebas downkey bas abajo nachunten flechaabajo downarrowkey',
  Left: '← ◀ ⬅ cursorleft pfeillinks pfeilnachlinks links flèchegauche leftkey gauche izquierda flechaizquierda leftarrowkey',
  Right:
    '→ ▶ ➡ cursorright pfeilrechts pfeilnachrechts rechts flèchedroite rightkey droite derecha flechaderecha rightarrowkey',
  Home: '⇱ ↖ ⤒ début inicio homekey',
  End: '⇲ ↘ ⤓ ende fin fine endkey',
  PageUp:
    '⇞ bildauf bildhoch bild↑ bild-auf pageprécédente repág pgupkey pagepréc pagepréc. pg.préc pageprec pg↑ repag page↑',
  PageDown: '⇟ bildab bildrunter bild↓ pagesuivante avpág pgdnkey pgsuiv pg.suiv pagesuiv pg↓ avpag page↓',
  Print:
    '⎙ druck drucken imprécran imprpant stamp screenshot sysreq printscrn prtscr/sysrq prtsc/sysrq printscreen/sysrq sabf imppnt printkey',
  Pause: 'untbr unterbr attn pause/break pausa',
  Menu: '☰ ▤ ≣ kontextmenü menukey contextkey menütaste menutaste anwendungstaste menú',
  Minus: 'minussign hyphenminus bindestrich hyphenkey guion',
  Play: '⏯ ► play/pause playorpause wiedergabe audioplay',
  Next: '⏭ nextsong skip audionext tracknext',
  Previous: '⏮ prev prevtrack previoussong audioprev trackprevious trackprev',
  Stop: '⏹ audiostop',
  Mute: '🔇 🔈 audiomute volmute stumm soundmute unmute stummschalten',
  VolumeUp: '🔊 volup louder volumeraise volumeplus audioraisevolume lauter',
  VolumeDown: '🔉 voldown voldn quieter volumelower volumeminus audiolowervolume leiser',
  BrightnessUp: '🔆 brightup monbrightnessup xf86monbrightnessup heller',
  BrightnessDown: '🔅 brightdown monbrightnessdown xf86monbrightnessdown dunkler',
  Sleep: 'xf86sleep standby suspend',
  Help: 'hilfe',
  Favorites: 'favourites bookmarks',
  Calculator: 'calc',
  Mail: 'email',
  MicMute: 'mutemic microphonevolumemute microphonetoggle',
  KP_Multiply: 'num* numpad* kp* numpadstar',
  KP_Divide: 'num/ numpad/ kp/',
  ':': 'doppelpunkt dospuntos',
  _: 'unterstrich lowline',
  '=': 'equals equalsign',
  '[': 'leftbracket lbracket openbracket squarebracketleft leftsquarebracket',
  ']': 'rightbracket rbracket closebracket squarebracketright rightsquarebracket',
  '{': 'leftbrace lbrace openbrace braceleft leftcurly',
  '}': 'rightbrace rbrace closebrace braceright rightcurly',
  '(': 'leftparen lparen openparen parenleft leftparenthesis',
  ')': 'rightparen rparen closeparen parenright rightparenthesis',
  '#': 'hashtag pound poundsign raute',
  '.': 'fullstop point punkt',
  ',': 'komma coma virgule',
  ';': 'semi semikolon strichpunkt',
  "'": 'singlequote tick quoteright ’ ‘',
  '"': 'doublequote quotedbl doublequotes “ ” „ anführungszeichen',
  '/': 'forwardslash fwdslash schrägstrich',
  '\\': 'bslash intlbackslash',
  '^': 'caret circumflex asciicircum',
  '~': 'asciitilde',
  '!': 'exclamation exclamationmark ausrufezeichen',
  '?': 'questionmark fragezeichen',
  '<': 'lessthan',
  '>': 'greaterthan',
  $: 'dollarsign',
  '@': 'atsign',
  '%': 'percentsign',
  '*': 'asterix multiply stern',
  '+': 'plussign plustaste',
  '|': 'verticalbar',
  '`': 'graveaccent quoteleft',
};

export const keyByAlias: readonly (readonly [alias: string, key: string])[] = Object.entries(ALIASES_BY_KEY).flatMap(
  ([key, aliases]) => aliases.split(' ').map((alias) => [alias, key] as const),
);

/** Returns the Levenshtein distance. Computes each row of its table from the previous one. */
function getLevenshteinDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [at, letter] of Array.from(one).entries()) {
    const nextRow = [at + 1];
    for (const [column, otherLetter] of Array.from(other).entries()) {
      const substitutionCost = (row[column] ?? 0) + (letter === otherLetter ? 0 : 1);
      nextRow.push(Math.min(substitutionCost, (row[column + 1] ?? 0) + 1, (nextRow[column] ?? 0) + 1));
    }
    row = nextRow;
  }
  return row.at(-1) ?? 0;
}

/** Returns the number of typing errors between two words. Swapped neighbours count as one error. */
function countTypos(word: string, name: string): number {
  // An incomplete name is closer than one with a wrong letter, and the shortest name comes first.
  if (name.startsWith(word)) return 0.5 + name.length / 100;
  const swapped = Array.from(
    word,
    (_, at) => word.slice(0, at) + (word[at + 1] ?? '') + (word[at] ?? '') + word.slice(at + 2),
  );
  return swapped.includes(name) ? 1 : getLevenshteinDistance(word, name);
}

/** Returns the key whose name is most similar to an unknown word; undefined if none is similar. */
export function findNearestKey(word: string, names: ReadonlyMap<string, string>): string | undefined {
  if (/^f\d+$/u.test(word)) return 'F24';
  if (word.length < 3 || word.length > 20) return undefined;
  let nearest: string | undefined;
  let smallestCount = Math.floor(word.length / 3) + 0.5;
  for (const [name, key] of names) {
    if (name.length < 2) continue;
    const typoCount = countTypos(word, name);
    if (typoCount < smallestCount) [smallestCount, nearest] = [typoCount, key];
  }
  return nearest;
}
