import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

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

/** Content Security Policy of a drawing: allows its inline style, which sets the colours. */
const policy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

/** Returns the drawings of journeys and statuses in docs/drawings, by address, and a page that shows all. */
export function drawingFiles(): Readonly<Record<string, File>> {
  const names = readdirSync(folder).toSorted();
  const shown = names.map((name) => `<p><img src="/docs/drawings/${name}" alt="${name.replace('.svg', '')}"></p>`);
  const page = `<!doctype html>
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
  </body>
</html>
`;
  const drawings = names.map((name): [string, File] => [
    `/docs/drawings/${name}`,
    { type: 'image/svg+xml', policy, read: () => readFile(join(folder, name)) },
  ]);
  return { '/docs/drawings': { type: 'text/html; charset=utf-8', read: () => page }, ...Object.fromEntries(drawings) };
}
