import { writeFile } from 'node:fs/promises';
import manifest from '../../package.json' with { type: 'json' };
import { routes } from '../../functions/routes.ts';
import { openApiDocument } from './document.ts';

/** Writes docs/openapi.json anew: `node infra/openapi/main.ts`. */
const file = new URL('../../docs/openapi.json', import.meta.url);
await writeFile(file, `${JSON.stringify(openApiDocument(routes, manifest.version), null, 2)}\n`);
