import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { missingStandIns } from '#tools/emulators/localstack.ts';
import { describeNotJudged, notJudged, standIns } from '#tools/emulators/not-judged.ts';
import { each } from '../support/each.ts';

const root = join(import.meta.dirname, '../..');

describe('what is not judged', () => {
  it('names tests that exist', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    const proofs = [...notJudged, ...Object.values(standIns)].map(({ provedBy }) => provedBy);
    for (const [, named = ''] of each(proofs.join('\n').matchAll(/`([^`]+)`/gu))) {
      const [, script, file = named] = /^npm run (\S+)(?: -- (\S+))?/u.exec(named) ?? [];
      expect(script === undefined || script in scripts, named).toBe(true);
      if (script === undefined || script === 'tool') expect(existsSync(join(root, file)), named).toBe(true);
    }
  });

  it('has a proof for every stand-in of the plugin', () => {
    expect(Object.keys(standIns).length).toBeGreaterThan(0);
    for (const { provedBy } of Object.values(standIns))
      expect(provedBy).toMatch(/`npm run tool -- tools\/emulators\/acceptance\.ts ministack`|acceptance suite/u);
  });
});

describe('the end of a run', () => {
  it('names each point with its reason and its proof, and marks stand-ins as no proof', () => {
    for (const emulator of ['ministack', 'localstack'] as const) {
      const text = describeNotJudged(emulator);
      for (const { point, [emulator]: because, provedBy } of notJudged)
        if (because === undefined) expect(text).not.toContain(`  ${point}\n`);
        else expect(text).toContain(`  ${point}\n    ${because}\n    tested instead by: ${provedBy}`);
    }
    const text = describeNotJudged('localstack');
    expect(text).toContain('LocalStack does not test:');
    expect(text).toContain('a stand-in does not prove the behavior of AWS');
    for (const name of Object.keys(standIns)) expect(text).toContain(`  ${name}: `);
    expect(describeNotJudged('ministack')).not.toContain('stand-in');
  });
});

describe('the plugin of LocalStack', () => {
  const printedLines = Object.entries(standIns).map(([name, { what }]) => `stand-in ${name}: ${what} (…)`);

  it('is complete when every part of it has said that it is there', () => {
    expect(missingStandIns(['Ready.', ...printedLines].join('\n'))).toEqual([]);
    expect(missingStandIns(printedLines.slice(1).join('\n'))).toEqual([Object.keys(standIns)[0]]);
    expect(missingStandIns('')).toEqual(Object.keys(standIns));
  });
});
