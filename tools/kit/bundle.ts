import { build } from 'esbuild';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildPage } from '@banking-order/console';

const openapi = 'docs/openapi.json';

/**
 * Bundles the tools with all their imports, for Node 20, and writes the OpenAPI document beside them. The bundle
 * contains the built page of the console.
 */
export async function bundleCommand(folder: string): Promise<void> {
  const page = pageModule(await buildPage());
  await build({
    entryPoints: [join(import.meta.dirname, 'command.ts')],
    outfile: join(folder, 'main.js'),
    bundle: true,
    minify: true,
    // The tools compare and print names of errors.
    keepNames: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    define: { installedPackage: 'true' },
    // CommonJS packages in the bundle load modules of Node by `require`.
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

/** Returns the source of a module that replaces `page-files.ts` and contains the built files. */
function pageModule(files: Awaited<ReturnType<typeof buildPage>>): string {
  const entries = Object.entries(files).map(([name, { body, ...head }]) => {
    const text = JSON.stringify(Buffer.from(body).toString('base64'));
    return `${JSON.stringify(name)}: { ...${JSON.stringify(head)}, body: Buffer.from(${text}, 'base64') }`;
  });
  return `export const buildPage = () => Promise.resolve({ ${entries.join(', ')} });`;
}
