import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { missingStandIns } from '#infra/emulators/localstack.ts';
import { standIns } from '#infra/emulators/localstack-stand-ins.ts';
import type { Judgement } from '#infra/emulators/not-judged.ts';
import { describeNotJudged, judgements } from '#infra/emulators/not-judged.ts';

const root = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
/** Cells of all rows of the document's tables, whatever the formatter made of their widths. */
const rows = read('docs/emulators.md')
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
const all = Object.entries<Judgement>(judgements);

describe.each(all)('what is not judged on %s', (_name, { lacking, stoodInFor = {} }) => {
  it('stands in docs/emulators.md as the run says it', () => {
    for (const [point, { because, provedBy }] of Object.entries(lacking))
      expect(rows).toContainEqual([point, because, provedBy]);
    for (const [name, provedBy] of Object.entries(stoodInFor))
      expect(rows).toContainEqual([`\`${name}\``, standIns[name as keyof typeof standIns], provedBy]);
  });

  it('names proofs that exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const proofs = [...Object.values(lacking).map(({ provedBy }) => provedBy), ...Object.values(stoodInFor)];
    for (const [, named = ''] of proofs.join('\n').matchAll(/`([^`]+)`/gu)) {
      const script = /^npm run (\S+)$/u.exec(named)?.[1];
      expect(script === undefined ? existsSync(join(root, named)) : script in scripts, named).toBe(true);
    }
  });
});

it('has no row in docs/emulators.md that no run says', () => {
  const said = new Set(all.flatMap(([, { lacking }]) => Object.keys(lacking)));
  const heading = 'Not judged there';
  const tables = read('docs/emulators.md')
    .split('\n\n')
    .filter((block) => block.startsWith(`| ${heading}`));
  expect(tables).toHaveLength(all.length);
  for (const table of tables) {
    const [, , ...body] = table.split('\n');
    for (const row of body) expect(said).toContain(row.split('|')[1]?.trim());
  }
});

describe('the end of a run', () => {
  it('names each point with its reason and its proof, and marks stand-ins as no proof', () => {
    const text = describeNotJudged('LocalStack', judgements.localstack);
    expect(text).toContain('LocalStack cannot judge:');
    for (const [point, { because, provedBy }] of Object.entries(judgements.localstack.lacking))
      expect(text).toContain(`  ${point}\n    ${because}\n    proved instead by: ${provedBy}`);
    expect(text).toContain('a stand-in is no proof of what AWS does');
    for (const name of Object.keys(standIns)) expect(text).toContain(`  ${name}: `);
    expect(describeNotJudged('MiniStack', judgements.ministack)).not.toContain('stand-in');
  });
});

describe('the plugin of LocalStack', () => {
  const said = Object.entries(standIns).map(([name, what]) => `stand-in ${name}: ${what} (…)`);

  it('is complete when every part of it has said that it is there', () => {
    expect(missingStandIns(['Ready.', ...said].join('\n'))).toEqual([]);
    expect(missingStandIns(said.slice(1).join('\n'))).toEqual([Object.keys(standIns)[0]]);
    expect(missingStandIns('')).toEqual(Object.keys(standIns));
  });
});
