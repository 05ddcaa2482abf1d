import type { REMEDIES } from '../../contract/limits.ts';

/** What the user can do: update yt-dlp, add cookies, try again later, or open the page itself. */
export type Remedy = (typeof REMEDIES)[number];

/** A known failure with a sentence that says what to do on this page. */
export interface KnownFailure {
  readonly pattern: RegExp;
  readonly retry: 'again' | 'final';
  readonly sentence: string;
  readonly remedy: Remedy;
  /** Whether it applies even if the message also matches an outdated yt-dlp. */
  readonly isCertain?: true;
}

const ADD_COOKIES = 'Add your cookies for this site, then try again';
const SIGN_IN = `The site requires you to log in. ${ADD_COOKIES}`;
const OTHER_LINK = 'Choose another link to the same song';

/**
 * The first matching pattern applies. Patterns match the output of yt-dlp 2023 to 2026, which includes messages of
 * sites.
 */
export const KNOWN_FAILURES: readonly KnownFailure[] = [
  {
    pattern: /IP (?:address )?(?:is|has been|was) (?:likely )?(?:being )?(?:temporarily )?(?:blocked|banned)/i,
    retry: 'final',
    sentence: `The site has blocked the address of this server. ${ADD_COOKIES}`,
    remedy: 'cookies',
    isCertain: true,
  },
  {
    pattern: /PhantomJS|pycryptodome|please install/i,
    retry: 'final',
    sentence: `yt-dlp on this server lacks something that this site needs. ${OTHER_LINK}`,
    remedy: 'open',
  },
  {
    pattern:
      /(?:still|currently|being|are|is) (?:be )?(?:uploading|process(?:ing|ed))|check back later|come back later/i,
    retry: 'again',
    sentence: 'The site is still preparing this. Try again later',
    remedy: 'again',
  },
  {
    pattern: /not a bot|suspected as a bot|confirm (?:that )?you(?:['’]re| are) (?:human|a human)|captcha/i,
    retry: 'final',
    sentence: `The site asks for proof that you are not a bot. ${ADD_COOKIES}`,
    remedy: 'cookies',
    isCertain: true,
  },
  {
    pattern: /unavailable in your region or is DRM/i,
    retry: 'final',
    sentence: `This is copy-protected (DRM), or not available in the country of this server. ${OTHER_LINK}`,
    remedy: 'open',
    isCertain: true,
  },
  {
    pattern: /\bDRM\b/,
    retry: 'final',
    sentence: `This is copy-protected (DRM) and can't be downloaded. ${OTHER_LINK}`,
    remedy: 'open',
    isCertain: true,
  },
  {
    pattern: /rate-?\s?limit|too many requests/i,
    retry: 'again',
    sentence: 'The site limits how much this server can download. Try again in an hour',
    remedy: 'again',
  },
  {
    pattern: /try (?:again )?later\.?\s*$|temporarily unavailable|error on (?:the )?server/i,
    retry: 'again',
    sentence: "The site can't send this now. Try again later",
    remedy: 'again',
  },
  {
    pattern:
      /geo.?(?:restrict|block)|(?:not|isn['’]t) (?:made (?:this video )?)?available (?:in|from|at) your (?:country|region|location|area|territory)|(?:only|not) available in (?!this\b|the \w+ (?:archive|app)\b)[\w ,]*$|available in [\w ]+ only|blocked in this (?:country|region)|blocked by decision of|licensed to users in|your (?:country|region|location)\b/i,
    retry: 'final',
    sentence: `This isn't available in the country of this server. ${OTHER_LINK}`,
    remedy: 'open',
  },
  {
    pattern: /impersonat|Cloudflare|anti-bot challenge/i,
    retry: 'final',
    sentence: `This site allows only browsers. ${OTHER_LINK}`,
    remedy: 'open',
  },
  {
    pattern:
      /(?:confirm|verify) your age|age.?(?:restrict|gate|limit|check|verif)|\b18\+|users older than|adult verif/i,
    retry: 'final',
    sentence:
      'The site shows this only to adults who are logged in. Add the cookies of such an account, then try again',
    remedy: 'cookies',
  },
  {
    pattern:
      /members?[\s-]*only|(?:only )?(?:for|to) (?:[\w'’]+ ){0,3}members|join this channel|premium|subscri(?:ber|ption)|patrons?\b|paying|requires? payment|must be (?:bought|purchased)|\b(?:purchase|rent|pay) (?:this|to)|paywall/i,
    retry: 'final',
    sentence:
      'Only members or paying customers may play this. If you are one, add your cookies for this site, then try again',
    remedy: 'cookies',
  },
  {
    pattern:
      /(?:video|audio|this|content|album|livestream)[^.]*(?:pass(?:word|code))|--video-password|pass(?:word|code)[\s-]*protected/i,
    retry: 'final',
    sentence: `This is protected by a password, which can't be entered here. ${OTHER_LINK}`,
    remedy: 'open',
  },
  {
    pattern: /cookies (?:are|have|were)[^.]*(?:no longer valid|expired|rotated|invalid)|(?:expired|invalid) cookies/i,
    retry: 'final',
    sentence: 'The site no longer accepts your cookies. Export them again and replace them, then try again',
    remedy: 'cookies',
  },
  {
    pattern: /cookies (?:\([^)]*\) )?are (?:needed|required)/i,
    retry: 'final',
    sentence: `This site requires cookies from a browser. ${ADD_COOKIES}`,
    remedy: 'cookies',
  },
  {
    pattern: /playlists? that requires? authentication/i,
    retry: 'final',
    sentence: SIGN_IN,
    remedy: 'cookies',
  },
  {
    pattern: /\bprivate\b|access (?:is )?(?:denied|restricted)|permission/i,
    retry: 'final',
    sentence: 'This is private. If it was shared with you, add your cookies for this site, then try again',
    remedy: 'cookies',
  },
  {
    pattern:
      /sign(?:ed)?[\s-]?in\b|log(?:ged)?[\s-]?in\b|login|registered users|authenticat|--cookies|--username|--netrc|account credentials/i,
    retry: 'final',
    sentence: SIGN_IN,
    remedy: 'cookies',
  },
  {
    pattern:
      /(?:live event|premiere|stream) will begin|premieres in|scheduled (?:to start|for)\b|will (?:begin|start|be available)|not (?:yet available|available yet|(?:yet )?started)|release date/i,
    retry: 'final',
    sentence: 'This has not been published yet. Try again once it is',
    remedy: 'again',
  },
  {
    pattern:
      /\b(?:video|track|song|content|media|post|page|clip|account|channel|playlist|album|episode|file|this|it)\b[^.]*(?:unavailable|not available|isn['’]t available|no longer (?:available|exists)|(?:been|was) (?:removed|deleted|terminated|blocked)|does(?:n['’]t| not) exist|(?:was |were |is |could |can)?not (?:be )?found)|^\s*(?:\w+ )?not found\b|copyright/i,
    retry: 'final',
    sentence: `This is no longer available on the site. ${OTHER_LINK}`,
    remedy: 'open',
  },
];

/** Messages of the server's own programs, not of the site. */
export const OWN_PROGRAM_PATTERN =
  /\bff(?:mpeg|probe)\b|post-?process|(?:encoder|decoder|codec|muxer|executable|interpreter|module|command)\b[^.]*not found|conversion failed/i;
/** A file with missing fragments. */
export const MISSING_PARTS_PATTERN =
  /fragments? (?:\S+ )?(?:not found|found after|skipped)|(?:open|update|download) fragments?\b|did not get any data blocks|unable to continue|downloaded file is empty/i;

/** The site allows access to the page but not to the file, because it recognizes the program. */
export const FILE_REFUSED: KnownFailure = {
  pattern: /unable to download (?:video|audio)(?: data)?|fragment|\bgot error\b/i,
  retry: 'final',
  sentence: 'The site refused to send the file (403). Update yt-dlp, then try again',
  remedy: 'update',
};

/** Messages that only a newer yt-dlp helps against. */
export const OUTDATED_PATTERN =
  /Unsupported URL|Unable to extract|No video formats found|Requested format is not available|only images are available|please report this issue|Unable to parse|No suitable extractor|signature (?:function )?extraction failed|nsig|\bn (?:challenge|function)|challenge solv|player response|page needs to be reloaded|JavaScript runtime|Incomplete (?:data|yt initial data) received|Failed to (?:parse|decode) JSON|precondition check failed|on this app\b|watch on the latest version of|only available with a (?:\w+ )?PO Token|HTTP Error 400/i;
export function formatUnreadableMessage(version: string): string {
  return `yt-dlp ${version} can't read this page. A newer version might`;
}

/** More precise sentences for statuses, once no attempts are left. */
const FINAL_ADVICE_BY_SENTENCE: Readonly<Record<string, { readonly sentence: string; readonly remedy: Remedy }>> = {
  'The site responded with status 401': {
    sentence: `The site requires you to log in (401). ${ADD_COOKIES}`,
    remedy: 'cookies',
  },
  'The site responded with status 403': {
    sentence: `The site refuses this server (403). ${ADD_COOKIES}`,
    remedy: 'cookies',
  },
  'The site responded with status 429': {
    sentence: 'The site limits how much this server can download (429). Try again in an hour',
    remedy: 'again',
  },
  'The site responded with status 451': {
    sentence: `This isn't available in the country of this server (451). ${OTHER_LINK}`,
    remedy: 'open',
  },
};

const remedyBySentence: ReadonlyMap<string, Remedy> = new Map(
  [...KNOWN_FAILURES, FILE_REFUSED].map(({ sentence, remedy }) => [sentence, remedy]),
);

/** The message of a download that has finally failed. */
export interface Advice {
  readonly sentence: string;
  readonly remedy: Remedy | undefined;
}

/** Returns the message and the remedy for the sentence of a failure. */
export function getAdvice(sentence: string): Advice {
  const finalAdvice = FINAL_ADVICE_BY_SENTENCE[sentence];
  if (finalAdvice) return finalAdvice;
  const isOutdated = /^yt-dlp \S+ can't read this page/.test(sentence);
  return { sentence, remedy: isOutdated ? 'update' : remedyBySentence.get(sentence) };
}

/** Advice for the command line, which users of the page can't follow. */
const COMMAND_LINE_PATTERN =
  /(?:^|[\s"'`(])--?[a-z][\w-]*|yt-dlp|youtube-dl|\bVPN\b|\bSee\b|report this issue|issue template|latest version|\bwiki\b|\bextractor|\bnetrc\b|\bFAQ\b|list of available|workaround/i;

/** Removes sentences about program options from a site's message. */
export function removeCommandLineAdvice(message: string): string {
  return message
    .split(/(?<=[.!?;:])\s+/)
    .filter((sentence) => !COMMAND_LINE_PATTERN.test(sentence))
    .join(' ')
    .trim();
}
