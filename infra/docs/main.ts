import { writeFile } from 'node:fs/promises';
import manifest from '../../package.json' with { type: 'json' };
import { routes } from '#functions/routes.ts';
import { openApiDocument } from './document.ts';
import { errorsPage } from './errors-page.ts';

/** Writes docs/openapi.json and docs/errors.md (`npm run openapi`). */
const docs = new URL('../../docs/', import.meta.url);
await writeFile(
  new URL('openapi.json', docs),
  `${JSON.stringify(openApiDocument(routes, manifest.version), null, 2)}\n`,
);
await writeFile(new URL('errors.md', docs), errorsPage());
