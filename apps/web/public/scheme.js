// Sets the colour scheme before the first paint. A separate file, because the CSP forbids inline scripts.
(() => {
  let storedScheme = 'auto';
  try {
    storedScheme = localStorage.getItem('pegboard.scheme') ?? 'auto';
  } catch {
    // Storage is blocked, so use the scheme of the system.
  }
  const isDark =
    storedScheme === 'dark' || (storedScheme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.mantineColorScheme = isDark ? 'dark' : 'light';
})();
