/**
 * Patterns of every file that affects a bundle. Packages are covered by package.json and by npm's record of the
 * installation: after you edit a file of a package by hand, remove `dist`.
 */
export const bundleSources: readonly string[] = [
  ...['functions/**/*', 'shared/**/*', 'infra/aws/**/*', 'packages/partner-tools/{package.json,src/**/*}'],
  ...['package.json', 'package-lock.json', 'node_modules/.package-lock.json', 'tsconfig.json'],
];
