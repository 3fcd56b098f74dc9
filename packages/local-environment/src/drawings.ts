import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import mermaid from '@mermaid-js/tiny/package.json' with { type: 'json' };

/** A file that the API reference serves. `policy` replaces the Content Security Policy of its pages. */
export type File = {
  readonly type: string;
  readonly policy?: string;
  /** Its address in the page contains the version, so a browser may cache it, also in compiled form. */
  readonly kept?: true;
  readonly read: () => string | Promise<string | Buffer>;
};

/** Path from the project's root, where every npm script runs. */
const folder = 'docs/drawings';

/**
 * Content Security Policy of the page with the drawings. Mermaid writes styles into each drawing, which needs
 * `unsafe-inline` for styles. The page connects to nothing.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Returns the page that draws the journeys and statuses of the guide, and its script. */
export function drawingFiles(): Readonly<Record<string, File>> {
  return {
    '/docs/drawings': { type: 'text/html; charset=utf-8', policy, read: page },
    '/docs/mermaid.js': {
      type: 'text/javascript; charset=utf-8',
      read: () => readFile(fileURLToPath(import.meta.resolve('@mermaid-js/tiny'))),
      kept: true,
    },
  };
}

/** When the page is loaded, Mermaid draws each element of the class `mermaid` by itself. */
async function page(): Promise<string> {
  const names = (await readdir(folder)).toSorted();
  const pages = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  const drawings = pages.flatMap((text) =>
    [...text.matchAll(/^```mermaid\n(.*?)^```$/gmsu)].map(([, own = '']) => own),
  );
  const shown = drawings.map(
    (text) => `<pre class="mermaid">${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</pre>`,
  );
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Journeys and statuses · Banking Order Service</title>
    <link rel="icon" href="data:,">
  </head>
  <body>
    <h1>Journeys and statuses</h1>
    ${shown.join('\n    ')}
    <script src="/docs/mermaid.js?${mermaid.version}"></script>
  </body>
</html>
`;
}
