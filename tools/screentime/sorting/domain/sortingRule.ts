import { Refusal } from '#platform/contract/refusal.ts';
import { replaceUnstorable } from '#platform/contract/text.ts';
import { UNASSIGNED } from '../../contract/limits.ts';
import { validateCategoryName, quote } from './category.ts';

/**
 * Kinds of common applications and sites, by normalized window name: lower case, without separators ('Google-chrome' is
 * `googlechrome`), file extension and vendor ('org.gnome.Nautilus' is `nautilus`).
 */
const NAMES_BY_KIND: Readonly<Record<string, string>> = {
  Browsers: `firefox navigator firefoxesr firefoxdeveloperedition googlechrome chrome chromium chromiumbrowser brave bravebrowser
    microsoftedge msedge edge opera operagx vivaldi vivaldistable safari epiphany falkon konqueror qutebrowser librewolf waterfox midori
    torbrowser tor arc zen zenbrowser floorp palemoon seamonkey min nyxt luakit ungoogledchromium iexplore internetexplorer`,
  Development: `code vscode visualstudiocode codeoss vscodium codium cursor windsurf zed sublimetext subl sublimemerge atom pulsar vim gvim nvim
    neovide neovim emacs helix kakoune intellij intellijidea idea ideaiu ideaic pycharm pycharmce webstorm phpstorm clion goland rider rubymine
    rustrover datagrip dataspell fleet androidstudio studio eclipse netbeans xcode devenv visualstudio qtcreator kdevelop geany lazarus
    gnomebuilder builder bluej arduino arduinoide thonny spyder rstudio jupyterlab jupyter dbeaver pgadmin4 pgadmin mysqlworkbench tableplus
    insomnia postman bruno gitkraken gitg gitk gitcola smartgit sourcetree fork githubdesktop meld kdiff3 beyondcompare dockerdesktop wireshark
    ghidra virtualbox virtualboxmanager virtmanager vmware github.com gitlab.com bitbucket.org codeberg.org stackoverflow.com developer.mozilla.org
    npmjs.com docs.rs localhost`,
  Terminals: `terminal gnometerminal gnometerminalserver xterm uxterm urxvt rxvt konsole alacritty kitty wezterm foot footclient tilix terminator
    xfce4terminal mateterminal lxterminal qterminal guake yakuake tilda st stterm ghostty ptyxis console kgx tabby hyper warp iterm2 iterm
    windowsterminal cmd powershell pwsh putty mintty mobaxterm tmux`,
  Office: `libreoffice soffice libreofficewriter libreofficecalc libreofficeimpress libreofficedraw libreofficemath libreofficebase
    libreofficestartcenter writer calc onlyoffice onlyofficedesktopeditors desktopeditors wps et wpp winword word excel powerpnt powerpoint onenote
    access publisher visio pages numbers keynote abiword gnumeric calligra scribus texstudio texmaker lyx kile typora zettlr marktext ghostwriter
    gedit gnometexteditor texteditor kate kwrite mousepad featherpad xed pluma notepad notepadplusplus textedit evince papers okular atril xreader
    zathura mupdf xpdf qpdfview acrobat acrord32 foxitreader sumatrapdf preview calibre zotero mendeley xournalpp gnucash homebank projectlibre
    freeplane xmind drawio diagrams docs.google.com sheets.google.com slides.google.com drive.google.com office.com overleaf.com`,
  Notes: `obsidian notion logseq joplin standardnotes evernote simplenote anytype trilium gnotes gnomenotes bijiben tomboy cherrytree zim qownnotes anki
    todoist ticktick thingsapp things planner endeavour tasks gtg superproductivity trello trello.com notion.so miro.com todoist.com`,
  Mail: `thunderbird mail evolution geary kmail mailspring betterbird clawsmail sylpheed trojita balsa mutt outlook olk hotmail protonmail
    protonmailbridge tutanota hey spark airmail gnomecalendar korganizer calendar mail.google.com gmail.com outlook.com mail.proton.me calendar.google.com`,
  Chat: `slack discord discordcanary vesktop webcord telegram telegramdesktop signal signaldesktop whatsapp whatsappdesktop whatsdesk zapzap
    element elementdesktop fractal nheko cinny schildichat teams msteams teamsforlinux microsoftteams skype skypeforlinux zoom zoomworkplace viber
    wechat line mattermost rocketchat zulip mumble teamspeak teamspeak3 ts3client jami linphone jitsimeet webex pidgin hexchat irssi weechat
    konversation polari quassel dino gajim messenger caprine wire threema simplex discord.com slack.com web.whatsapp.com web.telegram.org
    messenger.com meet.google.com teams.microsoft.com zoom.us`,
  Social: `mastodon tuba tokodon whalebird facebook instagram twitter reddit tiktok pinterest linkedin facebook.com instagram.com x.com twitter.com
    reddit.com tiktok.com mastodon.social bsky.app linkedin.com pinterest.com tumblr.com threads.net news.ycombinator.com lobste.rs`,
  Music: `spotify rhythmbox clementine strawberry lollypop amarok elisa audacious deadbeef quodlibet cantata ncmpcpp tauon sayonara gnomemusic music
    itunes applemusic youtubemusic ytmdesktop tidal tidalhifi deezer amazonmusic cider nuclear foobar2000 winamp aimp musicbee plexamp feishin
    shortwave gpodder audiobookshelf cozy spotify.com open.spotify.com soundcloud.com music.youtube.com bandcamp.com deezer.com tidal.com`,
  Video: `vlc mpv celluloid totem showtime smplayer mplayer kaffeine dragonplayer haruna parole gnomempv iina quicktimeplayer potplayer mpchc
    kodi plex plexmediaplayer jellyfinmediaplayer jellyfin stremio freetube netflix youtube youtube.com netflix.com twitch.tv vimeo.com
    primevideo.com disneyplus.com hulu.com max.com crunchyroll.com dailymotion.com`,
  Games: `steam steamwebhelper steamapp lutris heroic heroicgameslauncher bottles legendary itch gog galaxyclient epicgameslauncher battlenet origin
    eadesktop uplay ubisoftconnect minecraft minecraftlauncher prismlauncher multimc polymc retroarch dolphinemu dolphinemulator pcsx2 pcsx2qt rpcs3 ppsspp
    yuzu ryujinx citra mame dosbox scummvm cs2 csgo counterstrike2 dota2 hl2linux tf2 factorio stardewvalley terraria rimworld supertux2
    supertuxkart 0ad wesnoth openttd freeciv xonotic luanti minetest roblox sober valorant leagueoflegends fortnite gnomechess chess mines
    gnomemines aisleriot sudoku gnomesudoku quadrapassel kpat chess.com lichess.org`,
  Graphics: `gimp gimp210 gimp30 inkscape krita darktable rawtherapee digikam shotwell gthumb eog loupe gwenview nomacs imv feh nsxiv sxiv ristretto geeqie
    photoshop illustrator indesign lightroom affinityphoto affinitydesigner affinitypublisher figma figmalinux sketch canva penpot blender freecad openscad
    librecad kicad autocad fusion360 sketchup mypaint pinta kolourpaint drawing paint mspaint aseprite pixelorama fontforge birdfont
    sweethome3d figma.com canva.com photopea.com`,
  'Audio and video editing': `kdenlive shotcut openshot pitivi olive davinciresolve resolve premiere adobepremierepro aftereffects finalcutpro obs obsstudio
    simplescreenrecorder kooha peek handbrake ghb audacity tenacity ardour reaper lmms bitwigstudio hydrogen muse musescore mscore lilypond
    qtractor flstudio ableton ableton live11 garageband logicpro soundrecorder losslesscut subtitleedit avidemux mkvtoolnix`,
  System: `nautilus files dolphin thunar nemo caja pcmanfm pcmanfmqt spacefm doublecmd krusader mc ranger explorer finder gnomecontrolcenter settings
    systemsettings systemsettings5 xfce4settingsmanager gnomesystemmonitor systemmonitor ksysguard plasmasystemmonitor xfce4taskmanager missioncenter
    htop btop taskmgr gnomedisks disks gparted baobab filelight gnomesoftware software discover synaptic gnometweaks tweaks extensions
    gnomecalculator calculator kcalc galculator speedcrunch fileroller ark xarchiver engrampa peazip 7zfm bleachbit timeshift dejadup pikabackup
    keepassxc keepass bitwarden 1password enpass seahorse kwalletmanager5 pavucontrol easyeffects qpwgraph helvum bluemanmanager nmconnectioneditor
    transmission transmissiongtk qbittorrent deluge ktorrent filezilla remmina anydesk teamviewer rustdesk tigervncviewer vncviewer
    flameshot spectacle gnomescreenshot xfce4screenshooter screenshot scrot`,
  Learning: `duolingo khanacademy coursera gcompris kalzium stellarium marble kstars geogebra maxima wxmaxima octave matlab mathematica
    wikipedia.org duolingo.com khanacademy.org coursera.org udemy.com edx.org`,
  Shopping: `amazon ebay amazon.com amazon.de ebay.com ebay.de etsy.com aliexpress.com zalando.de ikea.com`,
};

const KIND_BY_NAME: ReadonlyMap<string, string> = new Map(
  Object.entries(NAMES_BY_KIND).flatMap(([kind, names]) =>
    names.split(/\s+/u).map((name): [string, string] => [name, kind]),
  ),
);

/** Longer names are not looked up. */
const MAX_NAME_LENGTH = 100;
/** Suffix that marks a build. */
const BUILD_SUFFIX_PATTERN =
  /(?:beta|stable|nightly|dev|canary|insiders|unstable|preview|desktop|bin|qt|gtk|x8664|amd64|\d+)$/u;

const removeSeparators = (text: string): string => text.replaceAll(/[^\p{L}\p{N}]/gu, '');

/** Lists spellings of a name, most likely first. */
function listSpellings(name: string): readonly string[] {
  const lowerCase = name.trim().toLowerCase();
  const withoutExtension = lowerCase.replace(/\.(?:exe|app|appimage|desktop|bin|x86_64|sh|py)$/u, '');
  const withoutVendor = withoutExtension.slice(withoutExtension.lastIndexOf('.') + 1);
  const withoutWww = withoutExtension.replace(/^www\./u, '');
  const compact = removeSeparators(withoutExtension);
  return [
    withoutWww,
    compact,
    removeSeparators(withoutVendor),
    compact.replace(BUILD_SUFFIX_PATTERN, ''),
    removeSeparators(withoutVendor).replace(BUILD_SUFFIX_PATTERN, ''),
  ];
}

/** Returns the kind of an application, if known. */
export function getKind(application: string): string | undefined {
  if (application.length > MAX_NAME_LENGTH) return undefined;
  for (const spelling of listSpellings(application)) {
    const kind = KIND_BY_NAME.get(spelling);
    if (kind !== undefined) return kind;
  }
  // JetBrains' programs are called jetbrains-idea, jetbrains-pycharm-ce and so on.
  return application.toLowerCase().startsWith('jetbrains-') ? 'Development' : undefined;
}

export interface Suggestion {
  readonly application: string;
  readonly category: string;
}

/** Returns a category's name without case and plural, for comparison. */
const stem = (name: string): string => removeSeparators(name.toLowerCase()).replace(/s$/u, '');

/** Suggests categories for unassigned applications: an existing one with a matching name, or else a new one. */
export function suggestCategories(
  applications: readonly string[],
  categories: readonly string[],
): readonly Suggestion[] {
  const categoryByStem = new Map(categories.filter((name) => name !== UNASSIGNED).map((name) => [stem(name), name]));
  return applications.flatMap((application) => {
    const kind = getKind(application);
    return kind === undefined ? [] : [{ application, category: categoryByStem.get(stem(kind)) ?? kind }];
  });
}

/** A rule. `pattern` is a part of a name, case-insensitive; `*` matches any text. The first matching rule counts. */
export interface Rule {
  readonly pattern: string;
  readonly category: string;
}

const WILDCARD = '*';

/** Compares in upper case, which also matches ß with SS, and σ with ς. */
const foldCase = (text: string): string => text.toUpperCase();

/**
 * Validates a rule.
 * @throws Refusal if it is invalid.
 */
export function validateRule({ pattern, category }: Rule): Rule {
  const trimmedPattern = pattern.trim();
  if (trimmedPattern === '') throw new Refusal('screentime.rule_empty', 'Enter part of a name for the rule');
  if (replaceUnstorable(trimmedPattern) !== trimmedPattern)
    throw new Refusal(
      'screentime.rule_invalid',
      `The pattern ${quote(trimmedPattern)} has characters that can't be stored. Remove them`,
    );
  if (category !== UNASSIGNED) validateCategoryName(category);
  return { pattern: trimmedPattern, category };
}

/** A text to search in linear time (Knuth, Morris, Pratt), with the fallback index of each position. */
interface SearchPattern {
  readonly text: string;
  readonly fallback: readonly number[];
}

function createPattern(text: string): SearchPattern {
  const fallback = [0];
  for (let index = 1, matched = 0; index < text.length; index += 1) {
    while (matched > 0 && text[index] !== text[matched]) matched = fallback[matched - 1] ?? 0;
    if (text[index] === text[matched]) matched += 1;
    fallback.push(matched);
  }
  return { text, fallback };
}

/** Returns where the text first ends in `name` after `from`; -1 if it does not occur. */
function findEnd({ text, fallback }: SearchPattern, name: string, from: number): number {
  for (let index = from, matched = 0; index < name.length; index += 1) {
    while (matched > 0 && name[index] !== text[matched]) matched = fallback[matched - 1] ?? 0;
    if (name[index] === text[matched]) matched += 1;
    if (matched === text.length) return index + 1;
  }
  return -1;
}

/** Returns whether a name contains the parts in order. The first end of each part is sufficient: no backtracking. */
function matchesInOrder(parts: readonly SearchPattern[], name: string): boolean {
  let end = 0;
  for (const part of parts) {
    end = findEnd(part, name, end);
    if (end < 0) return false;
  }
  return true;
}

/**
 * Creates a function that returns the category of a name; undefined if no rule matches. Its time is linear in the
 * lengths of name and rules, whatever they contain.
 */
export function createSorter(rules: readonly Rule[]): (name: string) => string | undefined {
  const compiled = rules.map(({ pattern, category }) => ({
    category,
    parts: foldCase(pattern)
      .split(WILDCARD)
      .filter((part) => part !== '')
      .map(createPattern),
  }));
  return (name) => {
    const folded = foldCase(name);
    return compiled.find(({ parts }) => matchesInOrder(parts, folded))?.category;
  };
}
