import * as z from 'zod';

/**
 * yt-dlp options that an operator can set in `YTDLP_ARGS`. None names a program or a file.
 * Only `--remote-components` lets yt-dlp run code that it downloads.
 */
const VALUE_PATTERN_BY_OPTION: Readonly<Record<string, RegExp>> = {
  '--extractor-args': /^[\w+.-]+:\S[^\n]*$/,
  '--proxy': /^(?:https?|socks4a?|socks5h?):\/\/\S+$/,
  '--geo-verification-proxy': /^(?:https?|socks4a?|socks5h?):\/\/\S+$/,
  '--limit-rate': /^\d+(?:\.\d+)?[KMG]?$/i,
  '--throttled-rate': /^\d+(?:\.\d+)?[KMG]?$/i,
  '--impersonate': /^[\w.:-]*$/,
  '--sleep-requests': /^\d+(?:\.\d+)?$/,
  '--sleep-interval': /^\d+(?:\.\d+)?$/,
  '--max-sleep-interval': /^\d+(?:\.\d+)?$/,
  '--retries': /^(?:\d{1,3})$/,
  '--fragment-retries': /^(?:\d{1,3})$/,
  '--extractor-retries': /^(?:\d{1,3})$/,
  '--socket-timeout': /^\d{1,3}(?:\.\d+)?$/,
  '--concurrent-fragments': /^[1-8]$/,
  '--user-agent': /^[^\n]{1,500}$/,
  '--xff': /^[\w./:-]+$/,
  '--remote-components': /^ejs:(?:github|npm)$/,
};
const FLAGS = ['--force-ipv4', '--force-ipv6', '--legacy-server-connect', '--no-impersonate'];
const LONG_OPTION_BY_SHORT: Readonly<Record<string, string>> = {
  '-r': '--limit-rate',
  '-4': '--force-ipv4',
  '-6': '--force-ipv6',
  '-N': '--concurrent-fragments',
};

/** Splits a line into words like a shell does, with quotes. @throws Error if a quote is not closed. */
function splitWords(text: string): readonly string[] {
  const words = [...text.matchAll(/((?:"[^"]*"|'[^']*'|[^\s"'])+)/g)].map(([word]) => word);
  if (words.join('') !== text.replaceAll(/\s+(?=(?:[^"']|"[^"]*"|'[^']*')*$)/g, ''))
    throw new Error('a quote is not closed');
  return words.map((word) =>
    word.replaceAll(
      /"([^"]*)"|'([^']*)'/g,
      (_all, double: string | undefined, single: string | undefined) => double ?? single ?? '',
    ),
  );
}

/** Parses `YTDLP_ARGS` into one `--option=value` each. @throws Error with the option that is not allowed. */
export function parseYtdlpArgs(text: string): readonly string[] {
  const words = splitWords(text.trim());
  const args: string[] = [];
  for (let index = 0; index < words.length; index += 1) {
    const [, writtenName = '', inlineValue] = /^(--?[\w-]+)(?:=(.*))?$/s.exec(words[index] ?? '') ?? [];
    const name = LONG_OPTION_BY_SHORT[writtenName] ?? writtenName;
    if (FLAGS.includes(name) && inlineValue === undefined) args.push(name);
    else {
      const pattern = VALUE_PATTERN_BY_OPTION[name];
      if (!pattern)
        throw new Error(
          // Does not contain the word, because a wrongly quoted secret would be logged.
          `word ${index + 1} is not an allowed option. Allowed options: ${[...Object.keys(VALUE_PATTERN_BY_OPTION), ...FLAGS].join(', ')}`,
        );
      const value = inlineValue ?? words[(index += 1)];
      if (value === undefined || !pattern.test(value)) throw new Error(`'${name}' has a missing or invalid value`);
      args.push(`${name}=${value}`);
    }
  }
  return args;
}

const ytdlpArgs = z
  .string()
  .transform((text, context) => {
    try {
      return parseYtdlpArgs(text);
    } catch (error) {
      context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : String(error) });
      return z.NEVER;
    }
  })
  .prefault('');

export const settings = z.object({
  YTDLP_ARGS: ytdlpArgs
    .meta({ isSecret: true })
    .describe(
      'Options for every run of yt-dlp in shell syntax: extractor arguments and PO tokens (`--extractor-args`), `--proxy`, rates, `--impersonate` and others of a fixed list (docs/music.md). With `--proxy`, the proxy decides which addresses are allowed.',
    ),
  YTDLP_PLUGINS: z
    .string()
    .startsWith('/', 'must be an absolute path')
    .optional()
    .describe(
      'Folder with plug-ins for yt-dlp, each a zip or a package that contains a folder `yt_dlp_plugins`. They run with the same permissions as yt-dlp.',
    ),

  MUSIC_WORKERS: z
    .string()
    .refine(
      (text) => /^\d{1,2}$/.test(text) && Number(text) >= 1 && Number(text) <= 16,
      'must be a number from 1 to 16',
    )
    .transform(Number)
    .prefault('2')
    .describe('Number of songs and recordings that are downloaded and converted at the same time.'),
  MUSIC_QUOTA_GB: z
    .string()
    .regex(/^\d{1,6}(\.\d+)?$/, 'must be a number of GiB such as 20')
    .prefault('20')
    .transform(Number)
    .describe('Maximum disk space for the songs of one account, in GiB.'),
});
