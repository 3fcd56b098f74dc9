import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root, run } from '../acceptance/sample-runs.ts';
import { document, program } from './clients.ts';

/** It does not look for a newer version, and sends no report of this run. */
const env = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

test('redocly reports no problem in the document', async () => {
  const { code, out, err } = await run([process.execPath, program('redocly'), 'lint', document, '--format', 'json'], {
    env,
  });
  expect(code, err).toBe(0);
  const { totals, problems } = JSON.parse(out) as { readonly totals: object; readonly problems: readonly unknown[] };
  expect(problems).toEqual([]);
  expect(totals).toMatchObject({ errors: 0, warnings: 0 });
});

test('spectral reports no problem in the document', async () => {
  const rules = join(root, 'tools/clients/spectral.yaml');
  const args = ['lint', document, '--ruleset', rules, '--fail-severity', 'hint', '--quiet', '--format', 'json'];
  const { code, out, err } = await run([process.execPath, program('spectral'), ...args]);
  expect(code, out + err).toBe(0);
  expect(JSON.parse(out)).toEqual([]);
});
