/**
 * Patterns of everything that a bundle is made of, and that decides how. Packages by what was asked for and by what npm
 * installed: whoever edits one by hand removes `dist`.
 */
export const bundleSources: readonly string[] = [
  ...['functions/**/*', 'shared/**/*', 'infra/aws/**/*', 'packages/partner-tools/{package.json,src/**/*}'],
  ...['package.json', 'package-lock.json', 'node_modules/.package-lock.json', 'tsconfig.json'],
];
