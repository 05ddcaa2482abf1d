// Sets the colour scheme before the first paint; a file of its own, because the page carries no inline script.
(() => {
  let chosen = 'auto';
  try {
    chosen = localStorage.getItem('pegboard.scheme') ?? 'auto';
  } catch {
    // A browser that withholds storage gets the system's scheme.
  }
  const dark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.mantineColorScheme = dark ? 'dark' : 'light';
})();
