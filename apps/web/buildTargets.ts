/** Converts `browserslist` of package.json to build targets of Vite: `ios_saf >= 18.1` becomes `ios18.1`. */
export function getBuildTargets(browsers: readonly string[]): readonly string[] {
  return browsers.map((line) => {
    const [, name, version] = /^(chrome|edge|firefox|safari|ios)(?:_saf)? >= (\d+(?:\.\d+)?)$/.exec(line) ?? [];
    if (name === undefined || version === undefined)
      throw new Error(`browserslist: '${line}' is no '<browser> >= <version>'`);
    return `${name}${version}`;
  });
}
