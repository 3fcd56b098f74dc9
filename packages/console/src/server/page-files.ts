import { fileURLToPath } from 'node:url';
import type { ConsoleResponse } from './http.ts';
import { respondWithFile } from './http.ts';

const page = fileURLToPath(new URL('../page', import.meta.url));

const html = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>Console</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="page.css" />
    <script type="module" src="page.js"></script>
  </head>
  <body></body>
</html>
`;

export type PageFiles = Readonly<Record<string, ConsoleResponse>>;

/** Bundles the page and returns its files by name. The console does so on the first request, so that it starts fast. */
export async function buildPage(): Promise<PageFiles> {
  const { build, stop } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: [
      { in: `${page}/main.tsx`, out: 'page' },
      { in: `${page}/page.css`, out: 'page' },
    ],
    bundle: true,
    minify: true,
    write: false,
    outdir: '/',
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
  });
  // Else the bundler's process stays as long as this one.
  await stop();
  const textOf = (end: string): string => outputFiles.find(({ path }) => path.endsWith(end))?.text ?? '';
  return {
    '': respondWithFile('text/html', html),
    'page.js': respondWithFile('text/javascript', textOf('.js')),
    'page.css': respondWithFile('text/css', textOf('.css')),
  };
}
