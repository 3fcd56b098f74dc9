import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { needs } from '../support/environment.ts';
import { needsPrograms } from '../support/programs.ts';
import { paste, pastingShells, shellBlocks } from '../support/shell-blocks.ts';
import { environment, first } from './partners.ts';

const folder = mkdtempSync(join(tmpdir(), 'banking-order-service-readme-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});
const seen = new Set<string>();

test.for(pastingShells)(
  'every command of the README works unchanged, also a second time, when it is pasted into %s',
  async (shell, context) => {
    needs(context, 'beside-the-api', 'its example notifies the receiver of the local environment');
    needsPrograms(context, [shell]);
    mkdirSync(join(folder, '.local'), { recursive: true });
    const { baseUrl, tokenUrl, scope, companies } = environment;
    writeFileSync(join(folder, '.local/sandbox.json'), JSON.stringify({ baseUrl, tokenUrl, scope, companies }));
    const blocks = shellBlocks().filter(({ path, section }) => path === 'README.md' && section === 'Call it');
    const script = blocks.map(({ text }) => text).join('\n');
    expect(script).toContain('curl');
    const { out, err } = await paste(shell, script, folder);
    const [, qrCode, id = '', description, received] =
      /^(000201.+?)\n\{"id":"([^"]+)","description":"([^"]+)"\}(\{.+\})\s*$/su.exec(out) ?? [];
    expect(qrCode, `${out}\n${err}`).toBeDefined();
    // What a bank of its own did comes by its callback.
    expect(description).toMatch(/is queued for \S+\/receiver\/|the bank did \w+; status \w+ → /u);
    const body = expect.stringContaining(id) as string;
    const { received: came } = JSON.parse(received ?? '{}') as { received?: unknown };
    expect(came).toMatchObject([{ verified: true, company: { companyId: first.companyId }, body }]);
    expect(seen).not.toContain(id);
    seen.add(id);
  },
);
