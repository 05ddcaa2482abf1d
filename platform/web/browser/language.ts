const FALLBACK = 'en';

const isTag = (language: string | undefined): boolean => {
  try {
    Intl.getCanonicalLocales(language);
    return language !== '';
  } catch {
    return false;
  }
};

/** The language tag that is meant: `en_US.UTF-8` is `en-US`; what is none at all is English. */
export function normalizeLanguage(language: string | undefined): string | undefined {
  if (isTag(language)) return language;
  const meant = (language ?? '').split(/[.@]/)[0]?.replaceAll('_', '-');
  return isTag(meant) ? meant : FALLBACK;
}

/**
 * Gives the browser's language as a tag that `Intl` takes. Some browsers answer what their system calls it (`C`, `en_US`, nothing), and
 * libraries that hand it to `Intl` while they load break the page.
 */
export function patchLanguage(navigator: { readonly language: string }): void {
  const language = normalizeLanguage(navigator.language);
  if (language !== navigator.language)
    Object.defineProperty(navigator, 'language', { value: language, configurable: true });
}

if (typeof navigator !== 'undefined') patchLanguage(navigator);
