import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { classifyFailure, formatSizeInWords, type RunOutcome } from './failure.ts';
import { getAdvice } from './remedy.ts';

/** Any UTF-16 code units, including lone surrogates. */
const anyText = fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units));

function classify(outcome: Partial<RunOutcome>): string {
  const { retry, sentence } = classifyFailure({
    code: 1,
    exitSignal: undefined,
    exceededLimit: undefined,
    errors: '',
    proxyFaults: [],
    isLive: false,
    hasStarted: false,
    version: '2023.03.04',
    limitBytes: 1024 ** 3,
    ...outcome,
  });
  return `${retry}: ${sentence}`;
}

const getFailure = (errors: string): string => classify({ errors });

test.each([
  ['404', 'final: The site responded with status 404'],
  ['403', 'final: The site responded with status 403'],
  ['410', 'final: The site responded with status 410'],
  ['500', 'again: The site responded with status 500'],
  ['429', 'again: The site responded with status 429'],
  ['408', 'again: The site responded with status 408'],
  // Our own proxy answers this for a site that does not respond.
  ['502', 'again: That address cannot be reached'],
])('a site that answers %s', (status, sentence) => {
  expect(
    getFailure(`ERROR: [generic] Unable to download webpage: HTTP Error ${status}: Whatever (caused by <HTTPError …>)`),
  ).toBe(sentence);
});

test('a request that the proxy refused has its own message, although yt-dlp only sees a 403', () => {
  const errors = 'ERROR: [generic] Unable to download webpage: HTTP Error 403: Forbidden';
  expect(classify({ errors, proxyFaults: ['inner'] })).toBe(
    "final: That address is in the server's own network. Ask the owner of this server to allow it",
  );
  expect(classify({ errors, proxyFaults: ['port'] })).toMatch(
    /^final: Downloads from the port in this address are blocked/,
  );
  expect(classify({ errors, proxyFaults: ['unreached'] })).toBe('again: That address cannot be reached');
});

test('a full disk is not a failure of the site, and is retried', () => {
  expect(getFailure('ERROR: unable to write data: [Errno 28] No space left on device')).toBe(
    'again: The server ran out of disk space',
  );
});

test('a file that is too large has the same message for every limit that detects it', () => {
  const sentence = 'final: This file is larger than 1 GiB';
  expect(classify({ proxyFaults: ['bytes'] })).toBe(sentence);
  expect(classify({ exitSignal: 'SIGXFSZ', code: undefined })).toBe(sentence);
  expect(getFailure('ERROR: unable to write data: [Errno 27] File too large')).toBe(sentence);
  // yt-dlp exits with 0 if a file exceeds --max-filesize.
  expect(classify({ code: 0, hasStarted: true })).toBe(sentence);
  expect([formatSizeInWords(1024 ** 3), formatSizeInWords(1.5 * 1024 ** 3), formatSizeInWords(8 * 1024 ** 2)]).toEqual([
    '1 GiB',
    '1.5 GiB',
    '8 MiB',
  ]);
});

test('a timeout is retried', () => {
  for (const outcome of [
    { exceededLimit: 'time' },
    { exceededLimit: 'silence' },
    { proxyFaults: ['silent'] },
    { exitSignal: 'SIGXCPU' },
  ] as const)
    expect(classify({ code: undefined, ...outcome })).toBe('again: The download took too long');
});

test('an end without a file is a live stream or an empty page', () => {
  expect(classify({ code: 0, isLive: true })).toBe("final: Live streams can't be downloaded");
  expect(classify({ code: 0 })).toBe('final: There is nothing to download at this address');
});

test.each([
  'ERROR: Unsupported URL: https://songs.example/x',
  'ERROR: [youtube] abc: Unable to extract uploader id; please report this issue on …',
  'ERROR: [Site] abc: No video formats found!; please report this issue on …',
])('a page that yt-dlp does not understand blames yt-dlp: %s', (errors) => {
  expect(getFailure(errors)).toBe("final: yt-dlp 2023.03.04 can't read this page. A newer version might");
});

test.each([
  'ERROR: unable to download video data: <urlopen error [Errno 104] Connection reset by peer>',
  'ERROR: Got error: 1048576 bytes read, 2000000 more expected. Giving up after 3 retries',
  'ERROR: [generic] timed out',
  'ERROR: fragment 1 not found, unable to continue',
  'ERROR: Did not get any data blocks',
])('a broken connection is retried: %s', (errors) => {
  expect(getFailure(errors)).toBe('again: The connection to that site was lost');
});

test.each([
  'Postprocessing: ffprobe and ffmpeg not found. Please install or provide the path using --ffmpeg-location',
  'ffprobe not found. Please install or provide the path using --ffmpeg-location',
  'Postprocessing: audio conversion failed: Error opening output files: Encoder not found',
  'Postprocessing: Conversion failed!',
])('a failure of the server’s programs is not one of the site: %s', (errors) => {
  expect(getFailure(`ERROR: ${errors}`)).toBe('final: The server could not convert this into a song');
});

test('a stream that only ffmpeg could fetch is not supported', () => {
  expect(getFailure('ERROR: m3u8 download detected but ffmpeg could not be found. Please install')).toBe(
    "final: This type of stream can't be downloaded",
  );
});

test('the site’s own message is shown in one line, without addresses', () => {
  expect(
    getFailure('WARNING: x\nERROR: [youtube] dQw4: Closed today.\u202e Come to https://site.example/?t=secret now'),
  ).toBe('final: The site says: Closed today. Come to … now');
  expect(getFailure(`ERROR: [x] y: ${'a'.repeat(900)}`)).toHaveLength('final: The site says: '.length + 201);
});

const BOT = 'The site asks for proof that you are not a bot. Add your cookies for this site, then try again';
const AGE = 'The site shows this only to adults who are logged in. Add the cookies of such an account, then try again';
const MEMBERS =
  'Only members or paying customers may play this. If you are one, add your cookies for this site, then try again';
const PRIVATE = 'This is private. If it was shared with you, add your cookies for this site, then try again';
const SIGN_IN = 'The site requires you to log in. Add your cookies for this site, then try again';
const GEO = "This isn't available in the country of this server. Choose another link to the same song";
const DRM = "This is copy-protected (DRM) and can't be downloaded. Choose another link to the same song";
const RATE = 'The site limits how much this server can download. Try again in an hour';
const PASSWORD = "This is protected by a password, which can't be entered here. Choose another link to the same song";
const EXPIRED = 'The site no longer accepts your cookies. Export them again and replace them, then try again';
const GONE = 'This is no longer available on the site. Choose another link to the same song';
const BLOCKED = 'The site has blocked the address of this server. Add your cookies for this site, then try again';
const PREPARED = 'The site is still preparing this. Try again later';
const SOON = 'This has not been published yet. Try again once it is';
const BROWSERS = 'This site allows only browsers. Choose another link to the same song';
const OLD = "yt-dlp 2023.03.04 can't read this page. A newer version might";
const REFUSED = 'The site refused to send the file (403). Update yt-dlp, then try again';

test.each([
  [
    'Sign in to confirm you’re not a bot. Use --cookies-from-browser or --cookies for the authentication. See  https://github.com/yt-dlp/yt-dlp/wiki/FAQ#how-do-i-pass-cookies-to-yt-dlp  for how to manually pass cookies',
    BOT,
    'cookies',
  ],
  ["Sign in to confirm you're not a bot. This helps protect our community. Learn more", BOT, 'cookies'],
  [
    'Sign in to confirm your age. This video may be inappropriate for some users. Use --cookies-from-browser',
    AGE,
    'cookies',
  ],
  ['This video is age-restricted and YouTube is requiring account age-verification', AGE, 'cookies'],
  [
    'Join this channel to get access to members-only content like this video, and other exclusive perks.',
    MEMBERS,
    'cookies',
  ],
  [
    "This video is available to this channel's members on level: Fans (or any higher level). Join this channel",
    MEMBERS,
    'cookies',
  ],
  ['This video is only available to Music Premium members', MEMBERS, 'cookies'],
  ['This video requires payment to watch', MEMBERS, 'cookies'],
  ["Private video. Sign in if you've been granted access to this video", PRIVATE, 'cookies'],
  [
    'This video is only available for registered users. Use --username and --password, --netrc-cmd, or --netrc (x) to provide account credentials',
    SIGN_IN,
    'cookies',
  ],
  ['You need to log in to access this content', SIGN_IN, 'cookies'],
  ['The provided YouTube account cookies are no longer valid. They have likely been rotated', EXPIRED, 'cookies'],
  [
    'The uploader has not made this video available in your country\nYou might want to use a VPN or a proxy server (with --proxy) to workaround.',
    GEO,
    'open',
  ],
  ['This video is not available from your location due to geo restriction', GEO, 'open'],
  ['Video unavailable. The uploader has not made this video available in your country', GEO, 'open'],
  ['This video is DRM protected', DRM, 'open'],
  [
    'This video is drm protected and only images are available for download. Use --list-formats to see them',
    OLD,
    'update',
  ],
  ['The requested site is known to use DRM protection. It will NOT be supported.', DRM, 'open'],
  [
    "This content isn't available, try again later. Your account has been rate-limited by YouTube for up to an hour. It is recommended to use `-t sleep` to add a delay",
    RATE,
    'again',
  ],
  ['This video is protected by a password, use the --video-password option', PASSWORD, 'open'],
  ['Video unavailable. This video has been removed by the uploader', GONE, 'open'],
  ['Video unavailable', GONE, 'open'],
  ['The playlist does not exist.', GONE, 'open'],
  ['Track not found', GONE, 'open'],
  ['The requested video could not be found', GONE, 'open'],
  [
    'Playlists that require authentication may not extract correctly without a successful webpage download. If you are not downloading private content, or your cookies are only for the first account and channel, pass "--extractor-args x"',
    SIGN_IN,
    'cookies',
  ],
  ['Your IP address is blocked from accessing this post', BLOCKED, 'cookies'],
  ["We're processing this video. Check back later.", PREPARED, 'again'],
  ['This video is still being processed', PREPARED, 'again'],
  ['The following content is not available on this app.. Watch on the latest version of YouTube.', OLD, 'update'],
  ['Some formats are only available with a GVS PO Token', OLD, 'update'],
  ['This live event will begin in 3 hours.', SOON, 'again'],
  ['Premieres in 2 days', SOON, 'again'],
  [
    'Got HTTP Error 403 caused by Cloudflare anti-bot challenge; try again with  --extractor-args "generic:impersonate"',
    BROWSERS,
    'open',
  ],
  ['Requested format is not available. Use --list-formats for a list of available formats', OLD, 'update'],
  ['nsig extraction failed: Some formats may be missing', OLD, 'update'],
  ['Only images are available for download. use --list-formats to see them', OLD, 'update'],
  ['The page needs to be reloaded.', OLD, 'update'],
  [
    'Unable to extract login form; please report this issue on  https://github.com/x , filling out the appropriate issue template. Confirm you are on the latest version using  yt-dlp -U',
    OLD,
    'update',
  ],
] as const)('%s gets a message that users of the page can follow', (errors, sentence, remedy) => {
  const all = getFailure(`ERROR: [youtube] abc: ${errors}`);
  expect(all.replace(/^\w+: /, '')).toBe(sentence);
  expect(getAdvice(sentence).remedy).toBe(remedy);
});

test('a refused file is distinguished from a refused page, and explained after the last attempt', () => {
  expect(getFailure('ERROR: unable to download video data: HTTP Error 403: Forbidden')).toBe(`final: ${REFUSED}`);
  expect(getFailure('ERROR: [download] Got error: HTTP Error 403: Forbidden')).toBe(`final: ${REFUSED}`);
  expect(
    getFailure(
      '[download] Got error: HTTP Error 403: Forbidden. Retrying fragment 1\nERROR: Did not get any data blocks',
    ),
  ).toBe(`final: ${REFUSED}`);
  expect(getAdvice(REFUSED).remedy).toBe('update');
  expect(getAdvice('The site responded with status 403')).toEqual({
    sentence: 'The site refuses this server (403). Add your cookies for this site, then try again',
    remedy: 'cookies',
  });
  expect(getAdvice('The site responded with status 429').remedy).toBe('again');
  expect(getAdvice('The site responded with status 404')).toEqual({
    sentence: 'The site responded with status 404',
    remedy: undefined,
  });
});

test('advice for the command line is never shown, not even from unknown sites', () => {
  for (const words of [
    'The moon is closed. Use --some-flag to open it',
    'The moon is closed. See  https://x.example  for how to. Pass "-x" instead',
    'The moon is closed. You might want to use a VPN or a proxy server (with --proxy) to workaround',
    'The moon is closed. Run yt-dlp -U',
  ])
    expect(getFailure(`ERROR: [x] y: ${words}`)).toBe('final: The site says: The moon is closed.');
  expect(getFailure('ERROR: [x] y: Use --only-this')).toBe('again: The download was interrupted');
});

test('every output gives one sentence in one line without addresses', () => {
  fc.assert(
    fc.property(anyText, fc.constantFrom('', ' https://site.example/?token=1', 'HTTP://x'), (words, url) => {
      const sentence = getFailure(`ERROR: [x] y: ${words}${url}`);
      expect(sentence).not.toMatch(/\n|https?:\/\/\S/);
    }),
  );
});

// Messages of yt-dlp 2026.08 for which another remedy would be wrong.
test.each([
  [
    'All player responses are invalid. Your IP is likely being blocked by Youtube',
    'has blocked the address',
    'cookies',
  ],
  ['pycryptodomex not found. Please install', 'lacks something', 'open'],
  ['PhantomJS not found, Please download it', 'lacks something', 'open'],
  [
    'This request has been blocked due to its TLS fingerprint. Install a required impersonation dependency',
    'only browsers',
    'open',
  ],
  ['You are rate-limited. Try again later.', 'limits how much', 'again'],
  ['There is an error on server-side. Try again later.', "can't send this now", 'again'],
  ['Service temporarily unavailable', "can't send this now", 'again'],
  ['This video is currently unavailable. It may still be uploading or processing.', 'still preparing', 'again'],
  ['Access to this webpage has been blocked by decision of the Russian government.', 'country of this server', 'open'],
  ['This video is available in Taiwan only', 'country of this server', 'open'],
  ['This song is blocked in this region', 'country of this server', 'open'],
  ['This video is either unavailable in your region or is DRM protected', '(DRM), or not available', 'open'],
  [
    'Video is not available in this language edition of Arte or broadcast rights expired',
    'no longer available',
    'open',
  ],
  ['Cookies (not necessarily logged in) are needed', 'requires cookies', 'cookies'],
  ['This live event is scheduled for 2026-12-01', 'not been published yet', 'again'],
  ['Only users older than 19 are able to watch this video', 'adults', 'cookies'],
] as const)('%s gets the right remedy', (words, part, remedy) => {
  const { sentence } = getAdvice(getFailure(`ERROR: [site] x: ${words}`).replace(/^\w+: /, ''));
  expect(sentence).toContain(part);
  expect(getAdvice(sentence).remedy).toBe(remedy);
});

test('a page that mentions fragments is not an interrupted download', () => {
  expect(
    getFailure('ERROR: [site] x: No entry in the contents for this URL. Is the fragment part of the URL correct?'),
  ).toBe('final: The site says: No entry in the contents for this URL. Is the fragment part of the URL correct?');
  expect(getFailure('ERROR: fragment 3 not found, unable to continue')).toBe(
    'again: The connection to that site was lost',
  );
});

test.each([
  'Usage: yt-dlp [OPTIONS] URL [URL...]\n\nyt-dlp: error: no such option: --no-plugin-dirs',
  'Traceback (most recent call last):\n  File "x", line 1\nModuleNotFoundError: No module named \'yt_dlp\'',
  'ImportError: You are using an unsupported version of Python. Only Python versions 3.10 and above are supported',
])('a yt-dlp that does not start is not tried again, and the owner is named: %s', (errors) => {
  expect(getFailure(errors)).toMatch(/^final: yt-dlp does not start on this server\. Ask the owner of this server/);
});
