import { writeFile } from 'node:fs/promises';
import { signatureVectors } from './vectors.ts';

/** Writes docs/samples/signature-vectors.json (`npm run signature-vectors`). */
const file = new URL('../../../docs/samples/signature-vectors.json', import.meta.url);
await writeFile(file, `${JSON.stringify(signatureVectors(), null, 2)}\n`);
