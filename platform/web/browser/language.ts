const FALLBACK = 'en';

function isLanguageTag(language: string | undefined): boolean {
  try {
    Intl.getCanonicalLocales(language);
    return language !== '';
  } catch {
    return false;
  }
}

/** Converts a language to a valid tag: `en_US.UTF-8` becomes `en-US`, and invalid values become English. */
export function normalizeLanguage(language: string | undefined): string | undefined {
  if (isLanguageTag(language)) return language;
  const tag = (language ?? '').split(/[.@]/)[0]?.replaceAll('_', '-');
  return isLanguageTag(tag) ? tag : FALLBACK;
}

/**
 * Replaces an invalid `navigator.language`. Some browsers return the name of their system's locale (`C`, `en_US`,
 * empty), and libraries that pass it to `Intl` while they load break the page.
 */
export function patchLanguage(navigator: { readonly language: string }): void {
  const language = normalizeLanguage(navigator.language);
  if (language !== navigator.language)
    Object.defineProperty(navigator, 'language', { value: language, configurable: true });
}

if (typeof navigator !== 'undefined') patchLanguage(navigator);
