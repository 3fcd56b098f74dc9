import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { root } from '../architecture/sources.ts';
import { needs } from '../support/environment.ts';
import { environment, first } from './partners.ts';

/** The shell blocks of a section of the README, word for word. */
function blocksOf(section: string): string {
  const [, text = ''] = readFileSync(join(root, 'README.md'), 'utf8').split(`\n## ${section}\n`);
  const [own = ''] = text.split('\n## ');
  return [...own.matchAll(/^```sh\n(.*?)^```$/gmsu)].map(([, block]) => block).join('\n');
}

test('what the README calls works as it stands, and again', async (context) => {
  needs(context, 'beside-the-api', 'its example notifies the receiver of the local environment');
  const folder = mkdtempSync(join(tmpdir(), 'banking-order-service-readme-'));
  try {
    mkdirSync(join(folder, '.local'));
    const { baseUrl, tokenUrl, scope, companies } = environment;
    writeFileSync(join(folder, '.local/sandbox.json'), JSON.stringify({ baseUrl, tokenUrl, scope, companies }));
    const script = blocksOf('Call it');
    expect(script).toContain('curl');
    const seen = new Set<string>();
    for (const walk of [1, 2]) {
      const began = performance.now();
      const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], { cwd: folder });
      console.log(`README, walk ${walk}: ${((performance.now() - began) / 1000).toFixed(1)} s`);
      const [, qrCode, id = '', told, received] =
        /^(000201.+?)\n\{"id":"([^"]+)","description":"([^"]+)"\}(\{.+\})\s*$/su.exec(stdout) ?? [];
      expect(qrCode, stdout).toBeDefined();
      expect(told).toContain(`is queued for ${baseUrl}/receiver/`);
      const body = expect.stringContaining(id) as string;
      const { received: came } = JSON.parse(received ?? '{}') as { received?: unknown };
      expect(came).toMatchObject([{ verified: true, company: { companyId: first.companyId }, body }]);
      seen.add(id);
    }
    expect(seen.size).toBe(2);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
