import { build } from 'esbuild';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildPage } from '@banking-order/console';

const openapi = 'docs/openapi.json';

/**
 * Bundles the tools with all that they import, for Node 20, and beside them the document. The console's page is in the
 * bundle, built.
 */
export async function bundleCommand(folder: string): Promise<void> {
  const page = pageModule(await buildPage());
  await build({
    entryPoints: [join(import.meta.dirname, 'command.ts')],
    outfile: join(folder, 'main.js'),
    bundle: true,
    minify: true,
    // Names of errors are read, and shown.
    keepNames: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    define: { installedPackage: 'true' },
    // CommonJS among the packages asks for modules of Node by `require`.
    banner: { js: "import { createRequire } from 'node:module';const require = createRequire(import.meta.url);" },
    legalComments: 'none',
    plugins: [
      {
        name: 'page',
        setup: (bundle) => {
          bundle.onLoad({ filter: /console\/src\/server\/page-files\.ts$/ }, () => ({ contents: page, loader: 'js' }));
        },
      },
    ],
  });
  const document: unknown = JSON.parse(readFileSync(openapi, 'utf8'));
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(document));
  cpSync(join(import.meta.dirname, 'bin.cjs'), join(folder, 'bin.cjs'));
}

/** A module like that of the page's files, with the built files in it. */
function pageModule(files: Awaited<ReturnType<typeof buildPage>>): string {
  const entries = Object.entries(files).map(([name, { body, ...head }]) => {
    const text = JSON.stringify(Buffer.from(body).toString('base64'));
    return `${JSON.stringify(name)}: { ...${JSON.stringify(head)}, body: Buffer.from(${text}, 'base64') }`;
  });
  return `export const buildPage = () => Promise.resolve({ ${entries.join(', ')} });`;
}
